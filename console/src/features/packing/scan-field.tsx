import type { RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../ui/icons.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { PackIcon } from "./pack-icons.tsx";

/** A scanner sends its next key within a few milliseconds: a single key that stays alone this long was pressed by hand. */
const loneKeyMs = 300;

type Props = {
  placeholder: string;
  /** Result of the last scan. */
  last: string | undefined;
  disabledReason: string | undefined;
  onCode(code: string): void;
  /** Enter without a code. */
  onEnter(): void;
  /** A single key, such as 1 or W. False: it is no shortcut now, and stays in the field. */
  onLoneKey(key: string): boolean;
};

/** Takes everything that a scanner or keyboard sends. */
export function ScanField({ placeholder, last, disabledReason, onCode, onEnter, onLoneKey }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [value, setValue] = useState("");
  const latest = useLatest({ onLoneKey, onEnter });
  useKeysTo(input, () => latest.current.onEnter());
  useEffect(() => {
    if (value.length !== 1 || value === " ") return undefined;
    const timer = setTimeout(() => {
      if (latest.current.onLoneKey(value.toLowerCase())) setValue("");
    }, loneKeyMs);
    return () => clearTimeout(timer);
  }, [value, latest]);
  const submit = (typed: string): void => {
    setValue("");
    if (typed.trim() === "") onEnter();
    else onCode(typed.trim());
  };
  return (
    <div className="flex h-15 items-center gap-3.5 rounded-xl border-2 border-accent bg-raised px-4.5 text-[18px] shadow-[0_0_0_4px_var(--accent-soft)]">
      <span className="text-accent-text">
        <PackIcon name="barcode" size={26} />
      </span>
      <input
        ref={input}
        aria-label={placeholder}
        placeholder={disabledReason ?? placeholder}
        readOnly={disabledReason !== undefined}
        value={value}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="send"
        className="h-full min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || disabledReason !== undefined) return;
          event.preventDefault();
          // The element has the last key of a fast scanner, which the state may not have yet.
          submit(event.currentTarget.value);
        }}
      />
      {last && (
        <span
          role="status"
          className="flex items-center gap-2 text-[14px] font-medium whitespace-nowrap text-ok max-md:hidden"
        >
          <Icon name="check" size={18} />
          {last}
        </span>
      )}
    </div>
  );
}

const otherFields = "input, textarea, select, [role=dialog], [role=listbox], [role=menu]";

/** Keys go to the field wherever the focus is, except into other fields and open dialogs. */
function useKeysTo(input: RefObject<HTMLInputElement | null>, onEnter: () => void): void {
  const latest = useLatest(onEnter);
  useEffect(() => {
    input.current?.focus();
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest(otherFields)) return;
      // Space and Enter press a focused button.
      if (event.key.length === 1 && event.key !== " ") input.current?.focus();
      if (event.key === "Enter" && target === document.body) latest.current();
    };
    // A tap on an empty place takes the focus from the field.
    const onFocusOut = (): void => {
      setTimeout(() => {
        if (document.activeElement === document.body) input.current?.focus();
      });
    };
    globalThis.addEventListener("keydown", onKeyDown, true);
    globalThis.addEventListener("focusout", onFocusOut);
    return () => {
      globalThis.removeEventListener("keydown", onKeyDown, true);
      globalThis.removeEventListener("focusout", onFocusOut);
    };
  }, [input, latest]);
}

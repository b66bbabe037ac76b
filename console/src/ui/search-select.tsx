import { Popover } from "@base-ui/react/popover";
import type { KeyboardEvent } from "react";
import { useId, useState } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";
import { nameRank } from "./name-rank.ts";
import { itemClass, popupClass } from "./popup-class.ts";
import { inputClass } from "./text-field.tsx";

type Option = { value: string; label: string; note?: string };
type Props = {
  label: string;
  value: string;
  options: readonly Option[];
  placeholder: string;
  /** Option for a text that matches none. */
  optionFor?(typed: string): Option | undefined;
  onChange(value: string): void;
};

/** Select with search, for long lists. */
export function SearchSelect({ label, value, options, placeholder, optionFor, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const chosen = options.find((option) => option.value === value) ?? (value ? optionFor?.(value) : undefined);
  const pick = (next: string): void => {
    setOpen(false);
    if (next !== value) onChange(next);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={`${label}: ${chosen?.label ?? placeholder}`}
        className={cx(inputClass, "flex items-center justify-between gap-2 text-start")}
      >
        <span className={cx("truncate", !chosen && "text-faint")}>{chosen?.label ?? placeholder}</span>
        <Icon name="chevron-down" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-50">
          <Popover.Popup aria-label={label} className={cx(popupClass, "w-80")}>
            <Finder {...{ label, value, options, optionFor }} onPick={pick} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Enter picks the best match, not the first one that contains the letters. */
const orderOf = ({ label }: Option, wanted: string): number => (wanted ? (nameRank(label, wanted) ?? 9) : 0);

function Finder({
  label,
  value,
  options,
  optionFor,
  onPick,
}: Pick<Props, "label" | "value" | "options" | "optionFor"> & { onPick(value: string): void }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const wanted = typed.trim().toLowerCase();
  const matching = options
    .filter((option) => `${option.label} ${option.value}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => orderOf(one, wanted) - orderOf(other, wanted));
  const further =
    wanted && !options.some((option) => option.value === typed.trim()) ? optionFor?.(typed.trim()) : undefined;
  const found = further ? [...matching, further] : matching;
  const current = Math.min(at, found.length - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(found.length - 1, current + move));
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (found[current]) onPick(found[current].value);
    }
  };
  return (
    <>
      <input
        role="combobox"
        aria-label={`Find: ${label}`}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found[current] ? `${id}-${current}` : undefined}
        placeholder="Type to find"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className={cx(inputClass, "mb-1")}
      />
      <div id={id} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto">
        {found.length === 0 && <p className="px-2 py-1.5 text-muted">Nothing is called that.</p>}
        {found.map((option, index) => (
          // The field handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={option.value === value}
            onClick={() => onPick(option.value)}
            onMouseMove={() => setAt(index)}
            className={cx(itemClass, index === current && "bg-accent-soft text-accent-text")}
          >
            <span className="flex-1">{option.label}</span>
            {option.note && <span className="text-sm text-faint">{option.note}</span>}
            {option.value === value && <Icon name="check" />}
          </div>
        ))}
      </div>
    </>
  );
}

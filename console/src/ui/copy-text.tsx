import { useState } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";

/** Without HTTPS there is no clipboard API: the text is selected instead, for Ctrl+C. */
async function copy(text: string, shown: HTMLElement | null): Promise<"copied" | "selected"> {
  if (navigator.clipboard && isSecureContext) {
    await navigator.clipboard.writeText(text);
    return "copied";
  }
  const selection = getSelection();
  if (shown && selection) selection.selectAllChildren(shown);
  return "selected";
}

export function CopyText({ text, label = "Copy", children }: { text: string; label?: string; children?: string }) {
  const [state, setState] = useState<"copied" | "selected" | undefined>();
  const [shown, setShown] = useState<HTMLElement | null>(null);
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <code ref={setShown} className={cx("min-w-0 font-mono text-sm break-all", children === "" && "sr-only")}>
        {children ?? text}
      </code>
      <button
        type="button"
        onClick={() => void copy(text, shown).then(setState)}
        className="inline-flex min-h-6 min-w-6 items-center justify-center gap-1 rounded-md px-1 text-sm text-muted hover:bg-skip-soft hover:text-text"
      >
        <Icon name={state === "copied" ? "check" : "copy"} size={12} />
        <span className={state ? "" : "sr-only"}>
          {state === "copied" ? "Copied" : state === "selected" ? "Selected: press Ctrl+C" : label}
        </span>
      </button>
    </span>
  );
}

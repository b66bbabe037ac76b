import type { ClipboardEvent, KeyboardEvent } from "react";
import { useState } from "react";
import { Icon } from "./icons.tsx";
import { Field } from "./text-field.tsx";

type Props = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  tokens: readonly string[];
  onChange(tokens: string[]): void;
  isAutoFocused?: boolean;
};

/** Token input. Enter or a comma ends a token; a pasted column becomes several. */
export function TokenField({ label, hint, error, tokens, onChange, isAutoFocused }: Props) {
  const [draft, setDraft] = useState("");
  const add = (text: string): void => {
    const added = text.split(/[\n\t,]/).map((one) => one.trim());
    onChange([...new Set([...tokens, ...added.filter(Boolean)])]);
    setDraft("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.key === "Enter" || event.key === ",") && draft.trim() && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      add(draft);
    } else if (event.key === "Backspace" && draft === "") onChange(tokens.slice(0, -1));
  };
  const onPaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData.getData("text");
    if (!/[\n\t,]/.test(text)) return;
    event.preventDefault();
    add(text);
  };
  return (
    <Field label={label} hint={hint ?? "Enter adds one. A pasted column becomes as many."} error={error}>
      {(ids) => (
        <div className="flex min-h-7 flex-wrap items-center gap-1 rounded-md border border-line-strong bg-raised px-1 py-0.5 focus-within:outline-2 focus-within:outline-accent">
          {tokens.map((token) => (
            <span key={token} className="inline-flex items-center rounded-sm bg-skip-soft ps-1.5 text-sm">
              {token}
              <button
                type="button"
                aria-label={`Remove ${token}`}
                onClick={() => onChange(tokens.filter((one) => one !== token))}
                className="grid size-5 place-items-center text-muted hover:text-text"
              >
                <Icon name="x" size={11} />
              </button>
            </span>
          ))}
          <input
            {...ids}
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus={isAutoFocused ?? false}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => draft.trim() && add(draft)}
            className="h-5 min-w-20 flex-1 bg-transparent px-1 outline-none"
          />
        </div>
      )}
    </Field>
  );
}

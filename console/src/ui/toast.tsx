import type { FocusEvent } from "react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";
import type { Tone } from "./tone.ts";
import { toneText } from "./tone.ts";

type Action = { label: string; onPick(): void };
type Toast = { id: number; title: string; text?: string; tone?: Tone; action?: Action };

/** One at a time: a newer toast replaces the one before it. */
let current: Toast | undefined;
let lastId = 0;
const listeners = new Set<() => void>();

function put(toast: Toast | undefined): void {
  current = toast;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a toast for a finished action. Errors that need a correction belong in the page. */
export function showToast(title: string, more: { text?: string; tone?: Tone; action?: Action } = {}): void {
  put({ id: ++lastId, title, ...more });
}

const shownMs = 6_000;
/** With an action there is something to read and to decide. */
const shownWithActionMs = 12_000;

/** A live region, so that screen readers announce each toast and open dialogs do not hide it. */
export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => current);
  return (
    <div
      role="region"
      aria-label="Notifications"
      aria-live="polite"
      className="fixed end-4 bottom-4 z-50 w-[min(360px,calc(100vw-32px))]"
    >
      {toast && <Shown key={toast.id} toast={toast} />}
    </div>
  );
}

function Shown({ toast }: { toast: Toast }) {
  const { title, text, tone = "ok", action } = toast;
  const [isHeld, setHeld] = useState(false);
  const close = (): void => {
    if (current === toast) put(undefined);
  };
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(close, action ? shownWithActionMs : shownMs);
    return () => clearTimeout(timer);
  });
  const leave = (event: FocusEvent<HTMLDivElement>): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) setHeld(false);
  };
  return (
    <div
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={leave}
      className="flex items-start gap-2 rounded-lg border border-line bg-raised px-3 py-2 shadow-pop"
    >
      <span className={cx("pt-0.5", toneText[tone])}>
        <Icon name={tone === "bad" ? "alert" : "check"} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {text && <p className="text-sm text-muted">{text}</p>}
      </div>
      {action && (
        <button
          type="button"
          onClick={() => {
            close();
            action.onPick();
          }}
          className="min-h-6 rounded-md px-1.5 font-medium text-accent-text hover:bg-accent-soft"
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Close"
        onClick={close}
        className="grid size-6 place-items-center rounded-md text-muted hover:bg-skip-soft"
      >
        <Icon name="x" />
      </button>
    </div>
  );
}

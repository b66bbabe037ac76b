import { Toast as Base } from "@base-ui/react/toast";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";
import type { Tone } from "./tone.ts";
import { toneText } from "./tone.ts";

const manager = Base.createToastManager();

type Action = { label: string; onPick(): void };

/** Shows a toast for a finished action. Errors that need a correction belong in the page. */
export function showToast(title: string, more: { text?: string; tone?: Tone; action?: Action } = {}): void {
  manager.add({
    title,
    description: more.text,
    type: more.tone ?? "ok",
    ...(more.action ? { actionProps: { children: more.action.label, onClick: more.action.onPick } } : {}),
  });
}

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} timeout={6000} limit={4}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed end-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2">
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function List() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      // A closing toast is still in the DOM for a moment and must not take focus.
      inert={toast.limited === true || toast.transitionStatus === "ending"}
      className="rounded-lg border border-line bg-raised px-3 py-2 shadow-pop data-ending-style:opacity-0 data-limited:hidden"
    >
      <div className="flex items-start gap-2">
        <span className={cx("pt-0.5", toneText[(toast.type ?? "ok") as Tone])}>
          <Icon name={toast.type === "bad" ? "alert" : "check"} />
        </span>
        <div className="min-w-0 flex-1">
          <Base.Title className="font-medium" />
          <Base.Description className="text-sm text-muted" />
        </div>
        {toast.actionProps && (
          <Base.Action className="rounded-md px-1.5 font-medium text-accent-text hover:bg-accent-soft" />
        )}
        <Base.Close
          aria-label="Close"
          // Base UI hides it from assistive technology while toasts are stacked. Here every toast is shown in full.
          aria-hidden={false}
          className="grid size-6 place-items-center rounded-md text-muted hover:bg-skip-soft"
        >
          <Icon name="x" />
        </Base.Close>
      </div>
    </Base.Root>
  ));
}

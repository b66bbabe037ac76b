import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode, RefObject } from "react";
import { createContext, use, useRef } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";

type Props = {
  title: string;
  isOpen: boolean;
  onClose(): void;
  children: ReactNode;
  footer?: ReactNode;
  isWide?: boolean;
  /** Element that gets focus on close; null: the one that had it before. */
  focusAfter?(): HTMLElement | null;
};

const backdrop = "fixed inset-0 z-40 bg-[#0a0c10]/40";

const fields = "input:not([aria-hidden]), textarea, [role=combobox]";

/** First input or select. */
export const firstField = (within: Element | null): HTMLElement | null =>
  within?.querySelector<HTMLElement>(fields) ?? null;

export function Dialog({ title, isOpen, onClose, children, footer, isWide, focusAfter }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  // Focus the first field, but not on touch screens, where the keyboard would cover the dialog.
  const initialFocus = (how: string) => (how === "touch" ? popup.current : (firstField(popup.current) ?? true));
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup
          ref={popup}
          initialFocus={initialFocus}
          {...(focusAfter ? { finalFocus: focusAfter } : {})}
          className={cx(
            "fixed top-[12vh] left-1/2 z-40 flex max-h-[76vh] w-[calc(100vw-24px)] -translate-x-1/2 flex-col rounded-xl border border-line bg-panel shadow-pop",
            isWide ? "max-w-[760px]" : "max-w-[460px]",
          )}
        >
          <div className="flex items-center gap-2 border-b border-line px-4 py-2.5">
            <Base.Title className="flex-1 text-lg font-semibold">{title}</Base.Title>
            <CloseButton />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">{children}</div>
          {footer && <div className="flex justify-end gap-2 border-t border-line px-4 py-2.5">{footer}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Container of side panels, below the sticky bars; set by the shell. */
export const PanelContainer = createContext<RefObject<HTMLElement | null> | undefined>(undefined);

/** Non-modal panel beside the page. */
export function SidePanel({
  title,
  isOpen,
  onClose,
  children,
  actions,
}: Omit<Props, "footer" | "title" | "focusAfter"> & { title: ReactNode; actions?: ReactNode }) {
  return (
    <Base.Root open={isOpen} modal={false} disablePointerDismissal onOpenChange={(open) => !open && onClose()}>
      <Base.Portal container={use(PanelContainer)}>
        <Base.Popup
          initialFocus={false}
          finalFocus={false}
          className="absolute inset-y-0 end-0 z-30 flex w-full max-w-[560px] flex-col border-s border-line bg-panel shadow-pop"
        >
          <div className="flex items-center gap-2 border-b border-line px-4 py-2.5">
            <Base.Title className="min-w-0 flex-1 text-lg font-semibold">{title}</Base.Title>
            {actions}
            <CloseButton />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function CloseButton() {
  return (
    <Base.Close aria-label="Close" className="grid size-6 place-items-center rounded-md text-muted hover:bg-skip-soft">
      <Icon name="x" />
    </Base.Close>
  );
}

import { Popover as Base } from "@base-ui/react/popover";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { popupClass } from "./select.tsx";

type Props = {
  trigger: ReactNode;
  triggerClass: string;
  triggerLabel?: string;
  isOpen?: boolean;
  onOpenChange?(isOpen: boolean): void;
  children: ReactNode | ((close: () => void) => ReactNode);
  title: string;
};

/** Something small to fill in, at the place it belongs to. */
export function Popover({ trigger, triggerClass, triggerLabel, isOpen, onOpenChange, children, title }: Props) {
  const handle = { current: () => {} };
  return (
    <Base.Root {...(isOpen === undefined ? {} : { open: isOpen })} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger className={triggerClass} {...(triggerLabel ? { "aria-label": triggerLabel } : {})}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50">
          <Base.Popup className={cx(popupClass, "w-72 p-3")}>
            <Base.Title className="sr-only">{title}</Base.Title>
            {typeof children === "function" ? (
              <>
                <Base.Close
                  className="sr-only"
                  tabIndex={-1}
                  ref={(node) => void (handle.current = () => node?.click())}
                >
                  Close
                </Base.Close>
                {children(() => handle.current())}
              </>
            ) : (
              children
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

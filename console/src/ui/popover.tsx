import { Popover as Base } from "@base-ui/react/popover";
import type { ReactNode } from "react";
import { useState } from "react";
import { cx } from "./class-names.ts";
import { popupClass } from "./popup-class.ts";

type Props = {
  trigger: ReactNode;
  triggerClass: string;
  triggerLabel?: string;
  onOpenChange?(isOpen: boolean): void;
  children: ReactNode | ((close: () => void) => ReactNode);
  title: string;
};

/** Popover with a trigger button. */
export function Popover({ trigger, triggerClass, triggerLabel, onOpenChange, children, title }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        onOpenChange?.(open);
      }}
    >
      <Base.Trigger className={triggerClass} {...(triggerLabel ? { "aria-label": triggerLabel } : {})}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50">
          <Base.Popup className={cx(popupClass, "w-72 p-3")}>
            <Base.Title className="sr-only">{title}</Base.Title>
            {typeof children === "function" ? children(() => setOpen(false)) : children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

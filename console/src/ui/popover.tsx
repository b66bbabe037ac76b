import { Popover as Base } from "@base-ui/react/popover";
import type { ReactNode } from "react";
import { useState } from "react";
import { cx } from "./class-names.ts";
import { popupClass } from "./popup-class.ts";

type Props = {
  trigger: ReactNode;
  triggerClass: string;
  triggerLabel?: string;
  /** Given: the caller opens and closes it. */
  isOpen?: boolean;
  onOpenChange?(isOpen: boolean): void;
  /** Room for two columns. */
  isWide?: boolean;
  children: ReactNode | ((close: () => void) => ReactNode);
  title: string;
};

/** Popover with a trigger button. */
export function Popover(props: Props) {
  const { trigger, triggerClass, triggerLabel, onOpenChange, isWide, children, title } = props;
  const [isOpen, setOpen] = useState(false);
  const put = (open: boolean): void => {
    setOpen(open);
    onOpenChange?.(open);
  };
  return (
    <Base.Root open={props.isOpen ?? isOpen} onOpenChange={put}>
      <Base.Trigger className={triggerClass} {...(triggerLabel ? { "aria-label": triggerLabel } : {})}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50">
          <Base.Popup className={cx(popupClass, "p-3", isWide ? "w-[28rem]" : "w-72")}>
            <Base.Title className="sr-only">{title}</Base.Title>
            {typeof children === "function" ? children(() => put(false)) : children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

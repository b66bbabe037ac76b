import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { buttonClass } from "./button.tsx";
import { Kbd } from "./kbd.tsx";
import { itemClass, popupClass } from "./popup-class.ts";

export type MenuItem = {
  label: ReactNode;
  note?: string;
  keys?: string;
  disabledReason?: string | false | undefined;
  onPick(): void;
};

type Props = { label: ReactNode; items: readonly MenuItem[]; kind?: "plain" | "quiet"; empty?: string; name?: string };

export function Menu({ label, items, kind = "plain", empty, name }: Props) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className={buttonClass(kind)} {...(name ? { "aria-label": name } : {})}>
        {label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className={popupClass}>
            {items.length === 0 && <p className="px-2 py-1.5 text-muted">{empty}</p>}
            {items.map((item, at) => (
              <Base.Item
                key={at}
                className={itemClass}
                disabled={Boolean(item.disabledReason)}
                onClick={() => item.onPick()}
              >
                <span className="flex-1">
                  {item.label}
                  {(item.disabledReason || item.note) && (
                    <span className="block text-sm text-faint">{item.disabledReason || item.note}</span>
                  )}
                </span>
                {item.keys && <Kbd keys={item.keys} />}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

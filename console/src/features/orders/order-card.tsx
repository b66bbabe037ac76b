import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";

type Props = { title: string; note?: ReactNode; actions?: ReactNode; isFlush?: boolean; children: ReactNode };

/** A card of the order page. `isFlush`: the content reaches the border, such as a table. */
export function OrderCard({ title, note, actions, isFlush = false, children }: Props) {
  return (
    <Card label={title}>
      <div className="flex min-h-10 items-center gap-2.5 px-3.5 pt-1">
        <h2 className="font-semibold">{title}</h2>
        {note && <span className="text-sm text-muted">{note}</span>}
        <span className="flex-1" />
        {actions}
      </div>
      <div className={isFlush ? "" : "px-3.5 pb-3"}>{children}</div>
    </Card>
  );
}

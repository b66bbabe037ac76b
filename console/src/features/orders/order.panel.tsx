import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { OrderActivity } from "./order-activity.tsx";
import { OrderFacts } from "./order-facts.tsx";
import { HoldDialog, OrderHolds } from "./order-holds.tsx";
import { ItemTable } from "./order-items.tsx";
import { freeze } from "./order-selection.ts";
import { OrderTags } from "./order-tags.tsx";
import { OrderStatus } from "./orders.columns.tsx";
import { orderQuery } from "./orders.queries.ts";

/** Order details beside the list, with the actions of every day. */
export function OrderPanel({ reference, onClose }: { reference: string; onClose(): void }) {
  const { data: order, error } = useQuery(orderQuery(reference));
  return (
    <SidePanel
      isOpen
      onClose={onClose}
      title={<span className="font-mono">{reference}</span>}
      actions={
        <Link href={paths.order(reference)} className={buttonClass("quiet")}>
          <Icon name="open" /> Open page
        </Link>
      }
    >
      {error && <ProblemBox error={error} />}
      {!order && !error && <Skeleton rows={10} />}
      {order && <PanelBody key={order.id} order={order} />}
    </SidePanel>
  );
}

const closed = new Set<string>(["shipped", "delivered", "cancelled"]);

function PanelBody({ order }: { order: Order }) {
  const me = useMe();
  const router = useRouter();
  const [isHolding, setHolding] = useState(false);
  const noRun = missingScope(me, "operations:run");
  const noLabel =
    missingScope(me, "shipments:write") ?? (closed.has(order.status) ? "Nothing is left to ship." : undefined);
  const bulkEdit = async (): Promise<void> =>
    router.history.push(paths.newOperation({ selection: await freeze({ kind: "some", ids: new Set([order.id]) }) }));
  const buy = (): void => {
    if (!noLabel) router.history.push(paths.newLabel({ order: order.number }));
  };
  // Tags and notes bring their own keys.
  useHotkeys([
    { keys: "h", name: "Hold this order", run: () => !noRun && setHolding(true) },
    { keys: "b", name: "Buy a label", run: buy },
  ]);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <OrderStatus order={order} />
        <span className="flex-1" />
        <Button kind="quiet" onClick={() => void bulkEdit()} disabledReason={noRun}>
          <Icon name="pencil" /> Bulk edit
        </Button>
        <Button keys="h" onClick={() => setHolding(true)} disabledReason={noRun}>
          <Icon name="pause" /> Hold
        </Button>
        <Button kind="primary" keys="b" onClick={buy} disabledReason={noLabel}>
          Buy label
        </Button>
      </div>
      <OrderHolds order={order} />
      <OrderFacts order={order} />
      <OrderTags order={order} />
      <section>
        <Heading title="Items" />
        <div className="rounded-lg border border-line">
          <ItemTable lines={order.lines} currency={order.currency} />
        </div>
      </section>
      <OrderActivity order={order} />
      {isHolding && <HoldDialog order={order} onClose={() => setHolding(false)} />}
    </div>
  );
}

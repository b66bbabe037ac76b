import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { OrderFacts, OrderLines } from "./order-facts.tsx";
import { OrderTimeline } from "./order-timeline.tsx";
import { OrderStatus } from "./orders.columns.tsx";
import { orderQuery } from "./orders.queries.ts";

/** Order details beside the list. */
export function OrderPanel({ reference, onClose }: { reference: string; onClose(): void }) {
  const { data: order, error } = useQuery(orderQuery(reference));
  return (
    <SidePanel
      isOpen
      onClose={onClose}
      title={<span className="font-mono">{reference}</span>}
      actions={
        <Link href={paths.order(reference)} className={buttonClass("quiet")}>
          <Icon name="open" /> Page
        </Link>
      }
    >
      {error && <ProblemBox error={error} />}
      {!order && !error && <Skeleton rows={10} />}
      {order && (
        <div className="flex flex-col gap-4">
          <OrderStatus order={order} />
          <OrderFacts order={order} />
          <section>
            <Heading title="Lines" />
            <div className="rounded-lg border border-line">
              <OrderLines order={order} />
            </div>
          </section>
          <section>
            <Heading title="What happened" />
            <OrderTimeline reference={order.number} />
          </section>
        </div>
      )}
    </SidePanel>
  );
}

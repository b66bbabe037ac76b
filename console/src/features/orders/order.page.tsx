import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ExceptionsLine } from "../exceptions/exceptions.pick.tsx";
import { freeze } from "./order-selection.ts";
import { OrderFacts, OrderLines } from "./order-facts.tsx";
import { OrderTimeline } from "./order-timeline.tsx";
import { OrderStatus } from "./orders.columns.tsx";
import { orderQuery, orderSearchQuery } from "./orders.queries.ts";
import { text } from "./orders.text.ts";

export function OrderPage() {
  const { ref } = useParams({ strict: false }) as { ref: string };
  const { data: order, error } = useQuery(orderQuery(ref));
  const me = useMe();
  const router = useRouter();
  if (!order) return error ? <Missing reference={ref} error={error} /> : <Skeleton rows={14} />;
  const operate = async (): Promise<void> => {
    const selection = await freeze({ kind: "some", ids: new Set([order.id]) });
    router.history.push(paths.newOperation({ selection }));
  };
  return (
    <>
      <PageHead
        above={{ href: paths.orders(), name: "Orders" }}
        title={<span className="font-mono">{order.number}</span>}
        note={<OrderStatus order={order} />}
      >
        <Link href={paths.newLabel({ order: order.number })} className={buttonClass("plain")}>
          Buy a label
        </Link>
        <Button kind="primary" onClick={() => void operate()} disabledReason={missingScope(me, "operations:run")}>
          Operate
        </Button>
      </PageHead>
      {missingScope(me, "pii:read") && <p className="mb-2 text-muted">{text.personal}</p>}
      <ExceptionsLine about={{ orderId: order.id }} />
      <div className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="flex flex-col gap-3.5">
          <Card className="px-3 py-2" label="Order">
            <OrderFacts order={order} />
          </Card>
          <Card label="Lines">
            <OrderLines order={order} />
          </Card>
        </div>
        <Card className="px-3 py-2.5" label="What happened">
          <Heading title="What happened" note="newest first" />
          <OrderTimeline reference={order.number} />
        </Card>
      </div>
    </>
  );
}

/** Not found. Suggests similar numbers, since numbers are often typed by hand. */
function Missing({ reference, error }: { reference: string; error: Error }) {
  const isGone = error instanceof HubApiError && error.status === 404;
  const { data } = useQuery({ ...orderSearchQuery(reference), enabled: isGone });
  return (
    <>
      <PageHead title={isGone ? "There is no such order" : "This order could not be shown"} />
      <div className="max-w-2xl">
        <ProblemBox error={error} />
        {isGone && data && data.data.length > 0 && (
          <div className="mt-3">
            <Heading title="Near it" />
            <ul>
              {data.data.map((order) => (
                <li key={order.id} className="flex min-h-7 items-center gap-3">
                  <Link href={paths.order(order.number)} className="font-mono text-accent-text underline">
                    {order.number}
                  </Link>
                  <OrderStatus order={order} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </>
  );
}

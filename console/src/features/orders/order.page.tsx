import { HubApiError } from "@order-operations-hub/sdk/problem";
import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Time } from "../../ui/zone.tsx";
import { ExceptionsLine } from "../exceptions/exceptions.pick.tsx";
import { labelsQuery } from "../shipments/labels.queries.ts";
import { PrintButton } from "../documents/print-button.pick.tsx";
import { OrderActivity } from "./order-activity.tsx";
import { OrderCustomFields } from "./order-custom-fields.tsx";
import { OrderCustomer } from "./order-customer.tsx";
import { HoldDialog, OrderHolds } from "./order-holds.tsx";
import { OrderItems } from "./order-items.tsx";
import { OrderNotes } from "./order-notes.tsx";
import { OrderPayment, PaymentStatus } from "./order-payment.tsx";
import { freeze } from "./order-selection.ts";
import { OrderShipments } from "./order-shipments.tsx";
import { OrderShipping } from "./order-shipping.tsx";
import { OrderTags } from "./order-tags.tsx";
import type { Steps } from "./order-walk.ts";
import { useWalk } from "./order-walk.ts";
import { OrderStatus, ShipBy } from "./orders.columns.tsx";
import { orderQuery, orderSearchQuery } from "./orders.queries.ts";
import { text } from "./orders.text.ts";

export function OrderPage() {
  const { ref } = useParams({ strict: false }) as { ref: string };
  const { data: order, error } = useQuery(orderQuery(ref));
  if (!order) return error ? <Missing reference={ref} error={error} /> : <Skeleton rows={14} />;
  return <OrderView order={order} key={order.id} />;
}

const closed = new Set<string>(["shipped", "delivered", "cancelled"]);

function OrderView({ order }: { order: Order }) {
  const me = useMe();
  const router = useRouter();
  const steps = useWalk(order.number);
  const [isHolding, setHolding] = useState(false);
  const labelIds = useLabelIds(order.id);
  const noRun = missingScope(me, "operations:run");
  const noLabel =
    missingScope(me, "shipments:write") ?? (closed.has(order.status) ? "Nothing is left to ship." : undefined);
  const bulkEdit = async (): Promise<void> => {
    const selection = await freeze({ kind: "some", ids: new Set([order.id]) });
    router.history.push(paths.newOperation({ selection }));
  };
  const buy = (): void => {
    if (!noLabel) router.history.push(paths.newLabel({ order: order.number }));
  };
  useHotkeys([
    { keys: "h", name: "Hold this order", run: () => !noRun && setHolding(true) },
    { keys: "b", name: "Buy a label", run: buy },
    { keys: "e", name: "Bulk edit this order", run: () => !noRun && void bulkEdit() },
  ]);
  return (
    <div className="mx-auto w-full max-w-[1360px]">
      <PageHead
        above={{ href: steps?.href ?? paths.orders(), name: "Orders" }}
        title={order.number}
        note={
          <span className="inline-flex flex-wrap items-center gap-1.5">
            <OrderStatus order={order} />
            <PaymentStatus status={order.paymentStatus} />
          </span>
        }
      >
        {steps && <StepButtons steps={steps} />}
        <Menu
          kind="quiet"
          name="More actions"
          label="…"
          items={[
            { label: "Bulk edit", keys: "e", disabledReason: noRun, onPick: () => void bulkEdit() },
            { label: "Copy the number", onPick: () => void navigator.clipboard?.writeText(order.number) },
          ]}
        />
        <PrintButton
          source={{ orderIds: [order.id] }}
          kinds={labelIds.length > 0 ? ["labels", "packing_slips"] : ["packing_slips", "pick_list"]}
          label={labelIds.length > 0 ? "Print label" : "Print packing slip"}
        />
        <Button keys="h" onClick={() => setHolding(true)} disabledReason={noRun}>
          <Icon name="pause" /> Hold
        </Button>
        <Button kind="primary" keys="b" onClick={buy} disabledReason={noLabel}>
          Buy label
        </Button>
      </PageHead>
      <p className="mb-3 text-muted">
        {order.channel && `${order.channel} · `}
        Ordered <Time at={order.orderedAt} />
        {order.shipBy && !closed.has(order.status) && (
          <>
            {" "}
            · Ship by <ShipBy order={order} />
          </>
        )}
      </p>
      {missingScope(me, "pii:read") && <p className="mb-2 text-muted">{text.personal}</p>}
      <OrderHolds order={order} />
      <ExceptionsLine about={{ orderId: order.id }} />
      <div className="grid items-start gap-3.5 lg:grid-cols-[minmax(0,1fr)_minmax(280px,340px)]">
        <div className="flex min-w-0 flex-col gap-3.5">
          <OrderItems order={order} />
          <OrderShipments order={order} />
          <OrderPayment order={order} />
          <OrderActivity order={order} />
        </div>
        <div className="flex min-w-0 flex-col gap-3.5">
          <OrderCustomer order={order} />
          <OrderShipping order={order} />
          <OrderTags order={order} />
          <OrderNotes order={order} />
          <OrderCustomFields order={order} />
        </div>
      </div>
      {isHolding && <HoldDialog order={order} onClose={() => setHolding(false)} />}
    </div>
  );
}

/** The labels of an order that can be printed. */
function useLabelIds(orderId: string): string[] {
  const { data } = useQuery(labelsQuery({ orderId }));
  return (data?.data ?? []).filter(({ status }) => status === "purchased").map(({ id }) => id);
}

function StepButtons({ steps: { at, total, before, after } }: { steps: Steps }) {
  const step = (to: string | undefined, name: string, icon: "chevron-up" | "chevron-down") =>
    to ? (
      <Link href={paths.order(to)} aria-label={name} className={buttonClass("quiet", "px-1")}>
        <Icon name={icon} />
      </Link>
    ) : (
      <span className="grid size-7 place-items-center text-faint">
        <Icon name={icon} />
      </span>
    );
  return (
    <span className="inline-flex items-center gap-0.5 text-sm text-muted">
      {`${at} of ${total}`}
      {step(before, "Previous order", "chevron-up")}
      {step(after, "Next order", "chevron-down")}
    </span>
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
            <Heading title="Similar numbers" />
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

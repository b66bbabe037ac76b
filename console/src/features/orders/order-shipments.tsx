import type { Label, Order } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { carrierAndService } from "../../ui/carrier-name.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { CopyText } from "../../ui/copy-text.tsx";
import { formatMoney, plural, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { formatTime, useClock } from "../../ui/zone.tsx";
import { labelsQuery } from "../shipments/labels.queries.ts";
import { LabelMenu, shipmentNames, shipmentTones } from "../shipments/order-shipment.pick.tsx";
import { promiseState, promiseText } from "../shipments/promise.pick.ts";
import { shipmentQuery, shipmentsQuery } from "../shipments/shipments.queries.ts";
import { useEditRefusal } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";

type Shipment = Answer<"GET /api/v1/shipments">["data"][number];
type Line = Order["lines"][number];

/** What is left to ship, and each shipment with its tracking. */
export function OrderShipments({ order }: { order: Order }) {
  const shipments = useQuery(shipmentsQuery({ orderId: order.id }));
  const labels = useQuery(labelsQuery({ orderId: order.id }));
  const all = shipments.data?.data ?? [];
  const [voided, sent] = [
    all.filter(({ voidedAt }) => voidedAt !== null),
    all.filter(({ voidedAt }) => voidedAt === null),
  ];
  const labelOf = ({ id }: Shipment): Label | undefined =>
    labels.data?.data.find(({ shipmentId }) => shipmentId === id);
  const failed = (labels.data?.data ?? []).filter(({ status }) => status === "failed" || status === "requested");
  const left = leftOf(order);
  const error = shipments.error ?? labels.error;
  return (
    <OrderCard title="Shipments" note={sent.length > 0 && plural(sent.length, "shipment")} isFlush>
      {error && <ProblemBox error={error} />}
      {left.length > 0 && <LeftToShip order={order} left={left} />}
      {failed.map((label) => (
        <div key={label.id} className="border-t border-line px-3.5 py-2">
          <Badge tone={label.status === "failed" ? "bad" : "info"}>
            {label.status === "failed" ? "Label failed" : "Buying the label"}
          </Badge>
          <span className="ms-2">{carrierAndService(label.carrier, label.service)}</span>
          {label.failure && <p className="mt-1 break-words text-muted">{label.failure.message}</p>}
        </div>
      ))}
      {sent.map((shipment) => (
        <ShipmentRow key={shipment.id} order={order} shipment={shipment} label={labelOf(shipment)} />
      ))}
      {voided.length > 0 && <Voided shipments={voided} />}
      {left.length + all.length + failed.length === 0 && (
        <p className="px-3.5 pb-3 text-muted">
          {order.lines.length === 0 ? "Nothing to ship: the order has no items." : "No shipment is recorded."}
        </p>
      )}
    </OrderCard>
  );
}

const closed = new Set<string>(["shipped", "delivered", "cancelled"]);

function leftOf({ lines, status }: Order): Array<{ line: Line; count: number }> {
  if (closed.has(status)) return [];
  return lines.flatMap((line) => {
    const count = line.requiresShipping === false ? 0 : line.quantity - line.shippedQuantity;
    return count > 0 ? [{ line, count }] : [];
  });
}

function LeftToShip({ order, left }: { order: Order; left: ReturnType<typeof leftOf> }) {
  const refused = useEditRefusal();
  const units = left.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line bg-skip-soft px-3.5 py-2.5">
      <Icon name="box" size={18} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{plural(units, "item")} left to ship</p>
        <p className="line-clamp-2 text-sm text-muted">
          {left.map(({ line, count }) => `${count > 1 ? `${count} × ` : ""}${line.name ?? line.sku}`).join(", ")}
        </p>
      </div>
      {!refused && (
        <Link href={paths.newLabel({ order: order.number })} className={buttonClass("plain")}>
          Compare rates
        </Link>
      )}
    </div>
  );
}

type RowProps = { order: Order; shipment: Shipment; label: Label | undefined };

function ShipmentRow({ order, shipment, label }: RowProps) {
  const clock = useClock();
  const me = useMe();
  const { carrier, service, trackingNumber, status, estimatedAt, deliveredAt } = shipment;
  const contents = order.shipments.find(({ id }) => id === shipment.id)?.lines ?? [];
  const nameOf = (lineId: string): string => {
    const line = order.lines.find(({ id }) => id === lineId);
    return line?.name ?? line?.sku ?? "removed item";
  };
  const size = label?.dimensions;
  const promised = promiseText(shipment);
  const promise = promiseState(shipment);
  const facts = [
    promised && `Promised ${promised}`,
    label?.cost !== null && label?.cost !== undefined && `Label ${formatMoney(label.cost, label.currency)}`,
    label?.status === "purchased" &&
      (label.printedAt === null ? "Not printed" : `Printed ${formatTime(label.printedAt, clock)}`),
    shipment.weight && `${shipment.weight.value} ${shipment.weight.unit}`,
    size && `${size.length} × ${size.width} × ${size.height} ${size.unit}`,
    contents.map(({ lineId, quantity }) => `${quantity} × ${nameOf(lineId)}`).join(", "),
  ].filter(Boolean);
  return (
    <div className="border-t border-line px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <Icon name="truck" size={16} />
        <span className="font-medium">{carrierAndService(carrier, service) || "Shipment"}</span>
        <Badge tone={shipmentTones[status] ?? "skip"}>{sentence(shipmentNames[status] ?? status)}</Badge>
        {promise && promise.tone !== "info" && <Badge tone={promise.tone}>{promise.text}</Badge>}
        <span className="text-sm text-muted">
          {deliveredAt
            ? `delivered ${formatTime(deliveredAt, clock)}`
            : estimatedAt
              ? `arrives ${formatTime(estimatedAt, clock)}`
              : ""}
        </span>
        <span className="flex-1" />
        <LabelMenu shipmentId={shipment.id} label={label} me={me} />
      </div>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm">
        {trackingNumber && (
          <Link href={paths.shipment(shipment.id)} className="font-mono text-accent-text hover:underline">
            {trackingNumber}
          </Link>
        )}
        {trackingNumber && (
          <CopyText text={trackingNumber} label="Copy the tracking number">
            {""}
          </CopyText>
        )}
        {facts.map((fact) => (
          <span key={String(fact)} className="text-muted">
            {fact}
          </span>
        ))}
      </p>
      <Tracker shipment={shipment} />
      <LastEvents id={shipment.id} />
    </div>
  );
}

const stages = ["Label bought", "Picked up", "In transit", "Out for delivery", "Delivered"] as const;

/** How far the parcel is: the index of its stage. */
function stageOf({ status, acceptedAt }: Shipment): number {
  if (status === "delivered") return 4;
  if (status === "out_for_delivery" || status === "attempt_failed" || status === "ready_for_pickup") return 3;
  if (status === "in_transit" || status === "exception" || status === "returned") return 2;
  return acceptedAt === null ? 0 : 1;
}

function Tracker({ shipment }: { shipment: Shipment }) {
  const at = stageOf(shipment);
  return (
    <ol aria-label="Tracking" className="mt-2 grid grid-cols-5 gap-1">
      {stages.map((stage, index) => (
        <li
          key={stage}
          aria-current={index === at ? "step" : undefined}
          className={cx(
            "border-t-2 pt-1 text-sm",
            index < at
              ? "border-accent/50 text-muted"
              : index === at
                ? "border-accent font-medium"
                : "border-line text-faint",
          )}
        >
          {stage}
        </li>
      ))}
    </ol>
  );
}

function LastEvents({ id }: { id: string }) {
  const clock = useClock();
  const { data } = useQuery(shipmentQuery(id));
  const events = (data?.events ?? []).filter(({ retractedAt }) => !retractedAt).toReversed();
  if (events.length === 0) return null;
  return (
    <ul className="mt-2 text-sm">
      {events.slice(0, 2).map((event) => (
        <li key={event.key} className="grid grid-cols-[96px_1fr_auto] gap-x-3">
          <time dateTime={event.at} className="text-muted">
            {formatTime(event.at, clock)}
          </time>
          <span>{event.description ?? sentence(shipmentNames[event.status] ?? event.status)}</span>
          <span className="text-muted">{event.location}</span>
        </li>
      ))}
      {events.length > 2 && (
        <li>
          <Link href={paths.shipment(id)} className="text-accent-text hover:underline">
            {`Show ${plural(events.length - 2, "earlier event")}`}
          </Link>
        </li>
      )}
    </ul>
  );
}

function Voided({ shipments }: { shipments: readonly Shipment[] }) {
  const clock = useClock();
  return (
    <ul className="border-t border-line">
      {shipments.map(({ id, carrier, service, voidedAt, trackingNumber }) => (
        <li key={id} className="flex flex-wrap items-center gap-2 px-3.5 py-1.5 text-sm text-muted">
          <Icon name="x" size={12} />
          {carrierAndService(carrier, service)}
          <Link href={paths.shipment(id)} className="font-mono hover:underline">
            {trackingNumber}
          </Link>
          <span>{voidedAt && `voided ${formatTime(voidedAt, clock)}`}</span>
        </li>
      ))}
    </ul>
  );
}

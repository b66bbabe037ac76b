import type { Order } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Badge, Tag } from "../../ui/badge.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { Link } from "../../ui/link.tsx";
import { formatSpan, Time, useClock } from "../../ui/zone.tsx";
import { holdNames, statusTones } from "./orders.text.ts";

export function OrderStatus({ order }: { order: Pick<Order, "status" | "holds"> }) {
  return (
    <span className="inline-flex gap-1">
      <Badge tone={statusTones[order.status] ?? "skip"}>{words(order.status)}</Badge>
      {order.holds.slice(0, 2).map((hold) => (
        <Badge key={hold.id} tone="warn">
          {holdNames[hold.reason] ?? `hold: ${words(hold.reason)}`}
        </Badge>
      ))}
    </span>
  );
}

const closed = new Set(["shipped", "delivered", "cancelled"]);

/** Marks a late date in words and color. */
export function ShipBy({ order }: { order: Pick<Order, "shipBy" | "status"> }) {
  const clock = useClock();
  const late = order.shipBy ? clock.now() - Date.parse(order.shipBy) : 0;
  if (order.shipBy && late > 0 && !closed.has(order.status)) {
    return (
      <time dateTime={order.shipBy} className="font-medium text-bad">
        {formatSpan(late)} late
      </time>
    );
  }
  return <Time at={order.shipBy} />;
}

export function placeOf(address: Order["shippingAddress"]): string {
  const { city, provinceCode, province, countryCode, zip } = address ?? {};
  const region = provinceCode ?? province;
  const isHome = countryCode === undefined || countryCode === "US";
  return [city ?? zip, region, isHome ? undefined : countryCode].filter(Boolean).join(", ");
}

const muted = (value: string | null | undefined) => <span className="text-muted">{value || "–"}</span>;

export const orderColumns: readonly GridColumn<Order>[] = [
  {
    id: "number",
    title: "Number",
    width: 118,
    cell: (order) => (
      <Link href={paths.order(order.number)} tabIndex={-1} className="font-mono text-sm tracking-tight hover:underline">
        {order.number}
      </Link>
    ),
  },
  { id: "status", title: "Status", width: 218, cell: (order) => <OrderStatus order={order} /> },
  {
    id: "customer",
    title: "Customer",
    width: 140,
    cell: (order) => order.customer.name ?? muted(order.customer.email),
  },
  { id: "to", title: "To", width: 130, cell: (order) => muted(placeOf(order.shippingAddress)) },
  { id: "service", title: "Service", width: 96, cell: (order) => order.shipping.service ?? muted(null) },
  { id: "shipBy", title: "Ship by", width: 116, sort: "shipBy", cell: (order) => <ShipBy order={order} /> },
  {
    id: "tags",
    title: "Tags",
    width: 130,
    cell: (order) => (
      <span className="inline-flex gap-1">
        {order.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    ),
  },
  { id: "total", title: "Total", width: 92, isNumber: true, cell: (order) => formatMoney(order.total, order.currency) },
  { id: "priority", title: "Priority", width: 84, cell: (order) => sentence(order.priority) },
  { id: "payment", title: "Payment", width: 110, cell: (order) => sentence(order.paymentStatus) },
  { id: "channel", title: "Channel", width: 100, cell: (order) => muted(order.channel) },
  { id: "carrier", title: "Carrier", width: 100, cell: (order) => muted(order.shipping.carrier) },
  { id: "lines", title: "Lines", width: 64, isNumber: true, cell: (order) => order.lines.length },
  { id: "orderedAt", title: "Ordered", width: 116, sort: "orderedAt", cell: (order) => <Time at={order.orderedAt} /> },
  { id: "createdAt", title: "Came in", width: 116, sort: "createdAt", cell: (order) => <Time at={order.createdAt} /> },
  { id: "updatedAt", title: "Changed", width: 116, sort: "updatedAt", cell: (order) => <Time at={order.updatedAt} /> },
  { id: "externalId", title: "External id", width: 120, cell: (order) => muted(order.externalId) },
  { id: "address", title: "Address", width: 96, cell: (order) => muted(order.addressStatus) },
];

export const defaultColumns = ["number", "status", "customer", "to", "service", "shipBy", "tags", "total"];

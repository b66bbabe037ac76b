import type { Order } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { serviceName } from "../../ui/carrier-name.ts";
import { Badge, Tag } from "../../ui/badge.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { Link } from "../../ui/link.tsx";
import { formatFull, formatSpan, formatTime, useClock } from "../../ui/zone.tsx";
import { placeOf } from "./order-place.ts";
import { addressStatusName, holdNames, statusNames, statusTones } from "./orders.text.ts";

const holdName = (reason: string): string => holdNames[reason] ?? `Hold: ${words(reason)}`;

export function OrderStatus({ order }: { order: Pick<Order, "status" | "holds"> }) {
  return (
    <span className="inline-flex gap-1">
      <Badge tone={statusTones[order.status] ?? "skip"}>{statusNames[order.status] ?? sentence(order.status)}</Badge>
      {order.holds.slice(0, 2).map((hold) => (
        <Badge key={hold.id} tone="warn">
          {holdName(hold.reason)}
        </Badge>
      ))}
    </span>
  );
}

/** In a row there is room for one hold. */
function StatusCell({ order }: { order: Order }) {
  const { holds } = order;
  const names = holds.map(({ reason }) => holdName(reason));
  return (
    <span className="inline-flex items-center gap-1" title={names.join(", ") || undefined}>
      <OrderStatus order={{ status: order.status, holds: holds.slice(0, 1) }} />
      {holds.length > 1 && <Tag>{`+${holds.length - 1}`}</Tag>}
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
  return <CellTime at={order.shipBy} />;
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "Today 17:00": a time that is not in a sentence. */
function CellTime({ at }: { at: string | null }) {
  const clock = useClock();
  if (!at) return muted(null);
  return (
    <time dateTime={at} title={formatFull(at, clock)}>
      {capitalize(formatTime(at, clock))}
    </time>
  );
}

/** Estimated width of a tag: characters of 12 px text, with padding, border and gap. */
const tagWidth = (tag: string): number => tag.length * 6.6 + 14;
const restWidth = 30;

/** The tags that fit into the width, and how many do not. */
function fittingTags(tags: readonly string[], width: number): number {
  let used = 0;
  for (const [at, tag] of tags.entries()) {
    used += tagWidth(tag);
    const isLast = at === tags.length - 1;
    if (used + (isLast ? 0 : restWidth) > width) return Math.max(1, at);
  }
  return tags.length;
}

function FittedTags({ tags, width }: { tags: readonly string[]; width: number }) {
  const fitting = fittingTags(tags, width - 20);
  const rest = tags.length - fitting;
  return (
    <span className="flex min-w-0 gap-1" title={tags.join(", ")}>
      {tags.slice(0, fitting).map((tag) => (
        <span key={tag} className="min-w-0 truncate rounded-sm border border-line-strong px-1 text-sm text-muted">
          {tag}
        </span>
      ))}
      {rest > 0 && <Tag>{`+${rest}`}</Tag>}
    </span>
  );
}

const muted = (value: string | null | undefined) => <span className="text-muted">{value || "–"}</span>;

export const orderColumns: readonly GridColumn<Order>[] = [
  {
    id: "number",
    title: "Number",
    width: 118,
    sort: "number",
    cell: (order) => (
      <Link href={paths.order(order.number)} tabIndex={-1} className="font-mono text-sm tracking-tight hover:underline">
        {order.number}
      </Link>
    ),
  },
  { id: "status", title: "Status", width: 194, sort: "status", cell: (order) => <StatusCell order={order} /> },
  {
    id: "customer",
    title: "Customer",
    width: 140,
    sort: "customer",
    cell: (order) => order.customer.name ?? muted(order.customer.email),
  },
  { id: "to", title: "To", width: 130, sort: "city", cell: (order) => muted(placeOf(order.shippingAddress)) },
  {
    id: "service",
    title: "Service",
    width: 96,
    sort: "service",
    cell: (order) => (order.shipping.service ? serviceName(order.shipping.service) : muted(null)),
  },
  { id: "shipBy", title: "Ship by", width: 128, sort: "shipBy", cell: (order) => <ShipBy order={order} /> },
  {
    id: "tags",
    title: "Tags",
    width: 130,
    sort: "tags",
    cell: (order, width) => <FittedTags tags={order.tags} width={width} />,
  },
  {
    id: "total",
    title: "Total",
    width: 92,
    isNumber: true,
    sort: "total",
    isDownFirst: true,
    cell: (order) => formatMoney(order.total, order.currency),
  },
  {
    id: "priority",
    title: "Priority",
    width: 84,
    sort: "priority",
    isDownFirst: true,
    cell: (order) => sentence(order.priority),
  },
  {
    id: "payment",
    title: "Payment",
    width: 110,
    sort: "paymentStatus",
    cell: (order) => sentence(order.paymentStatus),
  },
  { id: "channel", title: "Channel", width: 100, sort: "channel", cell: (order) => muted(order.channel) },
  { id: "carrier", title: "Carrier", width: 100, sort: "carrier", cell: (order) => muted(order.shipping.carrier) },
  {
    id: "lines",
    title: "Lines",
    width: 72,
    isNumber: true,
    sort: "lines",
    isDownFirst: true,
    cell: (order) => order.lines.length,
  },
  ...(["ordered", "created", "updated"] as const).map((name): GridColumn<Order> => ({
    id: `${name}At`,
    title: { ordered: "Ordered", created: "Imported", updated: "Changed" }[name],
    width: 128,
    sort: `${name}At`,
    isDownFirst: true,
    cell: (order) => <CellTime at={order[`${name}At`]} />,
  })),
  { id: "externalId", title: "External ID", width: 120, sort: "externalId", cell: (order) => muted(order.externalId) },
  {
    id: "address",
    title: "Address",
    width: 96,
    sort: "addressStatus",
    cell: (order) => muted(addressStatusName(order.addressStatus)),
  },
];

export const defaultColumns = ["number", "status", "customer", "to", "service", "shipBy", "tags", "total"];

import { fromCents, toCents } from "../../core/money.ts";
import type { Order, OrderFields } from "./order.ts";
import { isOnHold, nextRelease } from "./order.ts";
import type { Priority } from "./orders.states.ts";
import { priorities } from "./orders.states.ts";

type Column = { name: string; type: string; read(order: Order): unknown; from: (keyof OrderFields)[] };

function plain(field: keyof OrderFields, name: string, type: string): Column {
  return { name, type, read: (order) => order[field], from: [field] };
}

/** How an order lies in its table: each column, and the fields it is made from. */
const columns: Column[] = [
  plain("number", "number", "text"),
  plain("status", "status", "text"),
  plain("paymentStatus", "payment_status", "text"),
  { name: "priority", type: "smallint", read: (order) => priorities.indexOf(order.priority), from: ["priority"] },
  { name: "on_hold", type: "boolean", read: isOnHold, from: ["holds"] },
  plain("holds", "holds", "jsonb"),
  { name: "hold_until", type: "timestamptz", read: nextRelease, from: ["holds"] },
  plain("tags", "tags", "text[]"),
  plain("channel", "channel", "text"),
  plain("bridgeId", "bridge_id", "uuid"),
  plain("externalId", "external_id", "text"),
  plain("customer", "customer", "jsonb"),
  plain("shippingAddress", "shipping_address", "jsonb"),
  plain("billingAddress", "billing_address", "jsonb"),
  plain("addressStatus", "address_status", "text"),
  plain("lines", "lines", "jsonb"),
  plain("currency", "currency", "text"),
  {
    name: "total_cents",
    type: "bigint",
    read: (order) => (order.total === null ? null : toCents(order.total)),
    from: ["total"],
  },
  plain("shipping", "shipping", "jsonb"),
  plain("packages", "packages", "jsonb"),
  plain("shipments", "shipments", "jsonb"),
  plain("notes", "notes", "jsonb"),
  plain("customFields", "custom_fields", "jsonb"),
  plain("locationId", "location_id", "uuid"),
  plain("assigneeId", "assignee_id", "uuid"),
  plain("parentOrderId", "parent_order_id", "uuid"),
  plain("mergedIntoId", "merged_into_id", "uuid"),
  plain("childCount", "child_count", "smallint"),
  plain("orderedAt", "ordered_at", "timestamptz"),
  plain("shipBy", "ship_by", "timestamptz"),
  plain("deliverBy", "deliver_by", "timestamptz"),
  plain("dispatchOn", "dispatch_on", "timestamptz"),
  plain("archivedAt", "archived_at", "timestamptz"),
];

/** The columns that hold any of these fields. */
export function columnsOf(fields: Iterable<keyof OrderFields>): Column[] {
  const touched = new Set(fields);
  return columns.filter((column) => column.from.some((field) => touched.has(field)));
}

export const allColumns: readonly Column[] = columns;

export function toRecord(order: Order, wanted: readonly Column[]): Record<string, unknown> {
  const record: Record<string, unknown> = { id: order.id };
  for (const column of wanted) record[column.name] = column.read(order);
  return record;
}

export const orderColumns = [
  "id",
  ...columns.map((column) => column.name).filter((name) => !["on_hold", "hold_until"].includes(name)),
  "created_at",
  "updated_at",
  "version",
]
  .map((name) => `o.${name}`)
  .join(", ");

/** A row as the driver gives it. */
export type OrderRow = {
  id: string;
  number: string;
  status: Order["status"];
  payment_status: Order["paymentStatus"];
  priority: number;
  holds: Order["holds"];
  tags: string[];
  channel: string | null;
  bridge_id: string | null;
  external_id: string | null;
  customer: Order["customer"];
  shipping_address: Order["shippingAddress"];
  billing_address: Order["billingAddress"];
  address_status: Order["addressStatus"];
  lines: Order["lines"];
  currency: string;
  total_cents: number | null;
  shipping: Order["shipping"];
  packages: Order["packages"];
  shipments: Order["shipments"];
  notes: Order["notes"];
  custom_fields: Order["customFields"];
  location_id: string | null;
  assignee_id: string | null;
  parent_order_id: string | null;
  merged_into_id: string | null;
  child_count: number;
  ordered_at: Date;
  ship_by: Date | null;
  deliver_by: Date | null;
  dispatch_on: Date | null;
  archived_at: Date | null;
  created_at: Date;
  updated_at: Date;
  version: number;
};

export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    paymentStatus: row.payment_status,
    priority: priorities[row.priority] as Priority,
    holds: row.holds,
    tags: row.tags,
    channel: row.channel,
    bridgeId: row.bridge_id,
    externalId: row.external_id,
    customer: row.customer,
    shippingAddress: row.shipping_address,
    billingAddress: row.billing_address,
    addressStatus: row.address_status,
    lines: row.lines,
    currency: row.currency,
    total: row.total_cents === null ? null : fromCents(row.total_cents),
    shipping: row.shipping,
    packages: row.packages,
    shipments: row.shipments,
    notes: row.notes,
    customFields: row.custom_fields,
    locationId: row.location_id,
    assigneeId: row.assignee_id,
    parentOrderId: row.parent_order_id,
    mergedIntoId: row.merged_into_id,
    childCount: row.child_count,
    orderedAt: row.ordered_at.toISOString(),
    shipBy: row.ship_by?.toISOString() ?? null,
    deliverBy: row.deliver_by?.toISOString() ?? null,
    dispatchOn: row.dispatch_on?.toISOString() ?? null,
    archivedAt: row.archived_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}

import { orderStatuses, paymentStatuses } from "../orders.states.ts";

/** Sorts that an index supports, so that a page of any list is read without sorting it. */
const dates = { createdAt: "created_at", orderedAt: "ordered_at", updatedAt: "updated_at", shipBy: "ship_by" } as const;

const positionIn = (values: readonly string[], column: string): string =>
  `array_position(array['${values.join("', '")}'], ${column})`;

/** Sorts without an index: each more index would slow down every change of every order. The orders are read, then sorted. */
const expressions = {
  number: "o.number",
  status: positionIn(orderStatuses, "o.status"),
  customer: "lower(coalesce(o.customer ->> 'name', o.customer ->> 'email'))",
  city: "lower(coalesce(o.shipping_address ->> 'city', o.shipping_address ->> 'zip'))",
  service: "lower(o.shipping ->> 'service')",
  carrier: "lower(o.shipping ->> 'carrier')",
  tags: "nullif(lower(array_to_string(o.tags, ' ')), '')",
  total: "o.total_cents",
  priority: "o.priority",
  paymentStatus: positionIn(paymentStatuses, "o.payment_status"),
  channel: "lower(o.channel)",
  lines: "jsonb_array_length(o.lines)",
  externalId: "o.external_id",
  addressStatus: "o.address_status",
} as const;

type SortField = keyof typeof dates | keyof typeof expressions;
/** A minus reverses the order. */
export type SortName = SortField | `-${SortField}`;

const fields = [...Object.keys(dates), ...Object.keys(expressions)] as SortField[];
export const sortNames: readonly SortName[] = fields.flatMap((field): SortName[] => [field, `-${field}`]);

const fieldOf = (sort: SortName): SortField => sort.replace("-", "") as SortField;

export const isIndexed = (sort: SortName): boolean => fieldOf(sort) in dates;

/** `at`: where a column of the list is read. */
export function sortKey(sort: SortName, at: (column: string) => string): string {
  const field = fieldOf(sort);
  return field in dates ? at(dates[field as keyof typeof dates]) : expressions[field as keyof typeof expressions];
}

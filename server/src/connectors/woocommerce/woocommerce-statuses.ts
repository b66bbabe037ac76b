import { Type } from "../../core/type.ts";
import { OneOf } from "../../core/schema.ts";
import type { Settings } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, objectOf } from "../shape.ts";

const statuses = new Map<string, { status: string; payment: string }>([
  ["pending", { status: "awaiting_payment", payment: "pending" }],
  ["on-hold", { status: "awaiting_payment", payment: "pending" }],
  ["processing", { status: "new", payment: "paid" }],
  ["completed", { status: "shipped", payment: "paid" }],
  ["cancelled", { status: "cancelled", payment: "voided" }],
  ["refunded", { status: "cancelled", payment: "refunded" }],
  ["failed", { status: "cancelled", payment: "voided" }],
  ["checkout-draft", { status: "draft", payment: "pending" }],
  ["trash", { status: "cancelled", payment: "voided" }],
]);

/** Not `sent` and `partially_shipped`: WooCommerce does not report which items are meant. */
const mappable = [
  "draft",
  "new",
  "review_required",
  "awaiting_payment",
  "ready",
  "shipped",
  "delivered",
  "cancelled",
] as const;

export const statusMapping = Type.Optional(
  Type.Record(Type.String({ pattern: "^[a-z0-9_-]{1,40}$" }), OneOf(mappable), {
    title: "Statuses of extensions",
    "x-advanced": true,
    maxProperties: 50,
    description:
      "What statuses of the shop mean in the hub; it may also override the statuses of WooCommerce itself. " +
      "A status without an entry becomes review_required",
    examples: [{ "awaiting-shipment": "ready", backordered: "review_required" }],
  }),
);

/** WordPress stores statuses with the prefix `wc-`, and some extensions return them so. */
function statusWord(order: Json): string {
  return asText(order.status).replace(/^wc-/, "");
}

function mappedStatus(order: Json, { statuses: given }: Settings): string | undefined {
  const mapping = objectOf(given);
  const word = statusWord(order);
  const mapped = mapping[word] ?? mapping[`wc-${word}`];
  return word !== "trash" && typeof mapped === "string" ? mapped : undefined;
}

/** A status that an extension has added and no setting explains. */
export function isUnknownStatus(order: Json, settings: Settings): boolean {
  return mappedStatus(order, settings) === undefined && !statuses.has(statusWord(order));
}

/** Undefined if the shop does not report it. Orders with cash on delivery have no date of payment. */
export function isPaid({ date_paid: local, date_paid_gmt: gmt }: Json): boolean | undefined {
  if (local === undefined && gmt === undefined) return undefined;
  return Boolean(gmt ?? local);
}

export function statusesOf(order: Json, settings: Settings): { status: string; payment: string } {
  const own = statuses.get(statusWord(order));
  const status = mappedStatus(order, settings) ?? own?.status ?? "review_required";
  const isGone = status === "shipped" || status === "delivered";
  if (own?.payment === "paid" && isPaid(order) === false && !isGone) return { status, payment: "pending" };
  const guessed = isPaid(order) ? "paid" : status === "cancelled" ? "voided" : "pending";
  return { status, payment: own?.payment ?? guessed };
}

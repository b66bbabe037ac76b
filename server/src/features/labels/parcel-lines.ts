import type { FieldError } from "../../core/errors.ts";
import { HubError } from "../../core/errors.ts";
import { orderLimits } from "../../core/order-limits.ts";
import type { Order } from "../orders/order.ts";
import { isShippable, remainingOf } from "../orders/order.ts";
import type { LabelSpec } from "./label.ts";
import type { LabelRequest } from "./labels.schemas.ts";

type Lines = LabelSpec["lines"];

/**
 * The contents of the parcel: the named lines, or everything left to ship. Each item gets one label; another one, such as for
 * a replacement, requires `allowDuplicate`. `others`: labels of the order that are not in its shipped quantities yet.
 */
export function linesOf(
  order: Order,
  others: readonly Pick<LabelSpec, "lines">[],
  { lines, allowDuplicate = false }: Pick<LabelRequest, "lines" | "allowDuplicate">,
): { lines: Lines; errors: FieldError[] } {
  if (order.shipments.length + others.length >= orderLimits.shipments) {
    throw notFor("too_many_shipments", `An order has at most ${orderLimits.shipments} shipments.`);
  }
  const left = leftOf(order, others);
  if (lines) return { lines, errors: lineErrors(order, lines, allowDuplicate ? undefined : left) };
  const shippable = order.lines.filter(isShippable);
  const isAnyLeft = order.lines.length === 0 ? order.shipments.length + others.length === 0 : left.size > 0;
  const all = shippable.map(({ id, quantity }) => [id, quantity] as const);
  if (isAnyLeft || allowDuplicate) {
    const content = isAnyLeft ? [...left] : all;
    return { lines: content.map(([lineId, quantity]) => ({ lineId, quantity })), errors: [] };
  }
  const message = "All items of the order are shipped or have a label. Set `allowDuplicate` to buy another one.";
  throw notFor("nothing_to_ship", message, "label_exists");
}

/**
 * The contents of a parcel that comes back: the named lines, or everything that has shipped and has no return label yet. `returns`:
 * the return labels of the order.
 */
export function returnLinesOf(
  order: Order,
  returns: readonly Pick<LabelSpec, "lines">[],
  { lines }: Pick<LabelRequest, "lines">,
): { lines: Lines; errors: FieldError[] } {
  const left = new Map(order.lines.map(({ id, shippedQuantity }) => [id, shippedQuantity]));
  for (const { lineId, quantity } of returns.flatMap((label) => label.lines))
    left.set(lineId, (left.get(lineId) ?? 0) - quantity);
  if (lines) return { lines, errors: returnErrors(order, lines, left) };
  const content = [...left].filter(([, quantity]) => quantity > 0);
  if (content.length > 0) return { lines: content.map(([lineId, quantity]) => ({ lineId, quantity })), errors: [] };
  throw notFor("nothing_to_return", "Nothing of the order has shipped that has no return label yet.");
}

function returnErrors(order: Order, lines: Lines, left: ReadonlyMap<string, number>): FieldError[] {
  const seen = new Set<string>();
  return lines.flatMap(({ lineId, quantity }, index): FieldError[] => {
    const fail = (member: string, code: string, message: string): FieldError[] => [
      { pointer: `/lines/${index}/${member}`, code, message },
    ];
    const line = order.lines.find(({ id }) => id === lineId);
    if (!line) return fail("lineId", "line_not_found", `The order has no line ${lineId}.`);
    if (seen.has(lineId)) return fail("lineId", "repeated", "This line is listed more than once.");
    seen.add(lineId);
    const most = Math.max(0, left.get(lineId) ?? 0);
    if (quantity <= most) return [];
    const message = `Only ${most} of ${line.sku} have shipped without a return label.`;
    return fail("quantity", "quantity_exceeds_shipped", message);
  });
}

function notFor(code: string, message: string, error: "invalid_state" | "label_exists" = "invalid_state"): HubError {
  return new HubError(error, message, { errors: [{ pointer: "/orderId", code, message }] });
}

/** The quantity of each line that is neither shipped nor labeled. */
function leftOf(order: Order, others: readonly Pick<LabelSpec, "lines">[]): Map<string, number> {
  // A label without lines covers all of them.
  if (others.some(({ lines }) => lines.length === 0)) return new Map();
  const left = new Map(order.lines.map((line) => [line.id, remainingOf(line)]));
  for (const { lineId, quantity } of others.flatMap(({ lines }) => lines)) {
    left.set(lineId, (left.get(lineId) ?? 0) - quantity);
  }
  return new Map([...left].filter(([, quantity]) => quantity > 0));
}

/** `left` undefined: shipped and labeled items are allowed as well. */
function lineErrors(order: Order, lines: Lines, left: ReadonlyMap<string, number> | undefined): FieldError[] {
  const seen = new Set<string>();
  return lines.flatMap(({ lineId, quantity }, index): FieldError[] => {
    const fail = (member: string, code: string, message: string): FieldError[] => [
      { pointer: `/lines/${index}/${member}`, code, message },
    ];
    const line = order.lines.find(({ id }) => id === lineId);
    if (!line) return fail("lineId", "line_not_found", `The order has no line ${lineId}.`);
    if (seen.has(lineId)) return fail("lineId", "repeated", "This line is listed more than once.");
    seen.add(lineId);
    if (!isShippable(line)) return fail("lineId", "not_shippable", `${line.sku} does not require shipping.`);
    const most = left ? (left.get(lineId) ?? 0) : line.quantity;
    if (quantity <= most) return [];
    if (!left) return fail("quantity", "quantity_exceeds_ordered", `Only ${most} of ${line.sku} were ordered.`);
    const message = `Only ${most} of ${line.sku} are left; the others are shipped or have a label.`;
    return fail("quantity", "quantity_exceeds_remaining", message);
  });
}

import type { Static } from "typebox";
import { Type } from "../../../core/type.ts";
import type { FieldError } from "../../../core/errors.ts";
import { roundToCents } from "../../../core/money.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { Strict } from "../../../core/schema.ts";
import type { Order, OrderLine } from "../../orders/order.ts";
import type { Outcome, Refusal } from "../action.ts";
import { refuse } from "../action.ts";

export const LineItems = Type.Array(
  Strict({
    id: Type.String({ minLength: 1, maxLength: 64, description: "The id of a line of the order" }),
    quantity: Type.Integer({ minimum: 1, maximum: orderLimits.quantity }),
  }),
  { minItems: 1, maxItems: orderLimits.lines },
);
type LineItems = Static<typeof LineItems>;

export function repeatedLineErrors(items: LineItems = []): FieldError[] {
  const seen = new Set<string>();
  return items.flatMap(({ id }, index) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated
      ? [{ pointer: `/line_items/${index}/id`, code: "repeated", message: "This line is named more than once." }]
      : [];
  });
}

export function remainingOf(line: OrderLine): number {
  return Math.max(0, line.quantity - line.shippedQuantity);
}

/** Why these quantities cannot be taken from what the order still has. */
export function takingProblem(order: Order, items: LineItems): Outcome | undefined {
  for (const { id, quantity } of items) {
    const line = order.lines.find((candidate) => candidate.id === id);
    if (!line) return refuse("line_not_found", `The order has no line ${id}.`);
    const remaining = remainingOf(line);
    if (quantity > remaining) {
      const message = `Of ${line.sku} ${remaining} are left, ${quantity} were asked for.`;
      return refuse("quantity_exceeds_remaining", message, `Ask for at most ${remaining}.`);
    }
  }
  return undefined;
}

/** These quantities of the lines, whether they were shipped or not. */
export function pickLines(order: Order, items: LineItems): OrderLine[] | Refusal {
  const picked: OrderLine[] = [];
  for (const { id, quantity } of items) {
    const line = order.lines.find((candidate) => candidate.id === id);
    if (!line) return refuse("line_not_found", `The order has no line ${id}.`);
    if (quantity > line.quantity) {
      return refuse("quantity_exceeds_ordered", `Of ${line.sku} ${line.quantity} were ordered, ${quantity} asked for.`);
    }
    picked.push({ ...line, quantity });
  }
  return picked;
}

/** What the lines cost together; null when a price is not known. */
export function valueOf(lines: readonly OrderLine[]): number | null {
  let sum = 0;
  for (const { price, quantity } of lines) {
    if (price === undefined) return null;
    sum += price * quantity;
  }
  return roundToCents(sum);
}

import type { Static } from "typebox";
import { Type } from "../../../core/type.ts";
import type { FieldError } from "../../../core/errors.ts";
import { roundToCents } from "../../../core/money.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { Strict } from "../../../core/schema.ts";
import type { Order, OrderLine } from "../../orders/order.ts";
import { isShippable, remainingOf } from "../../orders/order.ts";
import type { Outcome, Refusal } from "../action.ts";
import { refuse } from "../action.ts";

export const LineItems = Type.Array(
  Strict({
    id: Type.String({ minLength: 1, maxLength: 64, description: "ID of a line of the order" }),
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
      ? [{ pointer: `/line_items/${index}/id`, code: "repeated", message: "This line is listed more than once." }]
      : [];
  });
}

/** Why these quantities exceed the remaining ones. */
export function takingProblem(order: Order, items: LineItems): Outcome | undefined {
  for (const { id, quantity } of items) {
    const line = order.lines.find((candidate) => candidate.id === id);
    if (!line) return refuse("line_not_found", `The order has no line ${id}.`);
    if (!isShippable(line)) return refuse("not_shippable", `${line.sku} does not require shipping.`);
    const remaining = remainingOf(line);
    if (quantity > remaining) {
      const message = `${quantity} of ${line.sku} were requested; ${remaining} remain.`;
      return refuse("quantity_exceeds_remaining", message, `Request at most ${remaining}.`);
    }
  }
  return undefined;
}

/** These quantities of the lines, shipped or not. */
export function pickLines(order: Order, items: LineItems): OrderLine[] | Refusal {
  const picked: OrderLine[] = [];
  for (const { id, quantity } of items) {
    const line = order.lines.find((candidate) => candidate.id === id);
    if (!line) return refuse("line_not_found", `The order has no line ${id}.`);
    if (quantity > line.quantity) {
      return refuse(
        "quantity_exceeds_ordered",
        `${quantity} of ${line.sku} were requested; ${line.quantity} were ordered.`,
      );
    }
    picked.push({ ...line, quantity });
  }
  return picked;
}

/** Gives these lines new IDs. Parts of a kit follow their parent; a parent that is in another order is dropped. */
export function withNewIds(
  lines: readonly OrderLine[],
  newId: () => string,
  isReplaced: (id: string) => boolean = () => true,
): OrderLine[] {
  const ids = new Map(lines.map(({ id }) => [id, isReplaced(id) ? newId() : id]));
  return lines.map(({ parentLineId, ...line }) => {
    const parent = parentLineId === undefined ? undefined : ids.get(parentLineId);
    return { ...line, id: ids.get(line.id)!, ...(parent !== undefined && { parentLineId: parent }) };
  });
}

/** Total price of the lines; null if a price is unknown. */
export function valueOf(lines: readonly OrderLine[]): number | null {
  let sum = 0;
  for (const { price, quantity } of lines) {
    if (price === undefined) return null;
    sum += price * quantity;
  }
  return roundToCents(sum);
}

import type { Static } from "typebox";
import { roundToCents } from "../../../core/money.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import type { Order, OrderLine, OrderPatch } from "../../orders/order.ts";
import { NewLine } from "../../orders/orders.schemas.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import type { Outcome, Refusal } from "../action.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { remainingOf } from "./order-lines.ts";
import { needAtLeastOne } from "./param-rules.ts";

const Named = Type.String({ minLength: 1, maxLength: 100, description: "ID or SKU of a line of the order" });
const Quantities = Type.Array(
  Strict({ line: Named, quantity: Type.Integer({ minimum: 1, maximum: orderLimits.quantity }) }),
  { minItems: 1, maxItems: orderLimits.lines },
);

export const editLines = defineAction({
  type: "edit_lines",
  title: "Edit lines",
  group: "routing",
  description:
    "Changes quantities, removes and adds lines. Shipped items stay. The total changes by the line prices, not by " +
    "taxes or discounts; packages must be entered again. Unknown lines to remove are ignored.",
  params: Strict({
    quantities: Type.Optional(Quantities),
    remove: Type.Optional(Type.Array(Named, { minItems: 1, maxItems: orderLimits.lines, uniqueItems: true })),
    add: Type.Optional(Type.Array(NewLine, { minItems: 1, maxItems: orderLimits.lines })),
  }),
  example: { quantities: [{ line: "MUG-RED", quantity: 2 }], remove: ["GIFT-WRAP"] },
  statuses: openStatuses,
  idempotent: false,
  check(params) {
    const errors = needAtLeastOne(params, ["quantities", "remove", "add"]);
    const seen = new Set(params.remove);
    for (const [index, { line }] of (params.quantities ?? []).entries()) {
      if (seen.has(line)) {
        const message = "This line is listed more than once.";
        errors.push({ pointer: `/quantities/${index}/line`, code: "repeated", message });
      }
      seen.add(line);
    }
    return errors;
  },
  apply(order, { quantities = [], remove = [], add = [] }, env) {
    const changed = changeQuantities(order.lines, quantities);
    if ("refused" in changed) return changed;
    const kept = removeLines(changed, remove);
    if ("refused" in kept) return kept;
    const lines = [...kept, ...add.map((line) => ({ ...line, id: env.newId(), shippedQuantity: 0 }))];
    if (lines.length === 0)
      return refuse("no_lines_left", "The order would have no lines left.", "Use cancel instead.");
    if (lines.length > orderLimits.lines) {
      return refuse("too_many_lines", `An order has at most ${orderLimits.lines} lines.`);
    }
    const isSame = lines.length === order.lines.length && lines.every((line, i) => line === order.lines[i]);
    return isSame ? { patch: {} } : withLines(order, lines);
  },
});

function changeQuantities(lines: OrderLine[], quantities: Static<typeof Quantities>): OrderLine[] | Refusal {
  const changed = [...lines];
  for (const { line: name, quantity } of quantities) {
    const found = findLine(lines, name);
    if (found === undefined)
      return refuse("line_not_found", `The order has no line ${name}.`, "Use `add` for a new one.");
    if ("refused" in found) return found;
    const { sku, shippedQuantity } = found;
    if (quantity < shippedQuantity) {
      const message = `${shippedQuantity} of ${sku} have shipped; the quantity cannot be lower.`;
      return refuse("already_shipped", message);
    }
    if (quantity !== found.quantity) changed[lines.indexOf(found)] = { ...found, quantity };
  }
  return changed;
}

function removeLines(lines: OrderLine[], names: string[]): OrderLine[] | Refusal {
  const removed = new Set<OrderLine>();
  for (const name of names) {
    const found = findLine(lines, name);
    if (found === undefined) continue;
    if ("refused" in found) return found;
    if (found.shippedQuantity > 0) {
      return refuse(
        "already_shipped",
        `${found.shippedQuantity} of ${found.sku} have shipped; the line cannot be removed.`,
      );
    }
    removed.add(found);
  }
  return removed.size === 0 ? lines : lines.filter((line) => !removed.has(line));
}

/** By ID, or by a SKU that only one line has. */
function findLine(lines: OrderLine[], name: string): OrderLine | Refusal | undefined {
  const byId = lines.find(({ id }) => id === name);
  if (byId) return byId;
  const [first, ...more] = lines.filter(({ sku }) => sku === name);
  if (more.length === 0) return first;
  const ids = [first!, ...more].map(({ id }) => id).join(", ");
  return refuse("line_ambiguous", `${more.length + 1} lines have the SKU ${name}.`, `Use the ID of one: ${ids}.`);
}

function withLines(order: Order, lines: OrderLine[]): Outcome {
  const patch: OrderPatch = { lines, packages: [] };
  // The remaining items were removed: nothing is left to ship.
  if (order.status === "partially_shipped" && lines.every((line) => remainingOf(line) === 0)) patch.status = "shipped";
  if (order.total === null) return changeSent(order, patch);
  const difference = differenceOf(order.lines, lines);
  if (difference === undefined) {
    const message = "A price is unknown, so the total is unchanged.";
    return { ...changeSent(order, patch), warning: { code: "total_unchanged", message } };
  }
  // A discounted total may be less than the prices of removed lines.
  return changeSent(order, { ...patch, total: Math.max(0, roundToCents(order.total + difference)) });
}

/** Price difference of the lines; undefined if the price of a changed line is unknown. */
function differenceOf(before: OrderLine[], after: OrderLine[]): number | undefined {
  const quantities = new Map<OrderLine["id"], { price: number | undefined; count: number }>();
  const add = (lines: OrderLine[], sign: 1 | -1): void => {
    for (const { id, price, quantity } of lines) {
      quantities.set(id, { price, count: (quantities.get(id)?.count ?? 0) + sign * quantity });
    }
  };
  add(before, -1);
  add(after, 1);
  let sum = 0;
  for (const { price, count } of quantities.values()) {
    if (count === 0) continue;
    if (price === undefined) return undefined;
    sum += price * count;
  }
  return sum;
}

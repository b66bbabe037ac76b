import { isDeepStrictEqual } from "node:util";
import type { Static } from "typebox";
import { errorsAt } from "../../../core/errors.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { linePattern, Nullable, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import type { Order, OrderLine, OrderPatch } from "../../orders/order.ts";
import { isAllShipped } from "../../orders/order.ts";
import { followingMoney, priceDifference } from "../../orders/order-total.ts";
import { NewLine } from "../../orders/orders.schemas.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import type { Outcome, Refusal } from "../action.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { filledIn } from "../template-params.ts";
import { needAtLeastOne } from "./param-rules.ts";

const Named = Type.String({ minLength: 1, maxLength: 100, description: "ID or SKU of a line of the order" });
const Quantities = Type.Array(
  Strict({ line: Named, quantity: Type.Integer({ minimum: 1, maximum: orderLimits.quantity }) }),
  { minItems: 1, maxItems: orderLimits.lines },
);

const Changes = Type.Array(
  Strict({
    line: Named,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    price: Type.Optional(Type.Number({ minimum: 0, maximum: orderLimits.price, description: "Of one item" })),
    properties: Type.Optional(
      Type.Array(
        Strict({
          name: Type.String({ minLength: 1, maxLength: 100, pattern: linePattern }),
          value: Nullable(filledIn(Type.String({ maxLength: 2_000 }))),
        }),
        {
          minItems: 1,
          maxItems: orderLimits.properties,
          description: "Set by name, such as an engraving; null removes one. Other properties stay",
        },
      ),
    ),
  }),
  { minItems: 1, maxItems: orderLimits.lines },
);

export const editLines = defineAction({
  type: "edit_lines",
  title: "Edit lines",
  group: "routing",
  description:
    "Changes quantities, names, prices and properties of lines, removes and adds lines. Shipped items stay. Total and subtotal change by " +
    "the line prices, not by taxes or discounts of the order; packages must be entered again if items change. Unknown lines to remove are ignored.",
  params: Strict({
    quantities: Type.Optional(Quantities),
    change: Type.Optional(Changes),
    remove: Type.Optional(Type.Array(Named, { minItems: 1, maxItems: orderLimits.lines, uniqueItems: true })),
    add: Type.Optional(Type.Array(NewLine, { minItems: 1, maxItems: orderLimits.lines })),
  }),
  example: { quantities: [{ line: "MUG-RED", quantity: 2 }], remove: ["GIFT-WRAP"] },
  statuses: openStatuses,
  idempotent: false,
  check(params) {
    const errors = needAtLeastOne(params, ["quantities", "change", "remove", "add"]);
    for (const list of ["quantities", "change"] as const) {
      const seen = new Set(params.remove);
      for (const [index, { line }] of (params[list] ?? []).entries()) {
        if (seen.has(line)) {
          const message = "This line is listed more than once.";
          errors.push({ pointer: `/${list}/${index}/line`, code: "repeated", message });
        }
        seen.add(line);
      }
    }
    for (const [index, change] of (params.change ?? []).entries()) {
      errors.push(...errorsAt(`/change/${index}`, needAtLeastOne(change, ["name", "price", "properties"])));
    }
    return errors;
  },
  apply(order, { quantities = [], change = [], remove = [], add = [] }, env) {
    const counted = changeQuantities(order.lines, quantities);
    if ("refused" in counted) return counted;
    const changed = changeDetails(counted, change);
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

function changeDetails(lines: OrderLine[], changes: Static<typeof Changes>): OrderLine[] | Refusal {
  const changed = [...lines];
  for (const { line: wanted, name, price, properties } of changes) {
    const found = findLine(lines, wanted);
    if (found === undefined) return refuse("line_not_found", `The order has no line ${wanted}.`);
    if ("refused" in found) return found;
    const all = properties && withProperties(found.properties ?? [], properties);
    if (all && all.length > orderLimits.properties)
      return refuse("too_many_properties", `A line has at most ${orderLimits.properties} properties.`);
    const next: OrderLine = { ...found, ...(name !== undefined && { name }), ...(price !== undefined && { price }) };
    if (all && all.length === 0) delete next.properties;
    else if (all) next.properties = all;
    if (!isDeepStrictEqual(next, found)) changed[lines.indexOf(found)] = next;
  }
  return changed;
}

type Property = NonNullable<OrderLine["properties"]>[number];

function withProperties(before: Property[], given: { name: string; value: string | null }[]): Property[] {
  let properties = before;
  for (const { name, value } of given) {
    const at = properties.findIndex((one) => one.name === name);
    const others = properties.filter((one, i) => one.name !== name || (value !== null && i === at));
    // Names can repeat, such as two engravings: a name that is set has one value then, at the place of the first.
    properties =
      value === null
        ? others
        : at === -1
          ? [...others, { name, value }]
          : others.map((one) => (one.name === name ? { name, value } : one));
  }
  return properties;
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
  const patch: OrderPatch = { lines };
  const itemsOf = (all: OrderLine[]) => all.map(({ id, quantity }) => `${id} ${quantity}`);
  if (!isDeepStrictEqual(itemsOf(order.lines), itemsOf(lines))) patch.packages = [];
  // The remaining items were removed: nothing is left to ship.
  if (order.status === "partially_shipped" && isAllShipped(lines)) patch.status = "shipped";
  if (order.total === null || priceDifference(order.lines, lines) !== undefined)
    return changeSent(order, { ...patch, ...followingMoney(order, patch) });
  const message = "A price is unknown, so the total is unchanged.";
  return { ...changeSent(order, patch), warning: { code: "total_unchanged", message } };
}

import { Type } from "../../../core/type.ts";
import { cutText } from "../../../core/cut-text.ts";
import type { FieldError } from "../../../core/errors.ts";
import { errorsAt } from "../../../core/errors.ts";
import { roundToCents } from "../../../core/money.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import { toGrams, Weight } from "../../../core/weight.ts";
import type { Hold, Order, OrderLine } from "../../orders/order.ts";
import { isShippable } from "../../orders/order.ts";
import { holdLimitProblem, newHold, shippedProblem, withHold } from "../../orders/order-rules.ts";
import { beforeSending } from "../../orders/orders.states.ts";
import type { ActionEnv, Outcome } from "../action.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";
import { childOf, nextChildren, tooManyChildren } from "./child-order.ts";
import { sourceOf } from "./hold.ts";
import { LineItems, repeatedLineErrors, takingProblem, valueOf, withNewIds } from "./order-lines.ts";
import { maxParts, packLines, unitsIn } from "./pack-lines.ts";
import { needAtLeastOne } from "./param-rules.ts";

const paramOf = {
  items: "line_items",
  weight: "max_weight",
  value: "max_value",
  location: "locations",
  availability: "unavailable",
} as const;

/** Items by their SKU, listed or in a condition set. */
const itemsBySku = {
  skus: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 1_000 })),
  condition_set: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "ID or name of a condition set of SKUs" }),
  ),
};
type ItemsBySku = { skus?: string[]; condition_set?: string };

export const split = defineAction({
  type: "split",
  title: "Split",
  group: "routing",
  description:
    "Moves lines to new orders: by item, weight, value, location or availability. Unavailable items are placed on " +
    "hold. The original order keeps the first part; packages must be entered again.",
  params: Strict({
    by: OneOf(["items", "weight", "value", "location", "availability"]),
    line_items: Type.Optional({ ...LineItems, description: "With by=items: the items to move to the new order" }),
    max_weight: Type.Optional({ ...Weight, description: "With by=weight: maximum weight per order" }),
    max_value: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description: "With by=value: maximum value per order" }),
    ),
    locations: Type.Optional(
      Type.Array(Strict({ location_id: Id, ...itemsBySku }), {
        minItems: 1,
        maxItems: maxParts,
        description:
          "With by=location: the items of each location; the first entry with the SKU applies. Other items stay",
      }),
    ),
    unavailable: Type.Optional(Strict(itemsBySku, { description: "With by=availability: the unavailable items" })),
  }),
  example: { by: "weight", max_weight: { value: 20, unit: "kg" } },
  statuses: beforeSending,
  idempotent: false,
  refers: ({ locations = [] }) =>
    locations.map(({ location_id: id }, i) => ({ kind: "location", id, param: `locations/${i}/location_id` })),
  sets: ({ locations = [], unavailable }) => [
    ...locations.map(({ condition_set: set }, i) => ({ set, pointer: `/locations/${i}/condition_set` })),
    { set: unavailable?.condition_set, pointer: "/unavailable/condition_set" },
  ],
  check(params) {
    const errors: FieldError[] = repeatedLineErrors(params.line_items);
    for (const [by, name] of Object.entries(paramOf)) {
      const isNeeded = by === params.by;
      if (isNeeded === (params[name] !== undefined)) continue;
      const message = isNeeded ? `Required with \`by: ${by}\`.` : `Only allowed with \`by: ${by}\`.`;
      errors.push({ pointer: `/${name}`, code: isNeeded ? "required" : "one_of", message });
    }
    if (params.max_weight?.value === 0) {
      errors.push({ pointer: "/max_weight/value", code: "exclusiveMinimum", message: "Must be greater than 0." });
    }
    for (const [i, items] of (params.locations ?? []).entries())
      errors.push(...errorsAt(`/locations/${i}`, noItems(items)));
    if (params.unavailable) errors.push(...errorsAt("/unavailable", noItems(params.unavailable)));
    return errors;
  },
  apply(order, params, env) {
    const shipped = refuseFor(shippedProblem(order));
    if (shipped) return shipped;
    if (params.by === "items") return splitItems(order, params.line_items ?? [], env);
    if (params.by === "location") return splitByLocation(order, params.locations ?? [], env);
    if (params.by === "availability") return splitByAvailability(order, params.unavailable ?? {}, env);
    return params.by === "weight"
      ? splitBySize(
          order,
          "weight",
          (line) => (isShippable(line) ? line.weight && toGrams(line.weight) : 0),
          toGrams(params.max_weight!),
          env,
        )
      : splitBySize(order, "price", (line) => line.price, params.max_value!, env);
  },
});

function splitItems(order: Order, items: { id: string; quantity: number }[], env: ActionEnv): Outcome {
  const problem = takingProblem(order, items);
  if (problem) return problem;
  const taken = new Map(items.map(({ id, quantity }) => [id, quantity]));
  const kept = order.lines.flatMap((line) => {
    const quantity = line.quantity - (taken.get(line.id) ?? 0);
    return quantity === 0 && taken.has(line.id) ? [] : [{ ...line, quantity }];
  });
  if (!kept.some(({ quantity }) => quantity > 0)) {
    return refuse("nothing_to_split", "No items would be left in the order.", "Keep some lines or quantities.");
  }
  const moved = order.lines.flatMap((line) => (taken.has(line.id) ? [{ ...line, quantity: taken.get(line.id)! }] : []));
  return intoParts(order, [{ lines: kept }, { lines: moved }], env);
}

function noItems(items: ItemsBySku): FieldError[] {
  return needAtLeastOne(items, ["skus", "condition_set"]);
}

function isAmong({ skus, condition_set: set }: ItemsBySku, { sets }: ActionEnv): (line: OrderLine) => boolean {
  const listed = new Set(skus);
  const isInSet = set === undefined ? undefined : sets(set);
  return ({ sku }) => listed.has(sku) || (isInSet?.(sku) ?? false);
}

/** Each part ships from its location; items without a rule stay in the order at its location. */
function splitByLocation(order: Order, rules: (ItemsBySku & { location_id: string })[], env: ActionEnv): Outcome {
  const tests = rules.map((rule) => ({ locationId: rule.location_id.toLowerCase(), holds: isAmong(rule, env) }));
  const locationOf = (line: OrderLine): string | null =>
    tests.find(({ holds }) => holds(line))?.locationId ?? order.locationId;
  const groups = Map.groupBy(order.lines, locationOf);
  const own = groups.get(order.locationId);
  groups.delete(order.locationId);
  const parts = [...groups].map(([locationId, lines]): Part => ({ lines, own: { locationId } }));
  if (own) return parts.length === 0 ? { patch: {} } : intoParts(order, [{ lines: own }, ...parts], env);
  const [first, ...others] = parts;
  if (!first) return { patch: {} };
  // The whole order ships from one other location.
  if (others.length === 0) return { patch: { locationId: first.own!.locationId! } };
  return intoParts(order, parts, env);
}

const backorder = "backorder";

/** Unavailable items go to an order on hold, so that the rest can ship. */
function splitByAvailability(order: Order, unavailable: ItemsBySku, env: ActionEnv): Outcome {
  const isMissing = isAmong(unavailable, env);
  const missing = order.lines.filter((line) => line.quantity > 0 && isMissing(line));
  if (missing.length === 0) return { patch: {} };
  const there = order.lines.filter((line) => !missing.includes(line));
  const isAnyThere = there.some(({ quantity }) => quantity > 0);
  if (!isAnyThere && order.holds.some(({ handle }) => handle === backorder)) return { patch: {} };
  const note = `Not available: ${cutText(missing.map(({ sku }) => sku).join(", "), 400)}`;
  const placed = newHold(env, { handle: backorder, reason: "inventory_out_of_stock", source: sourceOf(env), note });
  const full = refuseFor(holdLimitProblem(order, placed));
  if (full) return full;
  if (!isAnyThere) return { patch: { holds: withHold(order, placed) } };
  const waiting = (holds: Hold[]): Hold[] => withHold({ holds }, { ...placed, id: env.newId() });
  return intoParts(order, [{ lines: there }, { lines: missing, addsHolds: waiting }], env);
}

function splitBySize(
  order: Order,
  what: "weight" | "price",
  sizeOf: (line: OrderLine) => number | undefined,
  limit: number,
  env: ActionEnv,
): Outcome {
  for (const line of order.lines) {
    const size = sizeOf(line);
    if (size === undefined) return refuse(`${what}_missing`, `The ${what} of ${line.sku} is unknown.`);
    if (unitsIn(limit, size) < 1)
      return refuse("item_exceeds_limit", `A single ${line.sku} exceeds the limit per order.`);
  }
  const parts = packLines(order.lines, (line) => sizeOf(line)!, limit);
  if (!parts) return refuse("too_many_parts", `A split has at most ${maxParts} parts.`, "Raise the limit per order.");
  return parts.length < 2
    ? { patch: {} }
    : intoParts(
        order,
        parts.map((lines) => ({ lines })),
        env,
      );
}

/** How a part differs from the original order. */
type Part = { lines: OrderLine[]; own?: Pick<Order, "locationId">; addsHolds?: (holds: Hold[]) => Hold[] };

/** Lines of the new orders get their own IDs, so that they can be merged back next to the rest of the same lines. */
export function intoParts(order: Order, [kept, ...others]: Part[], env: ActionEnv): Outcome {
  const nths = nextChildren(order, others.length, env);
  if (!nths) return tooManyChildren;
  const creates = others.map((part, index) => {
    const lines = withNewIds(part.lines, env.newId);
    const child = childOf(order, nths[index]!, env, { lines, total: valueOf(lines), ...part.own });
    return part.addsHolds ? { ...child, holds: part.addsHolds(child.holds) } : child;
  });
  const moved = creates.reduce((sum, { total }) => sum + (total ?? 0), 0);
  // A discounted total may be less than the line prices.
  const total = order.total === null ? null : Math.max(0, roundToCents(order.total - moved));
  return { patch: { ...kept!.own, lines: kept!.lines, total, packages: [], childCount: nths.at(-1)! }, creates };
}

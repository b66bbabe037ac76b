import { Type } from "../../../core/type.ts";
import type { FieldError } from "../../../core/errors.ts";
import { roundToCents } from "../../../core/money.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { toGrams, Weight } from "../../../core/weight.ts";
import type { Order, OrderLine } from "../../orders/order.ts";
import { shippedProblem } from "../../orders/order-rules.ts";
import { beforeSending } from "../../orders/orders.states.ts";
import type { ActionEnv, Outcome } from "../action.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";
import { childOf, nextChildren, tooManyChildren } from "./child-order.ts";
import { LineItems, repeatedLineErrors, takingProblem, valueOf } from "./order-lines.ts";
import { maxParts, packLines, unitsIn } from "./pack-lines.ts";

const paramOf = { items: "line_items", weight: "max_weight", value: "max_value" } as const;

export const split = defineAction({
  type: "split",
  title: "Split",
  group: "routing",
  description:
    "Moves lines into new orders: the named ones, or as many as needed for every part to stay within a weight or a value. " +
    "The order keeps the first part; its packages have to be described anew.",
  params: Strict({
    by: OneOf(["items", "weight", "value"]),
    line_items: Type.Optional({ ...LineItems, description: "With by=items: what the new order gets" }),
    max_weight: Type.Optional({ ...Weight, description: "With by=weight: the most that a part may weigh" }),
    max_value: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description: "With by=value: the most that a part may cost" }),
    ),
  }),
  example: { by: "weight", max_weight: { value: 20, unit: "kg" } },
  statuses: beforeSending,
  idempotent: false,
  check(params) {
    const errors: FieldError[] = repeatedLineErrors(params.line_items);
    for (const [by, name] of Object.entries(paramOf)) {
      const isNeeded = by === params.by;
      if (isNeeded === (params[name] !== undefined)) continue;
      const message = isNeeded ? `\`by: ${by}\` needs this.` : `This goes with \`by: ${by}\` only.`;
      errors.push({ pointer: `/${name}`, code: isNeeded ? "required" : "one_of", message });
    }
    if (params.max_weight?.value === 0) {
      errors.push({ pointer: "/max_weight/value", code: "exclusiveMinimum", message: "This must be more than 0." });
    }
    return errors;
  },
  apply(order, params, env) {
    const shipped = refuseFor(shippedProblem(order));
    if (shipped) return shipped;
    if (params.by === "items") return splitItems(order, params.line_items ?? [], env);
    return params.by === "weight"
      ? splitBySize(order, "weight", (line) => line.weight && toGrams(line.weight), toGrams(params.max_weight!), env)
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
    return refuse("nothing_to_split", "Nothing would be left in the order.", "Leave out some lines or quantities.");
  }
  const moved = order.lines.flatMap((line) => (taken.has(line.id) ? [{ ...line, quantity: taken.get(line.id)! }] : []));
  return intoParts(order, [kept, moved], env);
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
    if (size === undefined) return refuse(`${what}_missing`, `The ${what} of ${line.sku} is not known.`);
    if (unitsIn(limit, size) < 1)
      return refuse("unit_exceeds_limit", `One ${line.sku} alone is more than a part may have.`);
  }
  const parts = packLines(order.lines, (line) => sizeOf(line)!, limit);
  if (!parts) return refuse("too_many_parts", `A split has at most ${maxParts} parts.`, "Allow more in a part.");
  return parts.length < 2 ? { patch: {} } : intoParts(order, parts, env);
}

/** The children's lines get ids of their own, so that they can be merged back beside what is left of the same lines. */
function intoParts(order: Order, [kept, ...others]: OrderLine[][], env: ActionEnv): Outcome {
  const nths = nextChildren(order, others.length, env);
  if (!nths) return tooManyChildren;
  const creates = others.map((part, index) => {
    const lines = part.map((line) => ({ ...line, id: env.newId() }));
    return childOf(order, nths[index]!, env, { lines, total: valueOf(lines) });
  });
  const moved = creates.reduce((sum, { total }) => sum + (total ?? 0), 0);
  // A discounted total may be less than the prices of what left.
  const total = order.total === null ? null : Math.max(0, roundToCents(order.total - moved));
  return { patch: { lines: kept!, total, packages: [], childCount: nths.at(-1)! }, creates };
}

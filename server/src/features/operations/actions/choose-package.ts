import type { Static } from "typebox";
import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { addWeights, Dimensions, maxWeight, multiplyWeight, toGrams, Weight } from "../../../core/weight.ts";
import type { Order, OrderLine } from "../../orders/order.ts";
import { isShippable, remainingOf } from "../../orders/order.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import type { Refusal } from "../action.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { maxTableRows, Sku } from "./sku-tables.ts";

const maxRules = 100;

const Rule = Strict({
  package: { ...shippingParts.packageType, description: "Becomes the package type of the order" },
  dimensions: Type.Optional(Dimensions),
  weight: Type.Optional({ ...Weight, description: "Of the empty package, added to that of the items" }),
  max_weight: Type.Optional({ ...Weight, description: "Of the items" }),
  max_items: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Number of items" })),
  skus: Type.Optional(
    Type.Array(Sku, { minItems: 1, maxItems: 1_000, uniqueItems: true, description: "Only for orders of these SKUs" }),
  ),
});

export const choosePackage = defineAction({
  type: "choose_package",
  title: "Choose package",
  group: "shipping",
  description:
    "Chooses the first package of a list that takes all items, and sets package type, dimensions and weight. An order that fits none fails.",
  params: Strict({
    packages: Type.Array(Rule, { minItems: 1, maxItems: maxRules }),
    item_sizes: Type.Optional(
      Type.Record(Sku, Dimensions, {
        minProperties: 1,
        maxProperties: maxTableRows,
        description:
          "Size of one item by SKU. A package with dimensions then takes only items of which each fits into it, turned as needed, and " +
          "whose volumes together are at most its own",
      }),
    ),
  }),
  example: {
    packages: [
      { package: "Envelope", max_weight: { value: 250, unit: "g" }, max_items: 2 },
      {
        package: "Box M",
        max_weight: { value: 10, unit: "kg" },
        dimensions: { length: 30, width: 20, height: 15, unit: "cm" },
      },
    ],
    item_sizes: { "MUG-01": { length: 12, width: 9, height: 10, unit: "cm" } },
  },
  check({ packages, item_sizes: sizes }) {
    if (!sizes || packages.some(({ dimensions }) => dimensions)) return [];
    const message = "Sizes of items are compared with the dimensions of packages, and no package of the list has any.";
    return [{ pointer: "/item_sizes", code: "dimensions_missing", message }];
  },
  statuses: beforeShipping,
  apply(order, { packages, item_sizes: sizes }) {
    if (order.packages.length > 1) {
      const message = `The order has ${order.packages.length} different packages; this action sets only one.`;
      return refuse("multiple_packages", message);
    }
    const content = contentOf(order, sizes);
    if (content.items === 0) return refuse("nothing_to_ship", "Nothing of the order is left to ship.");
    for (const rule of packages) {
      const fits = doesFit(content, rule);
      if (typeof fits === "object") return fits;
      if (!fits) continue;
      const { package: packageType, dimensions, weight: empty } = rule;
      const [first, ...others] = content.weights ?? [];
      const weight = first && addWeights(first, ...others, ...(empty ? [empty] : []));
      if (weight && toGrams(weight) > maxWeight) return refuse("too_heavy", "The package is too heavy.");
      const chosen = { ...(weight && { weight }), ...(dimensions && { dimensions }), count: 1 };
      return changeSent(order, { packages: [chosen], shipping: { ...order.shipping, packageType } });
    }
    const [first, ...others] = content.weights ?? [];
    const all = first && addWeights(first, ...others);
    const weight = all ? `of ${all.value} ${all.unit}` : "of unknown weight";
    const message = `No package of the list takes ${content.items} items ${weight}.`;
    return refuse("no_package_fits", message, "Add a larger package at the end of the list, or split the order first.");
  },
});

type Content = {
  items: number;
  /** Of each line. Undefined: one is unknown. */
  weights: Weight[] | undefined;
  skus: string[];
  unweighed: string | undefined;
  /** Undefined: sizes do not count. */
  sizes: { ofItems: number[][]; volume: number; unknown: string | undefined } | undefined;
};

const cmPer = { cm: 1, in: 2.54 } as const;

/** Sides in centimetres, the longest first: an item may be turned. */
const sidesOf = ({ length, width, height, unit }: Dimensions): number[] =>
  [length, width, height].map((side) => side * cmPer[unit]).toSorted((a, b) => b - a);

const volumeOf = (sides: readonly number[]): number => sides.reduce((volume, side) => volume * side, 1);

// Inches as centimetres differ in the last digits.
const isAtMost = (a: number, b: number): boolean => a <= b * (1 + 1e-9);

function contentOf({ lines }: Order, sizes: Record<string, Dimensions> | undefined): Content {
  const left = lines.filter((line) => isShippable(line) && remainingOf(line) > 0);
  const unweighed = left.find(({ weight }) => !weight)?.sku;
  return {
    items: left.reduce((sum, line) => sum + remainingOf(line), 0),
    weights: unweighed === undefined ? left.map((line) => multiplyWeight(line.weight!, remainingOf(line))) : undefined,
    skus: left.map(({ sku }) => sku),
    unweighed,
    sizes: sizes && sizesOf(left, sizes),
  };
}

function sizesOf(left: readonly OrderLine[], table: Record<string, Dimensions>): Content["sizes"] {
  const known = left.filter(({ sku }) => Object.hasOwn(table, sku));
  const ofItems = known.map(({ sku }) => sidesOf(table[sku]!));
  const volume = ofItems.reduce((sum, sides, at) => sum + volumeOf(sides) * remainingOf(known[at]!), 0);
  return { ofItems, volume, unknown: left.find(({ sku }) => !Object.hasOwn(table, sku))?.sku };
}

/** Limits on weight and size cannot be judged without these: the next package could be the wrong one. */
function doesFit({ items, weights, skus, unweighed, sizes }: Content, rule: Static<typeof Rule>): boolean | Refusal {
  if (rule.skus && !skus.every((sku) => rule.skus!.includes(sku))) return false;
  if (rule.max_items !== undefined && items > rule.max_items) return false;
  if (sizes && rule.dimensions) {
    const { unknown } = sizes;
    if (unknown !== undefined)
      return refuse("size_unknown", `The size of ${unknown} is unknown.`, `Add ${unknown} to the sizes of this step.`);
    const room = sidesOf(rule.dimensions);
    const isEachIn = sizes.ofItems.every((sides) => sides.every((side, at) => isAtMost(side, room[at]!)));
    if (!isEachIn || !isAtMost(sizes.volume, volumeOf(room))) return false;
  }
  if (!rule.max_weight) return true;
  if (!weights)
    return refuse("weight_unknown", `The weight of ${unweighed} is unknown.`, "Set weights of the lines first.");
  const grams = weights.reduce((sum, weight) => sum + toGrams(weight), 0);
  return isAtMost(grams, toGrams(rule.max_weight));
}

import type { Static } from "typebox";
import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Dimensions, maxWeight, toGrams, Weight } from "../../../core/weight.ts";
import type { Order } from "../../orders/order.ts";
import { isShippable, remainingOf } from "../../orders/order.ts";
import { shippingParts } from "../../orders/orders.schemas.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import type { Refusal } from "../action.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { Sku } from "./sku-tables.ts";

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
  params: Strict({ packages: Type.Array(Rule, { minItems: 1, maxItems: maxRules }) }),
  example: {
    packages: [
      { package: "Envelope", max_weight: { value: 250, unit: "g" }, max_items: 2 },
      {
        package: "Box M",
        max_weight: { value: 10, unit: "kg" },
        dimensions: { length: 30, width: 20, height: 15, unit: "cm" },
      },
    ],
  },
  statuses: beforeShipping,
  apply(order, { packages }) {
    if (order.packages.length > 1) {
      const message = `The order has ${order.packages.length} different packages; this action sets only one.`;
      return refuse("multiple_packages", message);
    }
    const content = contentOf(order);
    if (content.items === 0) return refuse("nothing_to_ship", "Nothing of the order is left to ship.");
    for (const rule of packages) {
      const fits = doesFit(content, rule);
      if (typeof fits === "object") return fits;
      if (!fits) continue;
      const { package: packageType, dimensions, weight: empty } = rule;
      const grams = content.grams === undefined ? undefined : content.grams + (empty ? toGrams(empty) : 0);
      if (grams !== undefined && grams > maxWeight) return refuse("too_heavy", "The package is too heavy.");
      const weight =
        grams === undefined ? {} : { weight: { value: Math.round(grams * 1000) / 1000, unit: "g" as const } };
      const chosen = { ...weight, ...(dimensions && { dimensions }), count: 1 };
      return changeSent(order, { packages: [chosen], shipping: { ...order.shipping, packageType } });
    }
    const weight = content.grams === undefined ? "of unknown weight" : `of ${Math.round(content.grams)} g`;
    const message = `No package of the list takes ${content.items} items ${weight}.`;
    return refuse("no_package_fits", message, "Add a larger package at the end of the list, or split the order first.");
  },
});

type Content = { items: number; grams: number | undefined; skus: string[]; unweighed: string | undefined };

function contentOf({ lines }: Order): Content {
  const left = lines.filter((line) => isShippable(line) && remainingOf(line) > 0);
  const unweighed = left.find(({ weight }) => !weight)?.sku;
  const sum = (of: (line: (typeof left)[number]) => number): number =>
    left.reduce((total, line) => total + of(line), 0);
  return {
    items: sum(remainingOf),
    grams: unweighed === undefined ? sum((line) => toGrams(line.weight!) * remainingOf(line)) : undefined,
    skus: left.map(({ sku }) => sku),
    unweighed,
  };
}

/** A limit on the weight cannot be judged without it: the next package could be the wrong one. */
function doesFit({ items, grams, skus, unweighed }: Content, rule: Static<typeof Rule>): boolean | Refusal {
  if (rule.skus && !skus.every((sku) => rule.skus!.includes(sku))) return false;
  if (rule.max_items !== undefined && items > rule.max_items) return false;
  if (!rule.max_weight) return true;
  if (grams === undefined)
    return refuse("weight_unknown", `The weight of ${unweighed} is unknown.`, "Set weights of the lines first.");
  return grams <= toGrams(rule.max_weight);
}

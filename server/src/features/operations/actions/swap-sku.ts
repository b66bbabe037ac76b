import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Weight } from "../../../core/weight.ts";
import type { OrderLine } from "../../orders/order.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { maxTableRows, Sku } from "./sku-tables.ts";

export const swapSku = defineAction({
  type: "swap_sku",
  title: "Swap SKUs",
  group: "routing",
  description:
    "Replaces SKUs of lines that have not shipped, by a table. Quantity, price and properties of the line stay; product and variant " +
    "of the shop, options and picture are removed.",
  params: Strict({
    skus: Type.Record(
      Sku,
      Strict({
        sku: Sku,
        name: Type.Optional(Type.String({ maxLength: 200, description: "Default: the name of the line" })),
        weight: Type.Optional({ ...Weight, description: "Of one item. Default: the weight of the line" }),
      }),
      { minProperties: 1, maxProperties: maxTableRows, description: "What each SKU becomes" },
    ),
  }),
  example: { skus: { "MUG-RED": { sku: "MUG-RED-2", name: "Red mug, new glaze" } } },
  statuses: openStatuses,
  check({ skus }) {
    // Applied twice, a chain would end elsewhere.
    return Object.entries(skus)
      .filter(([, { sku: to }]) => Object.hasOwn(skus, to))
      .map(([from, { sku: to }]) => ({
        pointer: `/skus/${from}/sku`,
        code: "chained",
        message: `${to} is replaced by this table itself.`,
      }));
  },
  apply(order, { skus }) {
    const isMeant = ({ sku }: OrderLine): boolean => Object.hasOwn(skus, sku);
    const partly = order.lines.find(
      (line) => isMeant(line) && line.shippedQuantity > 0 && line.shippedQuantity < line.quantity,
    );
    if (partly) {
      const { shippedQuantity, sku } = partly;
      return refuse("already_shipped", `${shippedQuantity} of ${sku} have shipped; the line keeps its SKU.`);
    }
    const lines = order.lines.map((line) => (isMeant(line) && line.shippedQuantity === 0 ? swapped(line) : line));
    if (lines.every((line, index) => line === order.lines[index])) return { patch: {} };
    const hasWeight = order.lines.some((line) => isMeant(line) && skus[line.sku]!.weight);
    return changeSent(order, { lines, ...(hasWeight && { packages: [] }) });

    function swapped(line: OrderLine): OrderLine {
      const { productId: _product, variantId: _variant, options: _options, imageUrl: _image, ...kept } = line;
      return { ...kept, ...skus[line.sku] };
    }
  },
});

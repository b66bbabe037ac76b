import type { Static } from "typebox";
import { orderLimits } from "../../../core/order-limits.ts";
import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { Weight } from "../../../core/weight.ts";
import { kitPartId } from "../../../core/kit-parts.ts";
import type { OrderLine } from "../../orders/order.ts";
import { isShippable } from "../../orders/order.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { maxTableRows, Sku } from "./sku-tables.ts";

const maxParts = 50;

const Part = Strict({
  sku: Sku,
  quantity: Type.Integer({ minimum: 1, maximum: 10_000, description: "In one kit" }),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  weight: Type.Optional({ ...Weight, description: "Of one item" }),
});

export const expandKits = defineAction({
  type: "expand_kits",
  title: "Expand kits",
  group: "routing",
  description:
    "Adds the parts of kits as lines, by a table. The line of the kit keeps its price and no longer requires shipping; its parts have " +
    "the price 0 and name it in parentLineId. Kits that are expanded already are left alone.",
  params: Strict({
    kits: Type.Record(Sku, Type.Array(Part, { minItems: 1, maxItems: maxParts }), {
      minProperties: 1,
      maxProperties: maxTableRows,
      description: "The parts of each kit, by its SKU",
    }),
  }),
  example: {
    kits: {
      "GIFT-SET": [
        { sku: "MUG-RED", quantity: 2 },
        { sku: "BOX-M", quantity: 1, name: "Gift box" },
      ],
    },
  },
  statuses: openStatuses,
  check({ kits }) {
    return Object.entries(kits).flatMap(([kit, parts]) =>
      parts.flatMap(({ sku }, index) => {
        if (!Object.hasOwn(kits, sku)) return [];
        const message = `${sku} is a kit itself. List its parts instead.`;
        return [{ pointer: `/kits/${kit}/${index}/sku`, code: "nested_kit", message }];
      }),
    );
  },
  apply(order, { kits }) {
    const expanded = new Set(order.lines.map(({ parentLineId }) => parentLineId));
    const isMeant = (line: OrderLine): boolean =>
      Object.hasOwn(kits, line.sku) &&
      isShippable(line) &&
      !expanded.has(line.id) &&
      line.shippedQuantity < line.quantity;
    const partly = order.lines.find((line) => isMeant(line) && line.shippedQuantity > 0);
    if (partly) {
      const { shippedQuantity, sku } = partly;
      return refuse("already_shipped", `${shippedQuantity} of the kit ${sku} have shipped; it cannot be expanded.`);
    }
    const lines = order.lines.flatMap((line) => (isMeant(line) ? withParts(line, kits[line.sku]!) : [line]));
    if (lines.length === order.lines.length) return { patch: {} };
    const excess = lines.find(({ quantity }) => quantity > orderLimits.quantity);
    if (excess) return refuse("quantity_too_large", `${excess.quantity} of ${excess.sku} are too many for a line.`);
    if (lines.length > orderLimits.lines)
      return refuse("too_many_lines", `An order has at most ${orderLimits.lines} lines.`);
    return changeSent(order, { lines });
  },
});

function withParts(kit: OrderLine, parts: Static<typeof Part>[]): OrderLine[] {
  return [
    { ...kit, requiresShipping: false },
    ...parts.map((part, index) => ({
      ...part,
      id: kitPartId(kit.id, index),
      quantity: part.quantity * kit.quantity,
      shippedQuantity: 0,
      price: 0,
      parentLineId: kit.id,
    })),
  ];
}

import { defineAction, definePlugin, Strict, Type } from "@order-operations-hub/plugin";
import { shop } from "./shop.ts";

const rememberShelf = defineAction({
  type: "acme.remember_shelf",
  title: "Remember the shelf",
  group: "organize",
  description: "Writes the shelf into a custom field of the order.",
  params: Strict({ shelf: Type.String({ title: "Shelf", minLength: 1, maxLength: 20 }) }),
  example: { shelf: "B4" },
  apply: (_order, { shelf }) => ({ patch: { customFields: { shelf } } }),
});

/** Further parts: carriers, transforms, csvPresets. Every name begins with the namespace. */
export const plugin = definePlugin({
  api: "1.0",
  namespace: "acme",
  actions: [rememberShelf],
  connectors: [shop],
});

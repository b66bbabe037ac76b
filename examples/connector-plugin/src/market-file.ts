import type { SheetPreset } from "@order-operations-hub/plugin";
import { addressColumns, notRead } from "@order-operations-hub/plugin";

/** The order export of Example Market. */
export const marketFile: SheetPreset = {
  name: "example.market",
  title: "Example Market: order export",
  signatures: [["Market Order", "Article", "Pieces"]],
  columns: {
    "Market Order": "number",
    Article: "line.sku",
    Pieces: "line.quantity",
    "Piece Price": "line.price",
    ...addressColumns("shippingAddress", { Recipient: "name", Street: "address1", Town: "city", Postcode: "zip" }),
    ...notRead("Fee"),
  },
  dateOrder: "dmy",
};

import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./stock.schemas.ts";
import * as stock from "./stock.ts";

export const stockRoutes = [
  defineRoute("GET /stock", {
    name: "stock.list",
    scope: "stock:read",
    summary: "List stock levels",
    description: "By SKU, then location.",
    query: shapes.StockQuery,
    answer: [200, PageOf(shapes.StockLevel)],
    handle: (ctx, { query }) => stock.listStock(ctx, query),
  }),
  defineRoute("PUT /stock", {
    name: "stock.replace",
    scope: "stock:write",
    summary: "Set stock levels",
    description:
      "Replaces the listed levels, up to 5,000; all others stay as they are. A repeated request changes nothing.",
    body: shapes.StockRequest,
    answer: [200, shapes.StockReplaced],
    handle: (ctx, { body }) => stock.replaceStock(ctx, body),
  }),
  defineRoute("GET /stock/:sku", {
    name: "stock.get",
    scope: "stock:read",
    summary: "Get the stock of a SKU at all locations",
    description: "The SKU is URL-encoded. `levels` is empty if the SKU is not known.",
    answer: [200, shapes.StockOfSku],
    handle: (ctx, { params }) => stock.getStockOfSku(ctx, params.sku),
  }),
];

import { defineRoute } from "../../route.ts";
import * as shapes from "./search.schemas.ts";
import { search } from "./search.ts";

export const searchRoutes = [
  defineRoute("GET /search", {
    name: "search.list",
    scope: "any",
    summary:
      "Find records of all kinds by number, tracking number, id or name: up to five of each that the caller may read",
    query: shapes.SearchQuery,
    answer: [200, shapes.SearchAnswer],
    handle: (ctx, { query }) => search(ctx, query),
  }),
];

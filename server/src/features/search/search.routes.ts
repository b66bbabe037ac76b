import { defineRoute } from "../../route.ts";
import * as shapes from "./search.schemas.ts";
import { search } from "./search.ts";

export const searchRoutes = [
  defineRoute("GET /search", {
    name: "search.list",
    scope: "any",
    summary: "Search all record types",
    description:
      "By number, tracking number, ID or name. Returns up to five records of each type that the caller may read.",
    query: shapes.SearchQuery,
    answer: [200, shapes.SearchResponse],
    handle: (ctx, { query }) => search(ctx, query),
  }),
];

import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./requests.schemas.ts";
import * as requests from "./requests.ts";

export const requestRoutes = [
  defineRoute("GET /requests", {
    name: "requests.list",
    scope: "audit:read",
    summary: "List requests that keys and people made, newest first",
    description:
      "Of keys all that they asked for, of people changes and failures; for HUB_REQUEST_LOG_RETENTION_DAYS. Of an organization that asks for " +
      "very much some are left out, reads first. Bodies and queries are not kept. Other nodes add theirs within seconds.",
    query: shapes.RequestQuery,
    answer: [200, PageOf(shapes.LoggedRequest)],
    handle: (ctx, { query }) => requests.listRequests(ctx, query),
  }),
];

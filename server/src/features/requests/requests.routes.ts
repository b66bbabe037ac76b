import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./requests.schemas.ts";
import * as requests from "./requests.ts";

export const requestRoutes = [
  defineRoute("GET /requests", {
    name: "requests.list",
    scope: "audit:read",
    summary: "List API requests",
    description:
      "All requests of API keys except reads of this list; changes and failures of users. Kept for HUB_REQUEST_LOG_RETENTION_DAYS. Above a limit per minute and " +
      "organization, requests are dropped, reads first. Bodies and query strings are not stored. Requests to other nodes appear " +
      "within seconds.",
    query: shapes.RequestQuery,
    answer: [200, PageOf(shapes.LoggedRequest)],
    handle: (ctx, { query }) => requests.listRequests(ctx, query),
  }),
];

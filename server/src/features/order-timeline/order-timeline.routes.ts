import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./order-timeline.schemas.ts";
import { listTimeline, listLastChanges } from "./order-timeline.ts";

export const orderTimelineRoutes = [
  defineRoute("GET /orders/:id/timeline", {
    name: "orders.timeline.list",
    scope: "orders:read",
    summary: "List the changes to an order",
    description: "Newest first, with the actor and the run that made each change. `id` is the order ID or number.",
    ids: { id: "order" },
    takesNames: true,
    query: shapes.TimelineQuery,
    answer: [200, PageOf(shapes.TimelineAnswer)],
    failures: [409],
    handle: (ctx, { params, query }) => listTimeline(ctx, params.id, query),
  }),
  defineRoute("GET /orders/:id/last-changes", {
    name: "orders.lastChanges.list",
    scope: "orders:read",
    summary: "List the last change to each field of an order",
    description: "With the actor, run and step that made it. `id` is the order ID or number.",
    ids: { id: "order" },
    takesNames: true,
    answer: [200, shapes.LastChanges],
    failures: [409],
    handle: (ctx, { params }) => listLastChanges(ctx, params.id),
  }),
];

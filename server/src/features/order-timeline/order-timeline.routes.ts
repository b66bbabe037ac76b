import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./order-timeline.schemas.ts";
import { listTimeline, readBlame } from "./order-timeline.ts";

export const orderTimelineRoutes = [
  defineRoute("GET /orders/:id/timeline", {
    name: "orders.timeline.list",
    scope: "orders:read",
    summary: "Who changed which field of the order, and by which run, newest first",
    description: "`id` is the id of the order or its number.",
    ids: { id: "order" },
    takesNames: true,
    query: shapes.TimelineQuery,
    answer: [200, PageOf(shapes.TimelineAnswer)],
    failures: [409],
    handle: (ctx, { params, query }) => listTimeline(ctx, params.id, query),
  }),
  defineRoute("GET /orders/:id/blame", {
    name: "orders.blame.list",
    scope: "orders:read",
    summary: "Who changed each field of the order last, and by which run and step",
    description: "`id` is the id of the order or its number.",
    ids: { id: "order" },
    takesNames: true,
    answer: [200, shapes.BlameAnswer],
    failures: [409],
    handle: (ctx, { params }) => readBlame(ctx, params.id),
  }),
];

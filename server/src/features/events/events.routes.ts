import { EventEnvelope } from "../../events/event-envelope.ts";
import { defineRoute, liveType } from "../../route.ts";
import * as shapes from "./events.schemas.ts";
import * as events from "./events.ts";
import { streamEvents } from "./follow-events.ts";

export const eventRoutes = [
  defineRoute("GET /events", {
    name: "events.list",
    scope: "events:read",
    summary: "List events after a cursor",
    description:
      "Oldest first, without gaps; no event appears later before one that was read. Event families whose scope the token lacks " +
      "are omitted. 409 `cursor_mismatch`: the cursor belongs to another log. 410 `cursor_expired`: the events after the cursor " +
      "are older than the feed. Without a cursor the feed starts with its oldest event.",
    query: shapes.EventQuery,
    answer: [200, shapes.EventPage],
    failures: [409, 410],
    handle: (ctx, { query }) => events.listEvents(ctx, query),
  }),
  defineRoute("GET /events/stream", {
    name: "events.stream",
    scope: "events:read",
    summary: "Stream events (server-sent events)",
    description:
      "`id` is the cursor, `event` the type, `data` the envelope of the feed. Clients resume with `Last-Event-ID` after a " +
      "disconnect. After 15 s without events a block with only an `id` moves the cursor. The stream ends with the token, and when " +
      "the client leaves more than 256 KiB unread. At most 10 streams per caller, 100 per organization.",
    query: shapes.StreamQuery,
    headers: ["LastEventId"],
    answerType: liveType,
    answer: [200, EventEnvelope],
    failures: [409, 410],
    handle: (ctx, { query, lastEventId }) => streamEvents(ctx, query, lastEventId),
  }),
  defineRoute("GET /events/types", {
    name: "events.types.list",
    scope: "events:read",
    summary: "List event types with schemas and examples",
    answer: [200, shapes.EventTypes],
    handle: () => events.listEventTypes(),
  }),
];

import { EventEnvelope } from "../../events/event-envelope.ts";
import { defineRoute, liveType } from "../../route.ts";
import * as shapes from "./events.schemas.ts";
import * as events from "./events.ts";
import { streamEvents } from "./follow-events.ts";

export const eventRoutes = [
  defineRoute("GET /events", {
    name: "events.list",
    scope: "events:read",
    summary: "Read what happened behind a cursor, oldest first",
    description:
      "Without gaps, and nothing appears later before what was read. Events of families whose scope the token lacks are left " +
      "out. 409 `cursor_mismatch`: the log is not the one that the cursor is of. 410 `cursor_expired`: the feed does not go back " +
      "so far. Without a cursor it begins with the oldest that it has.",
    query: shapes.EventQuery,
    answer: [200, shapes.EventPage],
    failures: [409, 410],
    handle: (ctx, { query }) => events.listEvents(ctx, query),
  }),
  defineRoute("GET /events/stream", {
    name: "events.stream",
    scope: "events:read",
    summary: "Follow what happens as server-sent events",
    description:
      "Each has its cursor as `id`, its type as `event`, and the same envelope as the feed as `data`. Readers go on by " +
      "themselves where they were cut off (`Last-Event-ID`). A block of only an `id` every 15 s of silence moves the cursor. It " +
      "ends with the token; whoever leaves more than 256 KiB unread is cut off. 10 streams a caller, 100 an organization.",
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
    summary: "List all types of events, each with the schema of its data and an example",
    answer: [200, shapes.EventTypes],
    handle: () => events.listEventTypes(),
  }),
];

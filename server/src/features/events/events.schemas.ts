import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import { EventEnvelope } from "../../events/event-envelope.ts";

const filters = {
  types: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description:
        "Comma-separated event types (`order.updated` includes `orders.updated`) or families (`order.*`). Default: all that the " +
        "token may read",
    }),
  ),
  objectId: Type.Optional(
    Type.String({ format: "uuid", description: "Events about this object, or that name it in `items`" }),
  ),
  since: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Events at or after this time; the start of the feed without a cursor",
    }),
  ),
};

export const EventQuery = Strict({
  ...filters,
  after: Type.Optional(Type.String({ maxLength: 100, description: "Cursor to continue after" })),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: "Maximum number of events" }),
});
export type EventQuery = Static<typeof EventQuery>;

export const StreamQuery = Strict({
  ...filters,
  after: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "Cursor to continue after. Default: `since`, or now",
    }),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;

export const EventPage = Type.Object({
  data: Type.Array(EventEnvelope),
  cursor: Type.String({
    description:
      "Position reached in the log, also when no event matched. Pass it as `after`; store it once `data` is processed",
  }),
  hasMore: Type.Boolean({ description: "More entries follow the cursor; `data` may be empty nevertheless" }),
});
export type EventPage = Static<typeof EventPage>;

const EventTypeInfo = Type.Object({
  type: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  scope: Type.String({ description: "Scope required besides events:read" }),
  summary: Type.String(),
  objectType: Type.String({ description: "Object kind in `subject`" }),
  dataschema: Type.String(),
  dataSchema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of `data`" }),
  example: EventEnvelope,
});

export const EventTypes = Type.Object({ data: Type.Array(EventTypeInfo) });
export type EventTypes = Static<typeof EventTypes>;

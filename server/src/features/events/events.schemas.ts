import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import { EventEnvelope } from "../../events/event-envelope.ts";

const filters = {
  types: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description:
        "Types with commas between: `order.updated`, which stands for `orders.updated` as well, or a family, `order.*`. " +
        "Without it, all that the token may read",
    }),
  ),
  objectId: Type.Optional(
    Type.String({ format: "uuid", description: "Events about this object, and those of many that name it in `items`" }),
  ),
  since: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Events of this moment or later; where to begin without a cursor",
    }),
  ),
};

export const EventQuery = Strict({
  ...filters,
  after: Type.Optional(Type.String({ maxLength: 100, description: "The cursor to go on behind" })),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: "Events at most" }),
});
export type EventQuery = Static<typeof EventQuery>;

export const StreamQuery = Strict({
  ...filters,
  after: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "The cursor to go on behind; without it, and without `since`, from now on",
    }),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;

export const EventPage = Type.Object({
  data: Type.Array(EventEnvelope),
  cursor: Type.String({
    description:
      "How far was looked, also where nothing was found: send it as `after` to go on. Keep it when all was dealt with",
  }),
  hasMore: Type.Boolean({ description: "There is more behind the cursor; `data` may be empty all the same" }),
});
export type EventPage = Static<typeof EventPage>;

const EventTypeInfo = Type.Object({
  type: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  scope: Type.String({ description: "Needed to read it, beside events:read" }),
  summary: Type.String(),
  objectType: Type.String({ description: "The kind of object in `subject`" }),
  dataschema: Type.String(),
  dataSchema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of `data`" }),
  example: EventEnvelope,
});

export const EventTypes = Type.Object({ data: Type.Array(EventTypeInfo) });
export type EventTypes = Static<typeof EventTypes>;

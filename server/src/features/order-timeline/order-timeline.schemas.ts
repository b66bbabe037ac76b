import { ActorShape } from "../../core/actor.ts";
import { Count, DateTime, Id, Nullable, OneOf, pageQuery } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const TimelineQuery = pageQuery({});
const changed = {
  kind: OneOf(["created", "imported", "updated", "hold_released", "fulfillment", "shipment", "delivered", "run_step"]),
  at: DateTime,
  actor: ActorShape,
  runId: Type.Optional(Id),
  step: Type.Optional(Count),
  type: Type.Optional(Type.String({ description: "The action of the step" })),
};

export const LastChanges = Type.Object({
  data: Type.Array(
    Type.Object({
      field: Type.String({ description: "Of the order" }),
      timelineEntryId: Type.String({ description: "The entry of the timeline that changed it last" }),
      ...changed,
    }),
  ),
  origin: Nullable(
    Type.Object(changed, { description: "Where all other fields come from; null if that is not known any more" }),
  ),
});

export const TimelineAnswer = Type.Object({
  id: Type.String(),
  ...changed,
  changes: Type.Array(
    Type.Object({
      path: Type.String(),
      from: Type.Unknown(),
      to: Type.Unknown(),
      keptLocal: Type.Optional(
        Type.Boolean({ description: "true: the bridge said `to` and was not followed, since it was changed here" }),
      ),
    }),
  ),
});

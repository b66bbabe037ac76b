import { ActorShape } from "../../core/actor.ts";
import { Count, DateTime, Id, Nullable, OneOf, pageQuery } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const TimelineQuery = pageQuery({});
const changed = {
  kind: OneOf([
    "created",
    "imported",
    "updated",
    "hold_released",
    "fulfillment",
    "shipment",
    "delivered",
    "packed",
    "run_step",
  ]),
  at: DateTime,
  actor: ActorShape,
  runId: Type.Optional(Id),
  step: Type.Optional(Count),
  type: Type.Optional(Type.String({ description: "The action of the step" })),
  isUndo: Type.Optional(Type.Boolean({ description: "true: the step was undone" })),
};

export const LastChanges = Type.Object({
  data: Type.Array(
    Type.Object({
      field: Type.String({ description: "Field of the order" }),
      timelineEntryId: Type.String({ description: "The timeline entry of the last change" }),
      ...changed,
    }),
  ),
  origin: Nullable(
    Type.Object(changed, { description: "The creation, which set all other fields; null if it is no longer stored" }),
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
        Type.Boolean({ description: "true: the bridge sent `to`, but the local value was kept" }),
      ),
    }),
  ),
});

import { ActorShape } from "../../core/actor.ts";
import { Count, DateTime, Id, OneOf, pageQuery } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const TimelineQuery = pageQuery({});
export const TimelineAnswer = Type.Object({
  id: Type.String(),
  kind: OneOf(["created", "imported", "patched", "hold_released", "fulfillment", "shipment", "delivered", "run_step"]),
  at: DateTime,
  actor: ActorShape,
  runId: Type.Optional(Id),
  step: Type.Optional(Count),
  type: Type.Optional(Type.String({ description: "The action of the step" })),
  changes: Type.Array(
    Type.Object({
      path: Type.String(),
      from: Type.Unknown(),
      to: Type.Unknown(),
      kept: Type.Optional(
        Type.Boolean({ description: "true: the bridge said `to` and was not followed, since it was changed here" }),
      ),
    }),
  ),
});

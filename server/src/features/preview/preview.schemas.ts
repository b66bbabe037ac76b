import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, OneOf, Strict } from "../../core/schema.ts";

export const ClockRequest = Strict(
  {
    now: Type.Optional(Type.String({ format: "date-time", description: "New time of the clock" })),
    advanceSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 315_360_000, description: "Advances the clock by this time" }),
    ),
    frozen: Type.Optional(Type.Boolean({ description: "Stops the clock at the new time" })),
    reset: Type.Optional(Type.Literal(true, { description: "Returns to real time" })),
  },
  { examples: [{ now: "2027-03-14T09:00:00Z", frozen: true }] },
);
export type ClockRequest = Static<typeof ClockRequest>;

export const PreviewClock = Type.Object({ now: DateTime, mode: OneOf(["real", "shifted", "frozen"]) });

export const PreviewReset = Type.Object({ reset: Type.Literal(true) });

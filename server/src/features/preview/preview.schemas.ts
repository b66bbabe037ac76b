import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, OneOf, Strict } from "../../core/schema.ts";

export const ClockRequest = Strict(
  {
    now: Type.Optional(Type.String({ format: "date-time", description: "Jump to this moment" })),
    advanceSeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 315_360_000, description: "Let this much time pass" }),
    ),
    frozen: Type.Optional(Type.Boolean({ description: "Stand still; without it the clock runs on" })),
    reset: Type.Optional(Type.Literal(true, { description: "Back to real time" })),
  },
  { examples: [{ now: "2027-03-14T09:00:00Z", frozen: true }] },
);
export type ClockRequest = Static<typeof ClockRequest>;

export const ClockAnswer = Type.Object({ now: DateTime, mode: OneOf(["real", "shifted", "frozen"]) });

export const ResetAnswer = Type.Object({ reset: Type.Literal(true) });

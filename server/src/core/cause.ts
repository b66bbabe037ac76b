import type { Static } from "typebox";
import { Id } from "./schema.ts";
import { Type } from "./type.ts";

/** Recorded on every event an automation leads to. Without it, two automations could trigger each other forever. */
export const Cause = Type.Object(
  {
    automationId: { ...Id, description: "The automation that caused the event" },
    depth: Type.Integer({ minimum: 1, description: "Number of automations in `automationPath`" }),
    automationPath: Type.Array(Id, { description: "IDs of the automations that led to this event, outermost first" }),
  },
  { description: "The automation behind the event; absent for changes made by users, API keys and other systems" },
);
export type Cause = Static<typeof Cause>;

import type { Static } from "typebox";
import { Id } from "./schema.ts";
import { Type } from "./type.ts";

/**
 * What the hub did by itself because of an automation says so, wherever it leads: else two automations would go on
 * starting each other.
 */
export const Cause = Type.Object(
  {
    automationId: { ...Id, description: "The automation that did it" },
    depth: Type.Integer({ minimum: 1, description: "How many automations led to it, this one included" }),
    through: Type.Array(Id, { description: "These, the first one first" }),
  },
  { description: "The automation behind it; left out of what people and other systems did" },
);
export type Cause = Static<typeof Cause>;

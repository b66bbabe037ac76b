import { Count, Nullable } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

/** An error or warning code of an order in a preflight or run. */
export const Code = Type.String({ pattern: "^[a-z0-9_]{1,64}$" });

/** The step of a group of failed orders. */
export const FailedStep = Nullable({
  ...Count,
  description: "Only orders whose first failed step is this one, from 0; null: orders without a failed step",
});

export const resultStatuses = ["succeeded", "failed", "skipped", "cancelled"] as const;

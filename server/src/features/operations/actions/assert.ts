import { Type } from "../../../core/type.ts";
import type { Condition } from "../../../core/condition-shape.ts";
import { Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";

export const assert = defineAction({
  type: "assert",
  title: "Assert",
  group: "flow",
  description: "Fails the order when the condition does not hold, so that later steps are not done. Changes nothing.",
  params: Strict({
    when: Type.Unsafe<Condition>({ type: "object", description: "What must hold; may ask condition sets" }),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  }),
  example: {
    when: { path: "shippingAddress.countryCode", op: "in", value: ["US", "CA"] },
    message: "We ship to North America only.",
  },
  conditionParam: "when",
  apply(order, params, _env, holds) {
    if (holds?.(order)) return { patch: {} };
    return refuse("assertion_failed", params.message ?? "The asserted condition does not hold for this order.");
  },
});

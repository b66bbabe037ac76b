import { Type } from "../../../core/type.ts";
import type { Condition } from "../../../core/condition-shape.ts";
import { Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";

export const assert = defineAction({
  type: "assert",
  title: "Require condition",
  group: "workflow",
  description: "Fails the order and skips its later steps if the condition is not met. Makes no changes.",
  params: Strict({
    when: Type.Unsafe<Condition>({ type: "object", description: "The condition to require; can use condition sets" }),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  }),
  example: {
    when: { path: "shippingAddress.countryCode", op: "in", value: ["US", "CA"] },
    message: "We ship to North America only.",
  },
  conditionParam: "when",
  apply(order, params, env, holds) {
    if (holds?.(order, env)) return { patch: {} };
    return refuse("assertion_failed", params.message ?? "The order does not meet the required condition.");
  },
});

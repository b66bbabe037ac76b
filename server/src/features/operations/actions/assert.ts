import { Type } from "typebox";
import type { Condition, Predicate } from "../../../core/conditions.ts";
import { compileCondition, referredSets } from "../../../core/conditions.ts";
import type { FieldError } from "../../../core/errors.ts";
import { Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";

/** The params are one object for the whole run, so that the condition is compiled once and not for every order. */
const compiled = new WeakMap<object, Predicate | FieldError[]>();

function compile(params: { when: Condition }): Predicate | FieldError[] {
  const known = compiled.get(params);
  if (known) return known;
  const result = compileCondition(params.when, () => undefined, "/when");
  compiled.set(params, result);
  return result;
}

export const assert = defineAction({
  type: "assert",
  title: "Assert",
  group: "flow",
  description: "Fails the order when the condition does not hold, so that later steps are not done. Changes nothing.",
  params: Strict({
    when: Type.Unsafe<Condition>({ type: "object", description: "What must hold; without condition sets" }),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  }),
  example: {
    when: { path: "shippingAddress.countryCode", op: "in", value: ["US", "CA"] },
    message: "We ship to North America only.",
  },
  statuses: "any",
  effect: "local",
  reversible: true,
  idempotent: true,
  check(params) {
    if (referredSets(params.when).length > 0) {
      const message = "Condition sets are not available here; use them in the `when` of the action itself.";
      return [{ pointer: "/when", code: "sets_unavailable", message }];
    }
    const result = compile(params);
    return Array.isArray(result) ? result : [];
  },
  apply(order, params) {
    const holds = compile(params);
    if (typeof holds === "function" && holds(order)) return { patch: {} };
    return refuse("assertion_failed", params.message ?? "The asserted condition does not hold for this order.");
  },
});

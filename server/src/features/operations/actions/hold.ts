import { Type } from "../../../core/type.ts";
import { DateOrDateTime, OneOf, Strict } from "../../../core/schema.ts";
import { toMoment } from "../../../core/time-zones.ts";
import type { Hold } from "../../orders/order.ts";
import { holdLimitProblem, liftingNeeds, newHold, withHold } from "../../orders/order-rules.ts";
import { holdReasons, openStatuses } from "../../orders/orders.states.ts";
import type { ActionEnv } from "../action.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";
import { allowAtMostOne, instantErrors } from "./param-rules.ts";
import { filledIn } from "../template-params.ts";

const dayMs = 86_400_000;

export const hold = defineAction({
  type: "hold",
  title: "Place on hold",
  group: "workflow",
  description:
    "Prevents the order from being sent or shipped. A hold with an end date is released automatically. A second " +
    "hold with the same handle updates the first.",
  params: Strict({
    reason: Type.Optional(OneOf(holdReasons)),
    note: Type.Optional(filledIn(Type.String({ maxLength: 500 }))),
    until: Type.Optional({
      ...DateOrDateTime,
      description: "When the hold is released; a date means the start of that day in the organization's time zone",
    }),
    duration_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: "Instead of `until`" })),
    handle: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Identifies the hold; default: its reason. One hold per handle",
      }),
    ),
  }),
  example: { reason: "high_risk_of_fraud", note: "call the customer" },
  statuses: openStatuses,
  check(params, { now, timeZone }) {
    return [
      ...allowAtMostOne(params, ["until", "duration_days"]),
      ...instantErrors("/until", params.until, { timeZone, after: now }),
    ];
  },
  apply(order, params, env) {
    const handle = params.handle ?? params.reason ?? "operator";
    // Was in the future when requested; a retry or a queued run can come later.
    const until = params.until === undefined ? undefined : toMoment(params.until, env.timeZone);
    if (until !== undefined && until <= env.now) {
      return { patch: {}, warning: { code: "hold_already_expired", message: "The end of the hold has passed." } };
    }
    const existing = order.holds.find((candidate) => candidate.handle === handle);
    const placed: Hold = {
      ...(existing ?? newHold(env, { handle, reason: "operator", source: sourceOf(env) })),
      ...(params.reason === undefined ? {} : { reason: params.reason }),
      ...(params.note === undefined ? {} : { note: params.note }),
      ...(until === undefined ? {} : { until }),
      ...(params.duration_days === undefined ? {} : { until: daysAfter(env.now, params.duration_days) }),
    };
    const patch = { holds: withHold(order, placed) };
    if (!existing) return refuseFor(holdLimitProblem(order, placed)) ?? { patch };
    const isSame = (["reason", "note", "until"] as const).every((field) => placed[field] === existing[field]);
    if (isSame) return { patch: {} };
    // Otherwise a new end date would release a hold that requires operations:override.
    if (liftingNeeds(existing) === "override" && !env.mayOverride) {
      const message = `The hold ${handle} was placed by the ${existing.source}.`;
      return refuse("override_required", message, "Use another handle.");
    }
    return { patch };
  },
});

/** The source recorded on a hold that an action places. */
export function sourceOf({ actor }: ActionEnv): Hold["source"] {
  return actor.type === "user" ? "user" : actor.type === "api_key" ? "key" : "system";
}

function daysAfter(now: string, days: number): string {
  return new Date(Date.parse(now) + days * dayMs).toISOString();
}

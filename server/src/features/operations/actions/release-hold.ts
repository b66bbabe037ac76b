import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import type { Hold } from "../../orders/order.ts";
import { liftingNeeds } from "../../orders/order-rules.ts";
import { holdReasons } from "../../orders/orders.states.ts";
import { defineAction, refuse } from "../action.ts";
import { allowAtMostOne } from "./param-rules.ts";

export const releaseHold = defineAction({
  type: "release_hold",
  title: "Release holds",
  group: "workflow",
  description:
    "Releases holds by handle or reason, or all. Without params, releases holds placed by users and API keys. " +
    "Holds placed by the hub or a bridge require operations:override; source conflicts must be named explicitly.",
  params: Strict({
    handles: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 10, uniqueItems: true }),
    ),
    reasons: Type.Optional(
      Type.Array(OneOf(holdReasons), { minItems: 1, maxItems: holdReasons.length, uniqueItems: true }),
    ),
    all: Type.Optional(Type.Boolean({ default: false })),
  }),
  example: { reasons: ["high_risk_of_fraud"] },
  check({ handles, reasons, all }) {
    return allowAtMostOne({ handles, reasons, all: all === true ? all : undefined }, ["handles", "reasons", "all"]);
  },
  apply(order, { handles, reasons, all }, { mayOverride }) {
    const isNamed = all === true || handles !== undefined || reasons !== undefined;
    const isMeant = (hold: Hold): boolean =>
      isNamed
        ? all === true || handles?.includes(hold.handle) === true || reasons?.includes(hold.reason) === true
        : liftingNeeds(hold) === "nothing";
    const locked = mayOverride
      ? undefined
      : order.holds.find((hold) => isMeant(hold) && liftingNeeds(hold) === "override");
    if (locked) {
      return refuse(
        "override_required",
        `The hold ${locked.handle} was placed by the ${locked.source}.`,
        "Omit the params to release only holds placed by users and API keys.",
      );
    }
    const kept = order.holds.filter((hold) => !isMeant(hold));
    if (isNamed || kept.length === 0) return { patch: { holds: kept } };
    const message = `Holds placed by the hub or a bridge remain: ${kept.map(({ handle }) => handle).join(", ")}.`;
    return { patch: { holds: kept }, warning: { code: "still_on_hold", message } };
  },
});

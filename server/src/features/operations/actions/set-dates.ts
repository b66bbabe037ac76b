import { Type } from "../../../core/type.ts";
import { DateOrDateTime, Nullable, Strict } from "../../../core/schema.ts";
import { toMoment } from "../../../core/time-zones.ts";
import type { OrderPatch } from "../../orders/order.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import { defineAction, refuse } from "../action.ts";
import { instantErrors, needAtLeastOne } from "./param-rules.ts";

const fields = { ship_by: "shipBy", deliver_by: "deliverBy", dispatch_on: "dispatchOn" } as const;
const names = Object.keys(fields) as (keyof typeof fields)[];

export const setDates = defineAction({
  type: "set_dates",
  title: "Set dates",
  group: "organize",
  description:
    "Sets the ship-by, deliver-by or dispatch date; null clears it. Dates without a time start at midnight in the " +
    "organization's time zone.",
  params: Strict({
    ship_by: Type.Optional(Nullable(DateOrDateTime)),
    deliver_by: Type.Optional(Nullable(DateOrDateTime)),
    dispatch_on: Type.Optional(Nullable(DateOrDateTime)),
  }),
  example: { ship_by: "2026-03-05T16:00:00Z", deliver_by: "2026-03-09T18:00:00Z" },
  statuses: openStatuses,
  check(params, env) {
    const errors = [
      ...needAtLeastOne(params, names),
      ...names.flatMap((name) => instantErrors(`/${name}`, params[name], env)),
    ];
    const { ship_by: shipBy, deliver_by: deliverBy } = params;
    if (
      errors.length === 0 &&
      shipBy &&
      deliverBy &&
      toMoment(shipBy, env.timeZone) > toMoment(deliverBy, env.timeZone)
    ) {
      return [
        { pointer: "/ship_by", code: "dates_out_of_order", message: "`ship_by` must not be after `deliver_by`." },
      ];
    }
    return errors;
  },
  apply(order, params, env) {
    const patch: OrderPatch = {};
    for (const name of names) {
      const date = params[name];
      if (date !== undefined) patch[fields[name]] = date === null ? null : toMoment(date, env.timeZone);
    }
    const { shipBy, deliverBy } = { ...order, ...patch };
    const isTouched = patch.shipBy !== undefined || patch.deliverBy !== undefined;
    if (isTouched && shipBy !== null && deliverBy !== null && shipBy > deliverBy) {
      return refuse(
        "dates_out_of_order",
        `The ship-by date ${shipBy} would be after the deliver-by date ${deliverBy}.`,
      );
    }
    return { patch };
  },
});

import type { Static } from "typebox";
import { Type } from "../../../core/type.ts";
import { DateOrDateTime, Nullable, OneOf, Strict } from "../../../core/schema.ts";
import { localDateOf, toMoment } from "../../../core/time-zones.ts";
import { addWorkingDays, startDay } from "../../../core/working-days.ts";
import type { Order, OrderPatch } from "../../orders/order.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import type { ActionEnv, Refusal } from "../action.ts";
import { defineAction, refuse } from "../action.ts";
import { allowAtMostOne, instantErrors, needAtLeastOne } from "./param-rules.ts";

const fields = { ship_by: "shipBy", deliver_by: "deliverBy", dispatch_on: "dispatchOn" } as const;
const names = Object.keys(fields) as (keyof typeof fields)[];
const origins = { ordered_at: "orderedAt", ...fields } as const;

const WorkingDays = Strict({
  working_days: Type.Integer({ minimum: -365, maximum: 365, description: "Negative: before that day" }),
  from: Type.Optional(
    OneOf(["now", ...(Object.keys(origins) as (keyof typeof origins)[])], {
      description:
        "Where the count starts. `now` and `ordered_at` after the cut-off time count from the next working day. Default: now",
    }),
  ),
  time: Type.Optional(
    Type.String({
      pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
      description: "Time of that day, such as 16:00. Default: its first moment",
    }),
  ),
});
type WorkingDays = Static<typeof WorkingDays>;
const Relative = Type.Optional({
  ...WorkingDays,
  description: "By working days of the organization, instead of a date",
});

export const setDates = defineAction({
  type: "set_dates",
  title: "Set dates",
  group: "organize",
  description:
    "Sets the ship-by, deliver-by or dispatch date, to a date or by working days; null clears it. Dates without a time start at midnight in the " +
    "organization's time zone.",
  params: Strict({
    ship_by: Type.Optional(Nullable(DateOrDateTime)),
    deliver_by: Type.Optional(Nullable(DateOrDateTime)),
    dispatch_on: Type.Optional(Nullable(DateOrDateTime)),
    ship_by_after: Relative,
    deliver_by_after: Relative,
    dispatch_on_after: Relative,
  }),
  example: { ship_by_after: { working_days: 2 }, deliver_by: "2026-03-09T18:00:00Z" },
  statuses: openStatuses,
  check(params, env) {
    const errors = [
      ...needAtLeastOne(
        params,
        names.flatMap((name) => [name, `${name}_after`]),
      ),
      ...names.flatMap((name) => allowAtMostOne(params, [name, `${name}_after`])),
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
    // One after the other: deliver_by_after can start at the ship-by date that this step sets.
    for (const name of names) {
      const wanted = params[`${name}_after`];
      const date = wanted && dateAfter({ ...order, ...patch }, wanted, env);
      if (typeof date === "object") return date;
      if (date !== undefined) patch[fields[name]] = date;
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

function dateAfter(
  order: Order,
  { working_days: count, from = "now", time }: WorkingDays,
  { now, calendar }: Pick<ActionEnv, "now" | "calendar">,
): string | Refusal {
  const start = from === "now" ? now : order[origins[from]];
  if (start === null) return refuse("date_missing", `The order has no ${from} date to count from.`);
  const { timezone } = calendar;
  const isArrival = from === "now" || from === "ordered_at";
  const firstDay = isArrival ? startDay(new Date(start), calendar) : localDateOf(start, timezone);
  const day = addWorkingDays(firstDay, count, calendar);
  return toMoment(time === undefined ? day : `${day}T${time}`, timezone);
}

import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import type { FieldError } from "../../core/errors.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { CalendarDate } from "../rate-card/card.schemas.ts";

const LocalTime = Type.String({
  pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
  description: "Local time at the pickup address, 24-hour clock",
});
const Minutes = Type.Integer({ minimum: 0, maximum: 100_000 });

/** Which pickups a carrier accepts. All times are local to the pickup address. */
export const PickupRules = Strict({
  cutoffLocalTime: Type.Optional(
    Type.Union([LocalTime, Type.Null()], {
      description: "Latest request time for a same-day pickup; null: no cut-off",
    }),
  ),
  allowsSameDay: Type.Optional(Type.Boolean()),
  earliestReadyTime: Type.Optional(LocalTime),
  latestCloseTime: Type.Optional(LocalTime),
  requiresWindow: Type.Optional(Type.Boolean({ description: "False: the carrier needs only a day" })),
  minWindowMinutes: Type.Optional(Minutes),
  leadMinutes: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: "Minimum time from the request to the ready time" }),
  ),
  maxDaysAhead: Type.Optional(Type.Integer({ minimum: 0, maximum: 366 })),
  serviceDays: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: "1 is Monday, 7 is Sunday",
    }),
  ),
  holidays: Type.Optional(
    Type.Array(CalendarDate, { maxItems: 200, description: "Days without pickups, in addition to `holidayCalendar`" }),
  ),
  holidayCalendar: Type.Optional(
    OneOf(["none", "us_parcel", "us_federal"], {
      description:
        "`us_parcel` (default): New Year, Memorial Day, 4 July, Labor Day, Thanksgiving, Christmas, as observed by private " +
        "carriers; `us_federal`: all federal holidays, as observed by the postal service",
    }),
  ),
  maxPackages: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  maxAverageWeight: Type.Optional(Weight),
  maxTotalWeight: Type.Optional(Weight),
  allowsPoBox: Type.Optional(Type.Boolean()),
  cancelDeadlineMinutes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: "Pickups can be cancelled or changed up to this long before the ready time",
    }),
  ),
});
export type PickupRules = Static<typeof PickupRules>;

/** Pickup rules with all defaults filled in. */
export type CompletePickupRules = Required<Omit<PickupRules, "maxAverageWeight" | "maxTotalWeight">> &
  Pick<PickupRules, "maxAverageWeight" | "maxTotalWeight">;

/** Rules that are valid one by one but together allow no pickup. */
export function pickupRuleErrors(rules: CompletePickupRules): FieldError[] {
  const { earliestReadyTime, latestCloseTime, minWindowMinutes } = rules;
  const minutes = minuteOf(latestCloseTime) - minuteOf(earliestReadyTime);
  if (minutes <= 0) {
    const message = `latestCloseTime (${latestCloseTime}) must be after earliestReadyTime (${earliestReadyTime}).`;
    return [{ pointer: "/latestCloseTime", code: "ends_before_start", message }];
  }
  if (minutes >= minWindowMinutes) return [];
  const message = `A window of ${minWindowMinutes} minutes does not fit between ${earliestReadyTime} and ${latestCloseTime}.`;
  return [{ pointer: "/minWindowMinutes", code: "window_impossible", message }];
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

export const defaultPickupRules: CompletePickupRules = {
  cutoffLocalTime: "15:00",
  allowsSameDay: true,
  earliestReadyTime: "08:00",
  latestCloseTime: "20:00",
  requiresWindow: true,
  minWindowMinutes: 120,
  leadMinutes: 60,
  maxDaysAhead: 10,
  serviceDays: [1, 2, 3, 4, 5],
  holidays: [],
  holidayCalendar: "us_parcel",
  maxPackages: 99,
  maxAverageWeight: { value: 150, unit: "lb" },
  allowsPoBox: false,
  cancelDeadlineMinutes: 60,
};

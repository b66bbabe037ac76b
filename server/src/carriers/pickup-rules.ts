import type { Static } from "typebox";
import { Type } from "../core/type.ts";
import type { FieldError } from "../core/errors.ts";
import { OneOf, Strict } from "../core/schema.ts";
import { Weight } from "../core/weight.ts";
import { CalendarDate } from "./rate-card/card.schemas.ts";

const LocalTime = Type.String({
  pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
  description: "At the pickup address, 24 hours",
});
const Minutes = Type.Integer({ minimum: 0, maximum: 100_000 });

/** What a carrier accepts as a pickup. All times are local to the pickup address unless a rule names a zone. */
export const PickupRules = Strict({
  cutoffLocalTime: Type.Optional(
    Type.Union([LocalTime, Type.Null()], { description: "Same-day pickups are asked for before this; null: any time" }),
  ),
  allowsSameDay: Type.Optional(Type.Boolean()),
  earliestReadyTime: Type.Optional(LocalTime),
  latestCloseTime: Type.Optional(LocalTime),
  requiresWindow: Type.Optional(Type.Boolean({ description: "False: the carrier takes a day, not a time" })),
  minWindowMinutes: Type.Optional(Minutes),
  leadMinutes: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: "From the request to ready" })),
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
    Type.Array(CalendarDate, { maxItems: 200, description: "Days without pickups, besides `holidayCalendar`" }),
  ),
  holidayCalendar: Type.Optional(
    OneOf(["none", "us_parcel", "us_federal"], {
      description:
        "`us_parcel` (default): New Year, Memorial Day, 4 July, Labor Day, Thanksgiving, Christmas, as private carriers " +
        "keep them; `us_federal`: all federal holidays, as the postal service does",
    }),
  ),
  maxPackages: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  maxAverageWeight: Type.Optional(Weight),
  maxTotalWeight: Type.Optional(Weight),
  allowsPoBox: Type.Optional(Type.Boolean()),
  cancelDeadlineMinutes: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: "Before ready; later the carrier does not cancel" }),
  ),
});
export type PickupRules = Static<typeof PickupRules>;

/** Rules of a carrier with nothing left out. */
export type CompletePickupRules = Required<Omit<PickupRules, "maxAverageWeight" | "maxTotalWeight">> &
  Pick<PickupRules, "maxAverageWeight" | "maxTotalWeight">;

/** Rules that each are right but together let no pickup through. */
export function pickupRuleErrors(rules: CompletePickupRules): FieldError[] {
  const { earliestReadyTime, latestCloseTime, minWindowMinutes } = rules;
  const minutes = minuteOf(latestCloseTime) - minuteOf(earliestReadyTime);
  if (minutes <= 0) {
    const message = `The carrier would come from ${earliestReadyTime} until ${latestCloseTime}, which is never.`;
    return [{ pointer: "/latestCloseTime", code: "ends_before_start", message }];
  }
  if (minutes >= minWindowMinutes) return [];
  const message = `From ${earliestReadyTime} until ${latestCloseTime} there is no room for a window of ${minWindowMinutes} minutes.`;
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

import type { ServiceLevel } from "../../carriers/rate-card/service-level.ts";
import { levelOfService } from "../../carriers/rate-card/service-level.ts";
import type { Address } from "../../core/address.ts";
import { countryOfAddress, localDateOf, zoneOfAddress } from "../../core/time-zones.ts";
import { usHolidayOn } from "../../core/us-holidays.ts";

/** Business days from the first scan within which carriers deliver in the United States, by what they sell it as. */
const businessDays: Record<ServiceLevel, number> = {
  media: 8,
  economy: 8,
  ground: 5,
  three_day: 3,
  two_day: 2,
  two_day_am: 2,
  overnight_saver: 1,
  overnight: 1,
  overnight_early: 1,
  same_day: 0,
};

/** The day that the service stands for, where nobody named one. Null: not accepted yet, abroad, or an unknown service. */
export function servicePromise(
  { service, origin, destination }: { service: string | null; origin: Address | null; destination: Address | null },
  acceptedAt: string | null,
  timezone: string,
): string | null {
  if (service === null || acceptedAt === null) return null;
  const level = levelOfService(service);
  const to = destination && countryOfAddress(destination);
  const from = (origin && countryOfAddress(origin)) ?? to;
  if (level === undefined || to !== "US" || from !== "US") return null;
  const accepted = localDateOf(acceptedAt, (origin && zoneOfAddress(origin)) ?? timezone);
  return addBusinessDays(accepted, businessDays[level]);
}

function addBusinessDays(from: string, days: number): string {
  let day = Temporal.PlainDate.from(from);
  for (let left = days; left > 0;) {
    day = day.add({ days: 1 });
    if (day.dayOfWeek <= 5 && usHolidayOn(day) === undefined) left--;
  }
  return day.toString();
}

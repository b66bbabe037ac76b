import type { HolidayCalendar } from "./us-holidays.ts";
import { usHolidayOn } from "./us-holidays.ts";

/** On which days a carrier scans, collects and delivers: Monday to `lastDay` (5: Friday), but for holidays. */
export type WorkingDays = { lastDay: 5 | 6 | 7; holidays: HolidayCalendar | null };

type CarrierDays = WorkingDays & { carrier: RegExp; service?: RegExp };

/**
 * The first that fits counts. The postal service keeps all federal holidays, private carriers some of them. Services that
 * deliver on weekends only in some places, such as UPS Ground on Saturdays, are not listed: what is not sure is no promise.
 */
const carrierDays: readonly CarrierDays[] = [
  { carrier: /usps|postal|post office/i, lastDay: 6, holidays: "us_federal" },
  { carrier: /amazon|ontrac/i, lastDay: 7, holidays: "us_parcel" },
  { carrier: /fed\s?ex/i, service: /home[\s_]?delivery/i, lastDay: 7, holidays: "us_parcel" },
];
const usualDays: WorkingDays = { lastDay: 5, holidays: "us_parcel" };
/** Between countries nothing is known but that weekends are quiet. */
export const foreignDays: WorkingDays = { lastDay: 5, holidays: null };

export function workingDaysOf(carrier: string | null, service: string | null): WorkingDays {
  const isMeant = (one: CarrierDays): boolean =>
    one.carrier.test(carrier ?? "") && (one.service?.test(service ?? "") ?? true);
  return carrierDays.find(isMeant) ?? usualDays;
}

function isDayOff(date: Temporal.PlainDate, { lastDay, holidays }: WorkingDays): boolean {
  return date.dayOfWeek > lastDay || (holidays !== null && usHolidayOn(date, holidays) !== undefined);
}

export function addBusinessDays(from: string, days: number, working: WorkingDays): string {
  let day = Temporal.PlainDate.from(from);
  for (let left = days; left > 0;) {
    day = day.add({ days: 1 });
    if (!isDayOff(day, working)) left--;
  }
  return day.toString();
}

/** So much later, where days off do not count: from Friday noon, a day later is Monday noon. */
export function addBusinessTime(at: string, ms: number, zone: string, working: WorkingDays): string {
  let moment = Temporal.Instant.from(at).toZonedDateTimeISO(zone);
  for (let left = ms; ;) {
    const midnight = moment.startOfDay().add({ days: 1 });
    if (!isDayOff(moment.toPlainDate(), working)) {
      const today = midnight.epochMilliseconds - moment.epochMilliseconds;
      if (left <= today) return new Date(moment.epochMilliseconds + left).toISOString();
      left -= today;
    }
    moment = midnight;
  }
}

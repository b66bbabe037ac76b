import type { HolidayCalendar } from "./us-holidays.ts";
import { usHolidayOn } from "./us-holidays.ts";

/** Whether nobody is expected to scan, collect or deliver on this day. `calendar` null: only weekends are known. */
function isDayOff(date: Temporal.PlainDate, calendar: HolidayCalendar | null): boolean {
  return date.dayOfWeek > 5 || (calendar !== null && usHolidayOn(date, calendar) !== undefined);
}

export function addBusinessDays(from: string, days: number, calendar: HolidayCalendar): string {
  let day = Temporal.PlainDate.from(from);
  for (let left = days; left > 0;) {
    day = day.add({ days: 1 });
    if (!isDayOff(day, calendar)) left--;
  }
  return day.toString();
}

/** So much later, where days off do not count: from Friday noon, a day later is Monday noon. */
export function addBusinessTime(at: string, ms: number, zone: string, calendar: HolidayCalendar | null): string {
  let moment = Temporal.Instant.from(at).toZonedDateTimeISO(zone);
  for (let left = ms; ;) {
    const midnight = moment.startOfDay().add({ days: 1 });
    if (!isDayOff(moment.toPlainDate(), calendar)) {
      const today = midnight.epochMilliseconds - moment.epochMilliseconds;
      if (left <= today) return new Date(moment.epochMilliseconds + left).toISOString();
      left -= today;
    }
    moment = midnight;
  }
}

/** The postal service keeps all federal holidays, private carriers some of them. */
export function calendarOfCarrier(carrier: string | null): HolidayCalendar {
  return carrier !== null && /usps|postal|post office/i.test(carrier) ? "us_federal" : "us_parcel";
}

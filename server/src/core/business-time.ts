import type { HolidayCalendar } from "./us-holidays.ts";
import { usHolidayOn } from "./us-holidays.ts";

/** On which days a carrier scans and delivers: Monday to `lastDay` (5: Friday), but for holidays. */
export type WorkingDays = { lastDay: 5 | 6 | 7; holidays: HolidayCalendar | null };

/** `collectsUntil`: the last day of the week on which it takes parcels; default `lastDay`. */
type CarrierDays = WorkingDays & { carrier: RegExp; service?: RegExp; collectsUntil?: 5 };

/**
 * The first that fits counts. The postal service works on Saturdays and keeps all federal holidays, private carriers keep some of
 * them. Services that deliver on weekends only in some places, such as UPS Ground on Saturdays, are not listed: a day that is not
 * sure is no promise.
 */
const carrierDays: readonly CarrierDays[] = [
  { carrier: /usps|postal|post office/i, lastDay: 6, holidays: "us_federal" },
  { carrier: /amazon|ontrac/i, lastDay: 7, holidays: "us_parcel" },
  {
    carrier: /fed\s?ex/i,
    service: /home[\s_]?delivery/i,
    lastDay: 7,
    holidays: "us_parcel",
    collectsUntil: 5,
  },
  {
    carrier: /fed\s?ex/i,
    service: /ground[\s_]?economy|smart[\s_]?post/i,
    lastDay: 6,
    holidays: "us_parcel",
    collectsUntil: 5,
  },
  {
    carrier: /\bups/i,
    service: /ground[\s_]?saver|sure[\s_]?post|^9[2-5]$/i,
    lastDay: 6,
    holidays: "us_parcel",
    collectsUntil: 5,
  },
];
const usualDays: WorkingDays = { lastDay: 5, holidays: "us_parcel" };
/** Between countries nothing is known but that weekends are quiet. */
export const foreignDays: WorkingDays = { lastDay: 5, holidays: null };

/** Sellers of several carriers' labels: the name of the service says which carrier it is. */
const resellers = /^(easypost|shipengine|shipstation|karrio|shippo)$/i;

function daysOfCarrier(carrier: string | null, service: string | null): CarrierDays | undefined {
  const name = resellers.test(carrier ?? "") ? service : carrier;
  return carrierDays.find(
    (one) => one.carrier.test(name ?? "") && (one.service === undefined || one.service.test(service ?? "")),
  );
}

/** `isSaturdayDelivery`: delivery on Saturdays was bought with the label. */
export function workingDaysOf(carrier: string | null, service: string | null, isSaturdayDelivery = false): WorkingDays {
  const { lastDay, holidays } = daysOfCarrier(carrier, service) ?? usualDays;
  return { lastDay: isSaturdayDelivery && lastDay === 5 ? 6 : lastDay, holidays };
}

/** The first day from this one on on which the carrier takes parcels. */
export function collectionDayFrom(day: string, carrier: string | null, service: string | null): string {
  const days: Omit<CarrierDays, "carrier"> = daysOfCarrier(carrier, service) ?? usualDays;
  const collecting: WorkingDays = { lastDay: days.collectsUntil ?? days.lastDay, holidays: days.holidays };
  let at = Temporal.PlainDate.from(day);
  while (isDayOff(at, collecting)) at = at.add({ days: 1 });
  return at.toString();
}

function isDayOff(date: Temporal.PlainDate, { lastDay, holidays }: WorkingDays): boolean {
  return date.dayOfWeek > lastDay || (holidays !== null && usHolidayOn(date, holidays, lastDay > 5) !== undefined);
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

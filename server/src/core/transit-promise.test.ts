import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handoverDay, promiseAfter } from "./transit-promise.ts";

// An oracle that shares no code: days off are written down by hand, time zones come from Intl.

const federal = `2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-07-04 2026-09-07 2026-10-12 2026-11-11 2026-11-26
  2026-12-25 2027-01-01 2027-01-18 2027-02-15 2027-05-31 2027-06-19 2027-07-05 2027-09-06 2027-10-11 2027-11-11 2027-11-25
  2027-12-25`;
const parcel = `2026-01-01 2026-05-25 2026-07-04 2026-09-07 2026-11-26 2026-12-25 2027-01-01 2027-05-31 2027-07-04 2027-07-05
  2027-09-06 2027-11-25 2027-12-25`;
/** Fridays before a holiday on a Saturday, for those who do not work on Saturdays. */
const fridays = "2026-07-03 2027-12-24 2027-12-31";

/** `saturday`, `sunday`: delivers on that day. `collectsSaturday`: takes parcels on it. */
const kinds = [
  { carrier: "USPS", service: "Ground Advantage", off: federal, saturday: true, sunday: false, collectsSaturday: true },
  { carrier: "usps", service: "Priority Mail", off: federal, saturday: true, sunday: false, collectsSaturday: true },
  {
    carrier: "easypost",
    service: "USPS/Priority",
    off: federal,
    saturday: true,
    sunday: false,
    collectsSaturday: true,
  },
  { carrier: "UPS", service: "Ground", off: parcel, saturday: false, sunday: false, collectsSaturday: false },
  { carrier: "easypost", service: "UPS/Ground", off: parcel, saturday: false, sunday: false, collectsSaturday: false },
  { carrier: "ups", service: "UPS Ground Saver", off: parcel, saturday: true, sunday: false, collectsSaturday: false },
  { carrier: "ups", service: "93", off: parcel, saturday: true, sunday: false, collectsSaturday: false },
  { carrier: "fedex", service: "FEDEX_GROUND", off: parcel, saturday: false, sunday: false, collectsSaturday: false },
  { carrier: "FedEx", service: "SMART_POST", off: parcel, saturday: true, sunday: false, collectsSaturday: false },
  {
    carrier: "fedex",
    service: "GROUND_HOME_DELIVERY",
    off: parcel,
    saturday: true,
    sunday: true,
    collectsSaturday: false,
  },
  { carrier: null, service: null, off: parcel, saturday: false, sunday: false, collectsSaturday: false },
] as const;
type Kind = (typeof kinds)[number];

const weekdayOf = (day: string): number => new Date(`${day}T12:00:00Z`).getUTCDay();
const nextDay = (day: string): string =>
  new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

const isHoliday = (day: string, off: string, worksSaturdays: boolean): boolean =>
  off.includes(day) || (!worksSaturdays && fridays.includes(day));

function delivers(day: string, kind: Kind, isSaturdayDelivery: boolean): boolean {
  const saturday = kind.saturday || isSaturdayDelivery;
  if (weekdayOf(day) === 6 && !saturday) return false;
  if (weekdayOf(day) === 0 && !kind.sunday) return false;
  return !isHoliday(day, kind.off, saturday);
}
function collects(day: string, kind: Kind): boolean {
  if (weekdayOf(day) === 0 || (weekdayOf(day) === 6 && !kind.collectsSaturday)) return false;
  return !isHoliday(day, kind.off, kind.collectsSaturday);
}

function localOf(at: string, timeZone: string): { day: string; time: string } {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  }).format(new Date(at));
  return { day: text.slice(0, 10), time: text.slice(11, 16) };
}

function expected(
  kind: Kind,
  sent: { boughtAt: string; shipDate: string; timeZone: string; cutoffTime: string | null },
  days: number,
  isSaturdayDelivery: boolean,
): { startDate: string; promisedDate: string } {
  const local = localOf(sent.boughtAt, sent.timeZone);
  let start = local.day;
  if (sent.cutoffTime !== null && local.time >= sent.cutoffTime) start = nextDay(start);
  if (sent.shipDate > start) start = sent.shipDate;
  while (!collects(start, kind)) start = nextDay(start);
  let promised = start;
  for (let left = days; left > 0;) {
    promised = nextDay(promised);
    if (delivers(promised, kind, isSaturdayDelivery)) left--;
  }
  return { startDate: start, promisedDate: promised };
}

describe("the promised day equals a count by hand", () => {
  const zones = ["America/New_York", "America/Los_Angeles", "America/Phoenix", "Pacific/Honolulu", "UTC"];
  const minutes = fc.integer({ min: 0, max: 660 * 24 * 60 });
  test("over holidays, Saturdays, cut-offs, time zones and changes of the clocks", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        minutes.map((count) => new Date(Date.UTC(2026, 0, 1, 0, count)).toISOString()),
        fc.constantFrom(...zones),
        fc.constantFrom(null, "00:00", "12:00", "16:00", "23:59"),
        fc.integer({ min: -2, max: 6 }),
        fc.integer({ min: 0, max: 12 }),
        fc.boolean(),
        (kind, boughtAt, timeZone, cutoffTime, ahead, transitDays, isSaturdayDelivery) => {
          const shipDate = new Date(Date.parse(boughtAt) + ahead * 86_400_000).toISOString().slice(0, 10);
          const handover = { boughtAt, shipDate, timeZone, cutoffTime };
          const sent = { carrier: kind.carrier, service: kind.service, isSaturdayDelivery };
          const { startDate } = handoverDay(handover, sent);
          const { promisedDate, promiseRule } = promiseAfter(sent, { basis: "contract", transitDays, startDate });
          expect({ startDate, promisedDate }).toEqual(expected(kind, handover, transitDays, isSaturdayDelivery));
          expect(promiseRule).toMatchObject({ basis: "contract", transitDays, startDate });
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test.each([
    // Clocks go forward on 8 March and back on 1 November 2026.
    ["just before the cut-off on the day the clocks change", "2026-03-09T19:59:59Z", "2026-03-09", false],
    ["at the cut-off", "2026-03-09T20:00:00Z", "2026-03-10", true],
    ["before the cut-off in winter time", "2026-11-02T20:59:00Z", "2026-11-02", false],
    ["at the cut-off in winter time", "2026-11-02T21:00:00Z", "2026-11-03", true],
  ])("%s", (_, boughtAt, startDate, isAfterCutoff) => {
    const handover = { boughtAt, shipDate: boughtAt.slice(0, 10), timeZone: "America/New_York", cutoffTime: "16:00" };
    expect(handoverDay(handover, { carrier: "UPS", service: "Ground" })).toEqual({ startDate, isAfterCutoff });
  });

  test("a later ship date does not care about the cut-off, and abroad only weekends are off", () => {
    const handover = { boughtAt: "2026-11-23T23:00:00Z", timeZone: "America/New_York", cutoffTime: "16:00" };
    const sent = { carrier: "UPS", service: "Worldwide Saver", isAbroad: true };
    expect(handoverDay({ ...handover, shipDate: "2026-11-24" }, sent)).toEqual({
      startDate: "2026-11-24",
      isAfterCutoff: false,
    });
    const { promisedDate, promiseRule } = promiseAfter(sent, {
      basis: "carrier_days",
      transitDays: 3,
      startDate: "2026-11-24",
    });
    expect([promisedDate, promiseRule.holidays]).toEqual(["2026-11-27", null]);
  });
});

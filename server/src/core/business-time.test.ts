import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WorkingDays } from "./business-time.ts";
import { addBusinessDays, addBusinessTime, foreignDays, workingDaysOf } from "./business-time.ts";
import { usHolidayOn } from "./us-holidays.ts";

const hours = (count: number): number => count * 3_600_000;
const chicago = "America/Chicago";
const privateDays: WorkingDays = { lastDay: 5, holidays: "us_parcel" };
const federalDays: WorkingDays = { lastDay: 5, holidays: "us_federal" };

describe("D17: business time of carriers", () => {
  test.each([
    ["a Tuesday and a half", "2026-03-03T18:00:00Z", 36, "2026-03-05T06:00:00.000Z"],
    ["a weekend", "2026-03-06T18:00:00Z", 48, "2026-03-10T17:00:00.000Z"],
    ["a Saturday to begin with", "2026-03-07T18:00:00Z", 24, "2026-03-10T05:00:00.000Z"],
    ["Thanksgiving", "2026-11-25T18:00:00Z", 24, "2026-11-27T18:00:00.000Z"],
    ["Veterans Day, on which private carriers work", "2026-11-10T18:00:00Z", 24, "2026-11-11T18:00:00.000Z"],
  ])("skips %s", (_, at, count, end) => {
    expect(addBusinessTime(at, hours(count), chicago, privateDays)).toBe(end);
  });

  test("outside of the US only weekends are skipped", () => {
    expect(addBusinessTime("2026-11-25T18:00:00Z", hours(24), chicago, foreignDays)).toBe("2026-11-26T18:00:00.000Z");
  });

  test("equals the count of hours on working days, one by one", () => {
    const start = fc.integer({ min: 0, max: 365 * 24 }).map((hour) => Date.UTC(2026, 0, 1, hour));
    fc.assert(
      fc.property(start, fc.integer({ min: 1, max: 120 }), (from, count) => {
        let [at, left] = [from, count];
        for (; left > 0; at += hours(1)) {
          const day = new Date(at);
          const date = Temporal.PlainDate.from(day.toISOString().slice(0, 10));
          if (day.getUTCDay() % 6 !== 0 && usHolidayOn(date, "us_federal") === undefined) left--;
        }
        expect(addBusinessTime(new Date(from).toISOString(), hours(count), "UTC", federalDays)).toBe(
          new Date(at).toISOString(),
        );
      }),
      { numRuns: 200 },
    );
  });
});

test("D18: private carriers work on five of the federal holidays, the postal service on none", () => {
  const days = ["2026-01-19", "2026-02-16", "2026-06-19", "2026-10-12", "2026-11-11"];
  for (const day of days) {
    const date = Temporal.PlainDate.from(day);
    expect([usHolidayOn(date, "us_parcel"), usHolidayOn(date, "us_federal")]).toEqual([undefined, expect.any(String)]);
  }
  const kept = ["2026-01-01", "2026-05-25", "2026-07-03", "2026-09-07", "2026-11-26", "2026-12-25"];
  for (const day of kept) expect(usHolidayOn(Temporal.PlainDate.from(day), "us_parcel")).toBeDefined();
  expect(addBusinessDays("2026-11-10", 1, privateDays)).toBe("2026-11-11");
  expect(addBusinessDays("2026-11-10", 1, federalDays)).toBe("2026-11-12");
  const holidaysOf = (carrier: string | null) => workingDaysOf(carrier, null).holidays;
  expect(["USPS", "usps", "US Postal Service", "ups", "FedEx", null].map(holidaysOf)).toEqual([
    ...Array.from({ length: 3 }, () => "us_federal"),
    ...Array.from({ length: 3 }, () => "us_parcel"),
  ]);
});

test.each([
  ["USPS", "Ground Advantage", "2026-03-07", "2026-03-10"],
  ["UPS", "Ground", "2026-03-09", "2026-03-11"],
  ["FedEx", "FedEx Ground", "2026-03-09", "2026-03-11"],
  ["FedEx", "FEDEX_HOME_DELIVERY", "2026-03-07", "2026-03-09"],
  ["Amazon Shipping", null, "2026-03-07", "2026-03-09"],
  [null, "USPS Priority", "2026-03-09", "2026-03-11"],
])("N10: %s %s has its own working days: one and three after Friday, 6 March 2026", (carrier, service, one, three) => {
  const working = workingDaysOf(carrier, service);
  expect([1, 3].map((days) => addBusinessDays("2026-03-06", days, working))).toEqual([one, three]);
});

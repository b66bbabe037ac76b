import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompletePickupRules } from "../../carriers/seam/pickup-rules.ts";
import { defaultPickupRules } from "../../carriers/seam/pickup-rules.ts";
import type { PickupPlan } from "./check-pickup.ts";
import { checkPickup, describeSlot } from "./check-pickup.ts";
import type { LocalWindow } from "./pickup-window.ts";
import { momentAt, readDate, readTime } from "./pickup-window.ts";

const newYork = "America/New_York";
const address = { name: "Dock 4", address1: "1 Port Street", phone: "+1 973 555 0100" };
const window = (date: string, ready: string, close: string): LocalWindow => ({
  date: Temporal.PlainDate.from(date),
  ready: Temporal.PlainTime.from(ready),
  close: Temporal.PlainTime.from(close),
});

/** Monday, 2 March 2026, 10:00 in New York. */
const monday = "2026-03-02T15:00:00Z";

function check(
  wanted: LocalWindow,
  {
    now = monday,
    zone = newYork,
    rules = {},
    ...more
  }: { now?: string; zone?: string; rules?: Partial<CompletePickupRules> } & Partial<PickupPlan> = {},
) {
  const plan = { window: wanted, packageCount: 3, address, ...more };
  const place = { rules: { ...defaultPickupRules, ...rules }, zone, now: Temporal.Instant.from(now) };
  const { errors, warnings, next } = checkPickup(plan, place);
  return {
    codes: errors.map(({ pointer, code }) => `${pointer} ${code}`),
    warnings: warnings.map(({ code }) => code),
    next: next && describeSlot(next),
    errors,
  };
}

describe("what a carrier would refuse", () => {
  test("nothing, on an ordinary day", () => {
    expect(check(window("2026-03-03", "09:00", "17:00"))).toMatchObject({
      codes: [],
      warnings: [],
      next: "2026-03-03 09:00-17:00",
    });
  });

  test.each([
    [
      "yesterday",
      "2026-03-01",
      "09:00",
      "17:00",
      monday,
      {},
      "/pickupDate date_in_past,/pickupDate non_service_day",
      "2026-03-02 11:00-17:00",
    ],
    ["a Sunday", "2026-03-08", "09:00", "17:00", monday, {}, "/pickupDate non_service_day", "2026-03-09 09:00-17:00"],
    [
      "Saturday, for a carrier that comes then",
      "2026-03-07",
      "09:00",
      "17:00",
      monday,
      { serviceDays: [1, 6] },
      "",
      "2026-03-07 09:00-17:00",
    ],
    [
      "Thanksgiving",
      "2026-11-26",
      "09:00",
      "17:00",
      "2026-11-23T15:00:00Z",
      {},
      "/pickupDate holiday",
      "2026-11-27 09:00-17:00",
    ],
    [
      "D18: Veterans Day, on which private carriers collect",
      "2026-11-11",
      "09:00",
      "17:00",
      "2026-11-09T15:00:00Z",
      {},
      "",
      "2026-11-11 09:00-17:00",
    ],
    [
      "D18: Veterans Day, which the postal service keeps",
      "2026-11-11",
      "09:00",
      "17:00",
      "2026-11-09T15:00:00Z",
      { holidayCalendar: "us_federal" as const },
      "/pickupDate holiday",
      "2026-11-12 09:00-17:00",
    ],
    [
      "a holiday of the carrier",
      "2026-03-04",
      "09:00",
      "17:00",
      monday,
      { holidays: ["2026-03-04"] },
      "/pickupDate holiday",
      "2026-03-05 09:00-17:00",
    ],
    [
      "eleven days ahead",
      "2026-03-13",
      "09:00",
      "17:00",
      monday,
      {},
      "/pickupDate too_far_ahead",
      "2026-03-12 09:00-17:00",
    ],
    [
      "a window that ends before it begins",
      "2026-03-03",
      "17:00",
      "09:00",
      monday,
      {},
      "/closeTime ready_after_close",
      "2026-03-03 17:00-19:00",
    ],
    [
      "half an hour",
      "2026-03-03",
      "09:00",
      "09:30",
      monday,
      {},
      "/closeTime window_too_short",
      "2026-03-03 09:00-11:00",
    ],
    [
      "before the carrier starts",
      "2026-03-03",
      "06:00",
      "12:00",
      monday,
      {},
      "/readyTime ready_too_early",
      "2026-03-03 08:00-12:00",
    ],
    [
      "after the carrier is home",
      "2026-03-03",
      "18:00",
      "22:00",
      monday,
      {},
      "/closeTime close_too_late",
      "2026-03-03 18:00-20:00",
    ],
    [
      "today, after the cut-off",
      "2026-03-02",
      "16:00",
      "19:00",
      "2026-03-02T20:00:00Z",
      {},
      "/pickupDate cutoff_passed",
      "2026-03-03 16:00-19:00",
    ],
    [
      "today, a minute before the cut-off",
      "2026-03-02",
      "16:00",
      "19:00",
      "2026-03-02T19:59:00Z",
      {},
      "",
      "2026-03-02 16:00-19:00",
    ],
    [
      "today, too soon",
      "2026-03-02",
      "10:30",
      "17:00",
      monday,
      {},
      "/readyTime lead_time_too_short",
      "2026-03-02 11:00-17:00",
    ],
    [
      "today, a window that is over",
      "2026-03-02",
      "08:00",
      "10:00",
      monday,
      {},
      "/closeTime window_in_past",
      "2026-03-02 11:00-13:00",
    ],
    [
      "today, where it must be tomorrow",
      "2026-03-02",
      "12:00",
      "17:00",
      monday,
      { allowsSameDay: false },
      "/pickupDate same_day_not_available",
      "2026-03-03 12:00-17:00",
    ],
    [
      "Friday afternoon for the same day",
      "2026-03-06",
      "17:00",
      "19:30",
      "2026-03-06T20:30:00Z",
      {},
      "/pickupDate cutoff_passed",
      "2026-03-09 17:00-19:30",
    ],
  ])("%s", (_, date, ready, close, now, rules, codes, next) => {
    const found = check(window(date, ready, close), { now, rules });
    expect(found.codes.join()).toBe(codes);
    expect(found.next).toBe(next);
    for (const error of found.errors) expect(error.suggestion).toBe(next);
  });

  test("too little time from the request on, also for the next morning", () => {
    const rules = { leadMinutes: 24 * 60 };
    const { codes, next } = check(window("2026-03-03", "08:00", "12:00"), { rules });
    expect(codes).toEqual(["/readyTime lead_time_too_short"]);
    expect(next).toBe("2026-03-03 10:00-12:00");
    expect(check(window("2026-03-03", "10:00", "12:00"), { rules }).codes).toEqual([]);
  });

  test.each([
    ["PO Box 12", "P.O.Box 12", "P. O. Box 12", "p o bx 12", "P/O Box 3", "P-O Box 3", "POB 12", "P.O.B. 12"],
    ["Post Office Box 3", "Post Box 3", "Postal Box 3", "Postfach 12", "Postbus 9", "Boîte Postale 4"],
  ])("a post office box, however it is written: %s ...", (...boxes) => {
    const wanted = window("2026-03-03", "09:00", "17:00");
    const told = (address1: string) => check(wanted, { address: { ...address, address1 } }).codes;
    for (const box of boxes) expect([box, told(box)]).toEqual([box, ["/pickupAddress/address1 po_box_not_allowed"]]);
    const houses = ["12 Boxwood Lane", "3 Po Boxer Street", "Depot Box Road 4", "Via Po 12", "44 Post Road"];
    for (const house of houses) expect([house, told(house)]).toEqual([house, []]);
  });

  test("more packages, or a heavier load, than it takes", () => {
    const found = check(window("2026-03-03", "09:00", "17:00"), {
      packageCount: 100,
      totalWeight: { value: 3, unit: "kg" },
      rules: { maxTotalWeight: { value: 5, unit: "lb" } },
    });
    expect(found.codes).toEqual(["/packageCount too_many_packages", "/totalWeight too_heavy"]);
    expect(found.next).toBe("2026-03-03 09:00-17:00");
    const weightless = check(window("2026-03-03", "09:00", "17:00"), { totalWeight: { value: 0, unit: "kg" } });
    expect(weightless.codes).toEqual(["/totalWeight/value weight_required"]);
  });

  test.each(["PO Box 12", "P.O. Box 7", "post office box 1", "p o box 3", "Postfach 44"])("%s", (address1) => {
    const wanted = window("2026-03-03", "09:00", "17:00");
    expect(check(wanted, { address: { ...address, address1 } }).codes).toEqual([
      "/pickupAddress/address1 po_box_not_allowed",
    ]);
    expect(check(wanted, { address: { ...address, address1 }, rules: { allowsPoBox: true } }).codes).toEqual([]);
    expect(check(wanted, { address: { ...address, address1: "12 Boxwood Road" } }).codes).toEqual([]);
  });

  test("warns of heavy packages and of a missing contact or phone number", () => {
    const found = check(window("2026-03-03", "09:00", "17:00"), {
      totalWeight: { value: 300, unit: "kg" },
      address: { address1: "1 Port Street" },
    });
    expect(found).toMatchObject({ codes: [], warnings: ["heavy_packages", "phone_required", "contact_required"] });
  });
});

describe("time zones and changes of the clocks", () => {
  test("whether it is today, and past the cut-off, is a matter of the address", () => {
    // 02:30 UTC on the 4th: still the 3rd in Honolulu, and half past four in the afternoon there.
    const now = "2026-03-04T02:30:00Z";
    const wanted = window("2026-03-03", "17:00", "19:30");
    expect(check(wanted, { now, zone: "Pacific/Honolulu" }).codes).toEqual(["/pickupDate cutoff_passed"]);
    expect(check(wanted, { now, zone: "America/Los_Angeles" }).codes).toEqual(["/pickupDate cutoff_passed"]);
    expect(check(wanted, { now: "2026-03-03T20:00:00Z", zone: "Pacific/Honolulu" }).codes).toEqual([]);
    expect(check(wanted, { now, zone: "Europe/Berlin" }).codes).toEqual(["/pickupDate date_in_past"]);
  });

  test("the hour that the clocks skip does not count for the window, the one that comes twice does", () => {
    const rules = { serviceDays: [7], earliestReadyTime: "00:00", latestCloseTime: "23:59", allowsSameDay: true };
    const spring = check(window("2026-03-08", "01:00", "03:30"), { now: "2026-03-06T15:00:00Z", rules });
    expect(spring.codes).toEqual(["/closeTime window_too_short"]);
    expect(spring.next).toBe("2026-03-08 01:00-04:00");
    const untilTwo = { ...rules, latestCloseTime: "02:00", minWindowMinutes: 30 };
    const early = (close: string) =>
      check(window("2026-03-08", "00:00", close), { now: "2026-03-06T15:00:00Z", rules: untilTwo }).codes;
    expect([early("02:00"), early("03:00"), early("03:01")]).toEqual([[], [], ["/closeTime close_too_late"]]);
    const autumn = check(window("2026-11-01", "00:30", "01:45"), { now: "2026-10-30T15:00:00Z", rules });
    expect(autumn.codes).toEqual(["/closeTime window_too_short"]);
    // The second half past one would be long enough, but would be read as the first.
    expect(autumn.next).toBe("2026-11-01 00:30-02:00");
    expect(check(window("2026-11-01", "00:30", "02:00"), { now: "2026-10-30T15:00:00Z", rules }).codes).toEqual([]);
  });

  test("times are read as they are meant at the address", () => {
    const day = (text: string) => {
      const read = readDate(text, newYork);
      return "value" in read ? read.value.toString() : read.error.code;
    };
    expect(day("2026-03-05")).toBe("2026-03-05");
    // A date that a program made a date-time of is still that date.
    expect(day("2026-03-05T00:00:00.000Z")).toBe("2026-03-05");
    expect(day("2026-03-05T02:00:00Z")).toBe("2026-03-04");
    expect(day("2026-03-05T13:00:00")).toBe("2026-03-05");
    expect(["2026-02-30", "0000-01-01", "tomorrow", "2026-03-05T25:00:00Z"].map(day)).toEqual(Array(4).fill("format"));
    const time = (text: string) => {
      const read = readTime("/readyTime", text, Temporal.PlainDate.from("2026-03-05"), newYork);
      return "value" in read ? read.value.toString() : read.error.code;
    };
    expect(time("09:30")).toBe("09:30:00");
    expect(time("09:30:15")).toBe("09:30:15");
    expect(time("2026-03-05T09:30:00")).toBe("09:30:00");
    expect(time("2026-03-05T14:30:00Z")).toBe("09:30:00");
    expect(time("2026-03-06T01:30:00+02:00")).toBe("18:30:00");
    expect(time("2026-03-06T14:30:00Z")).toBe("date_mismatch");
    expect(["9:30", "24:00", "noon"].map(time)).toEqual(Array(3).fill("format"));
  });
});

const aTime = fc
  .integer({ min: 0, max: 95 })
  .map((quarter) => Temporal.PlainTime.from("00:00").add({ minutes: quarter * 15 }));
const text = (time: Temporal.PlainTime): string => time.toString({ smallestUnit: "minute" });

/** Up to three days before the clocks change in one of the zones below, in minutes of 2026. */
const beforeChange = fc
  .tuple(
    fc.constantFrom("2026-03-08", "2026-11-01", "2026-03-29", "2026-10-25", "2026-04-05", "2026-10-04"),
    fc.integer({ min: 0, max: 3 * 24 * 60 }),
  )
  .map(([day, before]) => (Date.parse(day) - Date.UTC(2026, 0, 1)) / 60_000 + 8 * 60 - before);

test("whatever is asked for, the slot that is offered instead would be taken", () => {
  const cases = fc.record({
    now: fc.oneof(fc.integer({ min: 0, max: 2 * 365 * 24 * 60 }), beforeChange),
    days: fc.integer({ min: -3, max: 20 }),
    ready: aTime,
    close: aTime,
    zone: fc.constantFrom(newYork, "America/Phoenix", "Europe/London", "Australia/Lord_Howe", "Pacific/Honolulu"),
    hours: fc.tuple(aTime, aTime).map((both) => both.toSorted(Temporal.PlainTime.compare)),
    rules: fc.record({
      minWindowMinutes: fc.constantFrom(0, 30, 90, 120, 600),
      leadMinutes: fc.constantFrom(0, 60, 300),
      maxDaysAhead: fc.constantFrom(0, 1, 10, 30),
      allowsSameDay: fc.boolean(),
      cutoffLocalTime: fc.option(aTime.map(text), { nil: null }),
      serviceDays: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
      holidayCalendar: fc.constantFrom("none" as const, "us_federal" as const, "us_parcel" as const),
    }),
  });
  let offered = 0;
  fc.assert(
    fc.property(cases, ({ now, days, ready, close, zone, hours, rules: some }) => {
      const at = Temporal.Instant.from("2026-01-01T00:00:00Z").add({ minutes: now });
      const date = at.toZonedDateTimeISO(zone).toPlainDate().add({ days });
      const rules = {
        ...defaultPickupRules,
        ...some,
        earliestReadyTime: text(hours[0]!),
        latestCloseTime: text(hours[1]!),
      };
      const place = { rules, zone, now: at };
      const { errors, next } = checkPickup({ window: { date, ready, close }, packageCount: 1, address }, place);
      if (!next) {
        expect(errors).not.toEqual([]);
        return;
      }
      offered++;
      expect(checkPickup({ window: next, packageCount: 1, address }, place).errors).toEqual([]);
      if (errors.length === 0) expect(next).toEqual({ date, ready, close });
      expect(momentAt(next.date, next.ready, zone).epochMilliseconds).toBeGreaterThanOrEqual(at.epochMilliseconds);
    }),
    { numRuns: 1_000 },
  );
  expect(offered).toBeGreaterThan(200);
});

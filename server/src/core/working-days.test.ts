import fc from "fast-check";
import { expect, test } from "vitest";
import type { WorkingCalendar } from "./working-days.ts";
import {
  addWorkingDays,
  addWorkingDaysTo,
  defaultWorkingDays,
  isWorkingDay,
  nextWorkingDay,
  startDay,
} from "./working-days.ts";

const berlin: WorkingCalendar = {
  timezone: "Europe/Berlin",
  workingDays: defaultWorkingDays,
  holidays: new Set(["2026-12-25"]),
  cutoffTime: "14:00",
};

test("weekends and holidays are not working days", () => {
  expect(isWorkingDay("2026-12-24", berlin)).toBe(true);
  expect(isWorkingDay("2026-12-25", berlin)).toBe(false);
  expect(isWorkingDay("2026-12-26", berlin)).toBe(false);
  expect(isWorkingDay("2026-12-27", berlin)).toBe(false);
  expect(isWorkingDay("2026-12-27", { ...berlin, workingDays: [7] })).toBe(true);
});

test("working days are added over weekends, holidays and years, and subtracted", () => {
  expect(addWorkingDays("2026-12-24", 1, berlin)).toBe("2026-12-28");
  expect(addWorkingDays("2026-12-26", 1, berlin)).toBe("2026-12-28");
  expect(addWorkingDays("2026-12-28", -1, berlin)).toBe("2026-12-24");
  expect(addWorkingDays("2026-12-31", 1, berlin)).toBe("2027-01-01");
  expect(addWorkingDays("2026-12-26", 0, berlin)).toBe("2026-12-26");
  expect(nextWorkingDay("2026-12-24", berlin)).toBe("2026-12-28");
});

test("a calendar without working days is an error, not an endless loop", () => {
  expect(() => addWorkingDays("2026-12-24", 1, { ...berlin, workingDays: [] })).toThrow("at least one working day");
});

test("work starts today before the cut-off by the clock of the organization, and otherwise on the next working day", () => {
  // In December Berlin is an hour ahead of UTC, in July two.
  expect(startDay(new Date("2026-12-24T12:59:59.999Z"), berlin)).toBe("2026-12-24");
  expect(startDay(new Date("2026-12-24T13:00:00Z"), berlin)).toBe("2026-12-28");
  expect(startDay(new Date("2026-07-01T11:59:00Z"), berlin)).toBe("2026-07-01");
  expect(startDay(new Date("2026-07-01T12:00:00Z"), berlin)).toBe("2026-07-02");
  expect(startDay(new Date("2026-12-26T08:00:00Z"), berlin)).toBe("2026-12-28");
  expect(startDay(new Date("2026-12-24T22:59:00Z"), { ...berlin, cutoffTime: null })).toBe("2026-12-24");
  expect(startDay(new Date("2026-12-23T23:30:00Z"), berlin)).toBe("2026-12-24");
});

test("a moment keeps its local time when clocks change", () => {
  // Clocks are set forward on Sunday 29 March 2026 and back on Sunday 25 October 2026.
  expect(addWorkingDaysTo(new Date("2026-03-27T09:00:00Z"), 1, berlin)).toEqual(new Date("2026-03-30T08:00:00Z"));
  expect(addWorkingDaysTo(new Date("2026-10-26T09:00:00Z"), -1, berlin)).toEqual(new Date("2026-10-23T08:00:00Z"));
  const sundays = { ...berlin, workingDays: [7] };
  expect(addWorkingDaysTo(new Date("2026-03-27T01:30:00Z"), 1, sundays)).toEqual(new Date("2026-03-29T01:30:00Z"));
});

const calendars = fc.record({
  timezone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kolkata"),
  workingDays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
  holidays: fc
    .uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 20 })
    .map(
      (offsets) =>
        new Set(offsets.map((days) => new Date(1_772_000_000_000 + days * 86_400_000).toISOString().slice(0, 10))),
    ),
  cutoffTime: fc.constantFrom(null, "00:00", "14:30", "23:59"),
});
const days = fc
  .integer({ min: -20, max: 80 })
  .map((offset) => new Date(1_772_000_000_000 + offset * 86_400_000).toISOString().slice(0, 10));

test("between a day and the one so many working days later lie exactly so many working days", () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -30, max: 30 }), calendars, (day, count, calendar) => {
      const end = addWorkingDays(day, count, calendar);
      if (count === 0) expect(end).toBe(day);
      if (count === 0) return;
      const [first, last] = count > 0 ? [day, end] : [end, day];
      let between = 0;
      for (let at = Temporal.PlainDate.from(first); at.toString() <= last; at = at.add({ days: 1 })) {
        if (at.toString() !== day && isWorkingDay(at.toString(), calendar)) between++;
      }
      expect([between, isWorkingDay(end, calendar)]).toEqual([Math.abs(count), true]);
    }),
  );
});

test("the day on which work starts is a working day, and not before today", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_770_000_000_000, max: 1_780_000_000_000 }), calendars, (ms, calendar) => {
      const start = startDay(new Date(ms), calendar);
      const today = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(calendar.timezone).toPlainDate();
      expect([isWorkingDay(start, calendar), start >= today.toString()]).toEqual([true, true]);
    }),
  );
});

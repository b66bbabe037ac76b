import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { naiveCron, naiveRuns, wallClock, wallTimes } from "../../../testing/cron-oracle.ts";
import type { Proof } from "../../../testing/prove-cron.ts";
import { proveZone } from "../../../testing/prove-cron.ts";
import { parseCron, storedCron } from "./cron.ts";
import { nextOccurrence, occurrencesAfter } from "./cron-occurrences.ts";

const dayMs = 86_400_000;

function runsOf(expression: string, zone: string, from: string, to: string): string[] {
  const runs: string[] = [];
  for (const run of occurrencesAfter(storedCron(expression), zone, Date.parse(from) - 1)) {
    if (run >= Date.parse(to)) return runs;
    runs.push(new Date(run).toISOString().slice(11, 16));
  }
  return runs;
}

/** One local day each; the answers are UTC. */
test.each([
  ["30 2 * * *", "America/New_York", "2026-03-08T05:00Z", "2026-03-09T04:00Z", ["07:00"]],
  ["15,45 1 * * *", "America/New_York", "2026-11-01T04:00Z", "2026-11-02T05:00Z", ["05:15", "05:45"]],
  ["0,30 2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T23:00Z", ["00:00", "00:30"]],
  ["30 2,3 * * *", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T23:00Z", ["00:30", "02:30"]],
  ["*/20 2 * * *", "Europe/Berlin", "2026-03-28T23:00Z", "2026-03-29T22:00Z", ["01:00"]],
  ["0 */2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T04:00Z", ["22:00", "00:00", "03:00"]],
  ["0 * * * *", "Europe/Berlin", "2026-10-24T23:30Z", "2026-10-25T03:00Z", ["00:00", "01:00", "02:00"]],
  ["0 0 * * *", "America/Santiago", "2026-09-05T12:00Z", "2026-09-06T12:00Z", ["04:00"]],
  ["0 0 * * 0", "America/Santiago", "2026-09-05T12:00Z", "2026-09-06T12:00Z", ["04:00"]],
  ["30 0 * * 5", "Africa/Cairo", "2026-04-23T12:00Z", "2026-04-24T12:00Z", ["22:00"]],
  ["30 0 * * *", "America/Havana", "2026-03-07T12:00Z", "2026-03-08T12:00Z", ["05:00"]],
  ["0 0 * * *", "Asia/Beirut", "2026-03-28T12:00Z", "2026-03-29T12:00Z", ["22:00"]],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00Z", "2026-10-04T12:00Z", ["15:30"]],
])("%s in %s between %s and %s", (expression, zone, from, to, expected) => {
  expect(runsOf(expression, zone, from, to)).toEqual(expected);
});

describe("no run is lost or doubled by a clock change", () => {
  /** Half-hour and two-hour changes, changes at midnight, a lost day, Ramadan, rules that were changed at short notice. */
  const zones = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/Asuncion",
    "America/Havana",
    "America/New_York",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Europe/London",
    "Pacific/Apia",
    "Pacific/Fiji",
  ];

  test.each(zones)("%s: the runs equal those of a minute-by-minute simulation", (zone) => {
    const proof: Proof = { zones: 0, changes: 0, cases: 0, runs: 0, differences: [] };
    proveZone(zone, proof, Date.UTC(2010, 0, 1), Date.UTC(2012, 0, 1));
    proveZone(zone, proof, Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1));
    expect(proof.differences).toEqual([]);
  });

  test("any expression in any zone and year equals the simulation", () => {
    const field = (min: number, max: number): fc.Arbitrary<string> => {
      const value = fc.integer({ min, max });
      const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
      const step = fc.integer({ min: 1, max: Math.min(max, 30) });
      const item = fc.oneof(
        value.map(String),
        range,
        fc.tuple(fc.oneof(fc.constant("*"), range), step).map(([of, every]) => `${of}/${every}`),
      );
      const list = fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(","));
      return fc.oneof(fc.constant("*"), list);
    };
    const expression = fc
      .tuple(field(0, 59), field(0, 23), fc.oneof(field(1, 31), fc.constant("L")), field(1, 12), field(0, 6))
      .map((fields) => fields.join(" "))
      .filter((text) => parseCron(text).cron !== undefined);
    const from = fc.integer({ min: 0, max: 37 * 365 }).map((days) => Date.UTC(2000, 0, 1) + days * dayMs);
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    fc.assert(
      fc.property(expression, zone, from, (text, name, start) => {
        const times = wallTimes(wallClock(name), start - 2 * dayMs, start + 5 * dayMs);
        const expected = naiveRuns(naiveCron(text), times, start - 2 * dayMs, start);
        const found: number[] = [];
        for (const run of occurrencesAfter(storedCron(text), name, start - 1)) {
          if (run >= start + 5 * dayMs || found.push(run) > expected.length) break;
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: 80 },
    );
  });
});

test("the next run is later than the given instant, to the millisecond", () => {
  const cron = storedCron("30 2 * * *");
  const zone = "America/New_York";
  const moved = Date.parse("2026-03-08T07:00:00Z");
  expect(nextOccurrence(cron, zone, moved - 1)).toBe(moved);
  expect(nextOccurrence(cron, zone, moved)).toBe(Date.parse("2026-03-09T06:30:00Z"));
  const plain = Date.parse("2026-03-09T06:30:00Z");
  expect(nextOccurrence(cron, zone, plain - 1)).toBe(plain);
  expect(nextOccurrence(cron, zone, plain)).toBeGreaterThan(plain);
});

test("a leap day on a Monday is found across years, also across a century without a leap year", () => {
  const runs = occurrencesAfter(storedCron("30 2 * 2 MON#5"), "America/New_York", Date.UTC(2026, 0, 1)).take(4);
  expect(runs.map((run) => new Date(run).toISOString().slice(0, 10)).toArray()).toEqual([
    "2044-02-29",
    "2072-02-29",
    "2112-02-29",
    "2140-02-29",
  ]);
});

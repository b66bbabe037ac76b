import { expect, test } from "vitest";
import { instantOfInitial, readInstant, writeSince } from "./rest-since.ts";

test("the start of a pull is written in the format that the system reads, rounded down", () => {
  const instant = "2026-01-31T08:30:05.999Z";
  expect(writeSince(instant, {})).toBe(instant);
  expect(writeSince(instant, { format: "unix" })).toBe(1_769_848_205);
  expect(writeSince(instant, { format: "unix_ms" })).toBe(1_769_848_205_999);
  expect(writeSince(instant, { format: "datetime" })).toBe("2026-01-31 08:30:05");
  expect(writeSince(instant, { format: "date" })).toBe("2026-01-31");
});

test("the first import starts a number of days ago or at a time", () => {
  const now = new Date("2026-03-31T12:00:00Z");
  expect(instantOfInitial("30d", now)).toBe("2026-03-01T12:00:00.000Z");
  expect(instantOfInitial("2026-01-05", now)).toBe("2026-01-05T00:00:00.000Z");
  expect(instantOfInitial("2026-01-05T10:00:00Z", now)).toBe("2026-01-05T10:00:00.000Z");
  expect(instantOfInitial("2026-13-05", now)).toBeUndefined();
});

test("the time of a record is read as text, and as seconds or milliseconds since 1970", () => {
  const instant = "2026-01-31T08:30:05.000Z";
  for (const value of [1_769_848_205, "1769848205", 1_769_848_205_000, "1769848205000", "2026-01-31 08:30:05"]) {
    expect(readInstant(value), String(value)).toBe(instant);
  }
  expect(readInstant("Sat, 31 Jan 2026 08:30:05 +0000")).toBe(instant);
  for (const value of [null, undefined, "", "soon", Number.NaN, {}]) expect(readInstant(value)).toBeUndefined();
});

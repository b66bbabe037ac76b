import { expect, test } from "vitest";
import { readInstant, shownInstant } from "./src/ui/instant-text.ts";

const zone = "America/New_York";

test("a stored moment is shown in the zone for typed times, and reads back as the same moment", () => {
  for (const at of ["2026-11-20T22:00:00.000Z", "2026-07-01T03:30:00.000Z", "2026-01-01T04:59:00.000Z"])
    expect(readInstant("date-time", shownInstant(at, zone), zone)).toBe(at);
  expect(shownInstant("2026-11-20T17:00:00.000Z", zone)).toBe("2026-11-20 12:00");
  expect(shownInstant("2026-07-20T17:00:00+02:00", zone)).toBe("2026-07-20 11:00");
  for (const text of ["2026-11-20", "today-7", ""]) expect(shownInstant(text, zone)).toBe(text);
});

test("a day alone is a day, or a time of it where a moment is needed", () => {
  expect(readInstant("either", "20 Nov 2026", zone)).toBe("2026-11-20");
  expect(readInstant("date", "2026-11-20", zone)).toBe("2026-11-20");
  expect(readInstant("date-time", "2026-11-20", zone, "23:59")).toBe("2026-11-21T04:59:00.000Z");
});

test("text that is no date is not read as none", () => {
  expect(readInstant("either", "  ", zone)).toBe("");
  for (const text of ["next week", "2026-13-01", "11/20/2026", "2026-11-20 25:00", "2026-11-20T25:00:00Z"])
    expect(readInstant("either", text, zone), text).toBeUndefined();
  expect(readInstant("date", "2026-11-20 17:00", zone)).toBeUndefined();
});

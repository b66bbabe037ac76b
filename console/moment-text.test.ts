import { expect, test } from "vitest";
import { readMoment, shownMoment } from "./src/ui/moment-text.ts";

test("dates are read in every usual form that has one meaning", () => {
  for (const text of ["2026-11-18", "2026-11-18 ", "18.11.2026", "18 Nov 2026", "18. November 2026", "18  nov  2026"])
    expect(readMoment("date", text), text).toBe("2026-11-18");
  expect(readMoment("date", "1 Mar 2027")).toBe("2027-03-01");
  for (const text of ["11/18/2026", "2026-02-30", "2026-13-01", "18 Nix 2026", "tomorrow", "0001-01-01", "2026"])
    expect(readMoment("date", text), text).toBeUndefined();
});

test("times are read with 24 or 12 hours", () => {
  for (const text of ["14:30", "1430", "14.30", "2:30 pm", "2:30PM", "02:30 p.m.", "14:30:00"])
    expect(readMoment("time", text), text).toBe("14:30");
  expect(readMoment("time", "9")).toBe("09:00");
  expect(readMoment("time", "12 am")).toBe("00:00");
  expect(readMoment("time", "12 pm")).toBe("12:00");
  for (const text of ["24:00", "9:75", "13 pm", "0 am", "noon", "-1"])
    expect(readMoment("time", text), text).toBeUndefined();
});

test("a date with a time is read as native fields write it and as people do", () => {
  for (const text of ["2026-11-18T14:30", "2026-11-18 14:30", "18.11.2026, 14:30", "18 Nov 2026 2:30 pm"])
    expect(readMoment("datetime-local", text), text).toBe("2026-11-18T14:30");
  for (const text of ["2026-11-18", "14:30", "2026-11-18 25:00"])
    expect(readMoment("datetime-local", text), text).toBeUndefined();
});

test("no text is no value, and a value is shown in one form", () => {
  expect(readMoment("date", "  ")).toBe("");
  expect(shownMoment("datetime-local", "2026-11-18T14:30:00")).toBe("2026-11-18 14:30");
  expect(shownMoment("date", "2026-11-18")).toBe("2026-11-18");
});

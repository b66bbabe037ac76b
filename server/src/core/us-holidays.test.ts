import { expect, test } from "vitest";
import { usHolidayOn } from "./us-holidays.ts";

const on = (date: string): string | undefined => usHolidayOn(Temporal.PlainDate.from(date), "us_federal");

test("every federal holiday of 2026 and 2027 is known, also observed on another day", () => {
  const year = Array.from({ length: 730 }, (_, i) => Temporal.PlainDate.from("2026-01-01").add({ days: i }).toString());
  const found = year.filter((date) => on(date) !== undefined);
  // As the Office of Personnel Management lists them, with the days themselves where they are on a weekend.
  expect(found).toEqual(
    (
      "2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-07-03 2026-07-04 2026-09-07 2026-10-12 2026-11-11 " +
      "2026-11-26 2026-12-25 2027-01-01 2027-01-18 2027-02-15 2027-05-31 2027-06-18 2027-06-19 2027-07-04 2027-07-05 " +
      "2027-09-06 2027-10-11 2027-11-11 2027-11-25 2027-12-24 2027-12-25 2027-12-31"
    ).split(" "),
  );
  expect(on("2026-11-26")).toBe("Thanksgiving Day");
  expect(on("2027-12-31")).toBe("New Year's Day (observed)");
});

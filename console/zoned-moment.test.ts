import { expect, test } from "vitest";
import { momentIn } from "./src/ui/zoned-moment.ts";

test("a local date and time is a moment in its time zone, in winter, in summer and around the change", () => {
  expect(momentIn("America/New_York", "2027-01-14", "21:00")).toBe("2027-01-15T02:00:00.000Z");
  expect(momentIn("America/New_York", "2027-07-14", "21:00")).toBe("2027-07-15T01:00:00.000Z");
  // Clocks go forward at 2:00 on 14 March 2027.
  expect(momentIn("America/New_York", "2027-03-14", "01:30")).toBe("2027-03-14T06:30:00.000Z");
  expect(momentIn("America/New_York", "2027-03-14", "03:30")).toBe("2027-03-14T07:30:00.000Z");
  expect(momentIn("UTC", "2027-03-14", "09:00")).toBe("2027-03-14T09:00:00.000Z");
  expect(momentIn("Asia/Kolkata", "2027-03-14", "09:00")).toBe("2027-03-14T03:30:00.000Z");
});

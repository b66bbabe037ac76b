import { describe, expect, test } from "vitest";
import { parseCron } from "./cron.ts";
import { describeCron } from "./cron-describe.ts";
import { upcomingRuns } from "./cron-upcoming.ts";
import { parseZone } from "./zones.ts";

function problems(expression: string): { code: string; message: string; suggestion?: string }[] {
  return parseCron(expression).errors ?? [];
}

describe("a cron expression", () => {
  test.each([
    ["61 * * * *", "In the minute field, 61 is out of range. Allowed: 0 to 59"],
    ["* 24 * * *", "In the hour field, 24 is out of range. Allowed: 0 to 23"],
    ["* * 0 * *", "In the day of month field, 0 is out of range. Allowed: 1 to 31"],
    ["* * * 13 *", "In the month field, 13 is out of range. Allowed: 1 to 12 or JAN to DEC"],
    ["* * * * 8", "In the day of week field, 8 is out of range. Allowed: 0 to 7"],
    ["* * * * MUN", `In the day of week field, "MUN" is not understood (the nearest is SUN)`],
    ["* * * JULI-AUG *", `In the month field, "JULI" is not understood (the nearest is JUL)`],
    ["*/90 * * * *", `In the minute field, the step "/90" must be a number from 1 to 59`],
    ["*/0 * * * *", `In the minute field, the step "/0" must be a number from 1 to 59`],
    ["* * * * SAT-TUE", "In the day of week field, the range SAT-TUE runs backwards; write SAT,SUN-TUE if you mean it"],
    ["* * * * 5-1", "In the day of week field, the range 5-1 runs backwards; write 5-6,0-1 if you mean it to go round"],
    ["* * * NOV-JAN *", "In the month field, the range NOV-JAN runs backwards; write NOV-DEC,JAN if you mean it"],
    ["* 22-2 * * *", "In the hour field, the range 22-2 runs backwards; write 22-23,0-2 if you mean it to go round"],
    ["1,,2 * * * *", "In the minute field, there is an empty part"],
    ["1-2-3 * * * *", `In the minute field, "1-2-3" is not a range`],
    ["1/2/3 * * * *", `In the minute field, "1/2/3" has more than one step`],
    ["- * * * *", "In the minute field, a number is missing"],
    ["? * * * *", "In the minute field, ? stands only in the day fields"],
    ["0 0 15W * *", `In the day of month field, "15W" is not supported; only L, the last day, is`],
    ["0 0 * * L", "In the day of week field, L needs a day, such as 5L or FRIL"],
    ["0 0 * * MON#6", `In the day of week field, in "MON#6" a number from 1 to 5 must follow the #`],
    ["1e1 * * * *", `In the minute field, "1E1" is not understood`],
  ])("%s is refused: %s", (expression, message) => {
    expect(problems(expression)).toMatchObject([{ pointer: "/cron", code: "cron_field_invalid" }]);
    expect(problems(expression)[0]!.message).toContain(message);
  });

  test("gets all mistakes reported at once", () => {
    expect(problems("60 24 0 13 8").map(({ message }) => message.split(",")[0])).toEqual([
      "In the minute field",
      "In the hour field",
      "In the day of month field",
      "In the month field",
      "In the day of week field",
    ]);
  });

  test("needs five fields", () => {
    expect(problems(" ")[0]!.code).toBe("cron_empty");
    expect(problems("* * * *")[0]!.message).toContain("this one has 4");
    expect(problems("0 * * * * *")[0]!.message).toContain("this one has 6. Fields for seconds and years are not");
  });

  test("may be one of the short forms", () => {
    expect(parseCron("@Daily").cron!.timesOfDay).toEqual([0]);
    expect(problems("@dayly")).toMatchObject([{ code: "cron_unknown_nickname", suggestion: "@daily" }]);
    expect(problems("@reboot")[0]!.code).toBe("cron_unknown_nickname");
    expect(problems("@constructor")[0]!.code).toBe("cron_unknown_nickname");
    expect(problems("constructor")[0]!.code).toBe("cron_field_count");
  });

  test.each([
    ["0 0 31 2 *", "there is no day 31 in FEB"],
    ["0 0 30,31 FEB ?", "there is no day 30 or 31 in FEB"],
    ["0 0 31 4,6,9,11 *", "there is no day 31 in APR or JUN or SEP or NOV"],
  ])("%s is rejected because it would never run", (expression, message) => {
    expect(problems(expression)).toMatchObject([{ code: "cron_never_fires" }]);
    expect(problems(expression)[0]!.message).toContain(message);
  });

  test.each(["0 0 29 2 *", "0 0 31 2 MON", "0 0 31,L 2 *", "0 0 31 * *", "0 0 * 2 SUN#5"])(
    "%s is rare, and accepted",
    (expression) => {
      expect(problems(expression)).toEqual([]);
    },
  );
});

test.each([
  ["30 2 * * *", "At 02:30 every day, New York time"],
  ["* * * * *", "Every minute, New York time"],
  ["*/5 * * * *", "Every 5 minutes, New York time"],
  ["*/45 * * * *", "Every hour at minutes 0 and 45, New York time"],
  ["0 * * * *", "Every hour on the hour, New York time"],
  ["7 * * * *", "Every hour at minute 7, New York time"],
  ["15 */3 * * *", "Every 3 hours, starting at 00:15 every day, New York time"],
  ["*/15 9-17 * * MON-FRI", "Every 15 minutes from 09:00 to 17:45 every Monday to Friday, New York time"],
  ["0 9,12 * * 1,3,0", "At 09:00 and 12:00 every Monday, Wednesday and Sunday, New York time"],
  ["0 0 1,L * *", "At 00:00 on day 1 and the last day of the month, New York time"],
  ["0 8 * * TUE#2,FRIL", "At 08:00 on the second Tuesday and the last Friday of the month, New York time"],
  ["0 0 1,15 * MON", "At 00:00 on days 1 and 15 of the month and also every Monday, New York time"],
  ["0 0 */2 JAN-MAR ?", "At 00:00 on days 1, 3, 5 and so on to 31 of the month in January to March, New York time"],
  ["1-9/2 1-12 * * *", "At minutes 1, 3, 5, 7 and 9 of the hours 1 to 12 every day, New York time"],
])("%s reads: %s", (expression, sentence) => {
  expect(describeCron(parseCron(expression).cron!, "America/New_York")).toBe(sentence);
});

describe("upcoming runs show the effect of clock changes", () => {
  const notes = (expression: string, zone: string, after: string, count: number): unknown[] =>
    upcomingRuns(parseCron(expression).cron!, zone, Date.parse(after), count).map(
      ({ localTime, dstTransition }) =>
        `${localTime}${dstTransition ? ` ${dstTransition.kind}: ${dstTransition.message}` : ""}`,
    );

  test("a time that does not exist moves after the gap", () => {
    expect(notes("30 2 * * *", "America/New_York", "2026-03-07T12:00Z", 2)).toEqual([
      "2026-03-08T03:00:00-04:00 shifted: The clock skips from 02:00 to 03:00: 02:30 does not exist that day and moves here.",
      "2026-03-09T02:30:00-04:00",
    ]);
  });

  test("several times in one gap run once, also if the time after the gap is scheduled itself", () => {
    expect(notes("0,30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual([
      "2026-03-29T03:00:00+02:00 shifted: The clock skips from 02:00 to 03:00: 02:00, 02:30 do not exist that day and are covered by this run.",
      "2026-03-29T03:30:00+02:00",
    ]);
  });

  test("a time that occurs twice runs the first time", () => {
    expect(notes("30 1 * * *", "America/New_York", "2026-10-31T12:00Z", 2)).toEqual([
      "2026-11-01T01:30:00-04:00 repeated: The clock goes back: 01:30 comes twice that day. The run is at the first one.",
      "2026-11-02T01:30:00-05:00",
    ]);
  });

  test("an interval runs in both passes", () => {
    expect(notes("0 * * * *", "America/New_York", "2026-11-01T04:30Z", 3)).toEqual([
      "2026-11-01T01:00:00-04:00 repeated: The clock goes back: 01:00 comes twice that day. This is the first of two runs.",
      "2026-11-01T01:00:00-05:00 repeated: The clock goes back: 01:00 comes twice that day. This is the second of two runs.",
      "2026-11-01T02:00:00-05:00",
    ]);
  });

  test("a skipped day is named by its date", () => {
    expect(notes("0 9 * * *", "Pacific/Apia", "2011-12-29T20:00Z", 2)).toEqual([
      "2011-12-31T00:00:00+14:00 shifted: The clock skips from 2011-12-30 00:00 to 2011-12-31 00:00: 2011-12-30 09:00 does not exist that day and moves here.",
      "2011-12-31T09:00:00+14:00",
    ]);
  });
});

test.each([
  ["America/NewYork", "America/New_York"],
  ["new york", "America/New_York"],
  ["Berlin", "Europe/Berlin"],
  ["Europ/Berlin", "Europe/Berlin"],
  ["Asia/Kolkatta", "Asia/Kolkata"],
  ["EDT", "America/New_York"],
])("the time zone %s is rejected, and %s suggested", (name, suggestion) => {
  const { errors } = parseZone(name);
  expect(errors).toMatchObject([{ pointer: "/timezone", code: "unknown_timezone", suggestion }]);
  // The suggestion is a field of its own: the message does not repeat it.
  expect(errors![0]!.message).not.toContain("Did you mean");
});

test("a time zone keeps the given name, in its proper spelling", () => {
  expect(parseZone("europe/kyiv").zone).toBe("Europe/Kyiv");
  expect(parseZone("US/eastern").zone).toBe("US/Eastern");
  expect(parseZone("utc").zone).toBe("UTC");
});

test("an offset is rejected as a time zone, because it would ignore daylight saving time", () => {
  expect(parseZone("+02:00").errors).toHaveLength(1);
  expect(parseZone("").errors).toHaveLength(1);
});

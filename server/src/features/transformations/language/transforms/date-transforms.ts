import { Type } from "../../../../core/type.ts";
import { OneOf, Strict } from "../../../../core/schema.ts";
import { isTimeZone } from "../../../../core/time-zones.ts";
import type { Moment } from "../date-format.ts";
import { compileDateFormat, dateTokens, parseIso, toInstant, toIsoDate, toMoment } from "../date-format.ts";
import { chargeBudget } from "../mapping-run.ts";
import { fault } from "../mapping-values.ts";
import type { CompileEnv } from "../transform.ts";
import { textTransform } from "../transform.ts";

const Format = Type.String({
  minLength: 1,
  maxLength: 60,
  description: `iso, iso_date, unix, unix_ms, or a pattern of ${dateTokens.join(" ")}`,
});
const Zone = Type.String({ minLength: 1, maxLength: 64, description: "A time zone such as America/New_York" });

type Parse = (text: string) => Moment | undefined;
type Format = (epochMs: number, zone: string) => unknown;

const maxEpochMs = 253_402_300_799_999;

const unix =
  (unit: number): Parse =>
  (text) => {
    const epochMs = /^-?\d{1,14}(\.\d{1,9})?$/.test(text) ? Math.round(Number(text) * unit) : Number.NaN;
    return Math.abs(epochMs) <= maxEpochMs / 10 || (epochMs > 0 && epochMs <= maxEpochMs)
      ? { wallMs: epochMs, offsetMinutes: 0 }
      : undefined;
  };

const parsers: Record<string, Parse> = { iso: parseIso, iso_date: parseIso, unix: unix(1000), unix_ms: unix(1) };
const formatters: Record<string, Format> = {
  iso: (epochMs) => new Date(epochMs).toISOString(),
  iso_date: (epochMs, zone) => toIsoDate(toMoment(epochMs, zone)),
  unix: (epochMs) => Math.floor(epochMs / 1000),
  unix_ms: (epochMs) => epochMs,
};

function compileSides(from: string, to: string, env: CompileEnv): { parse: Parse; format: Format } {
  const pattern = (text: string, param: string) => {
    const compiled = compileDateFormat(text);
    if (!("unknown" in compiled)) return compiled;
    env.refuse(
      param,
      "date_pattern",
      `${compiled.unknown} is no part of a date pattern; there are ${dateTokens.join(" ")}.`,
    );
    return undefined;
  };
  const parse = Object.hasOwn(parsers, from) ? parsers[from] : pattern(from, "from")?.parse;
  const format = Object.hasOwn(formatters, to) ? formatters[to] : patternFormat(pattern(to, "to"));
  return { parse: parse ?? (() => undefined), format: format ?? (() => undefined) };
}

function patternFormat(compiled: { format(moment: Moment): string } | undefined): Format | undefined {
  return compiled && ((epochMs, zone) => compiled.format(toMoment(epochMs, zone)));
}

function checkZone(zone: string | undefined, param: string, env: CompileEnv): void {
  if (zone !== undefined && !isTimeZone(zone)) env.refuse(param, "unknown_timezone", `There is no time zone ${zone}.`);
}

/** Years beyond 9999 have no four digits; zones could otherwise push a date there. */
function inRange(epochMs: number, text: string): number {
  if (epochMs <= maxEpochMs && epochMs >= -62_135_596_800_000) return epochMs;
  throw fault(text, "between the years 1 and 9999");
}

function readIso(text: string): number {
  const moment = parseIso(text);
  if (moment) return moment.wallMs;
  throw fault(text, "an ISO date", 'put a transform "date" before it');
}

export const dateTransforms = [
  textTransform({
    name: "date",
    text: "Reads a date or time in one form and writes it in another; tz is the zone of times that carry none, and the organization's unless it is given",
    params: Strict({
      from: Type.Optional(Format),
      to: Type.Optional(Format),
      tz: Type.Optional(Zone),
      to_tz: Type.Optional(Zone),
    }),
    main: "from",
    example: {
      params: { from: "MM/dd/yyyy HH:mm", to: "iso", tz: "America/New_York" },
      from: "07/04/2026 09:30",
      to: "2026-07-04T13:30:00.000Z",
    },
    compile({ from = "iso", to = "iso", tz, to_tz }, env) {
      checkZone(tz, "tz", env);
      checkZone(to_tz, "to_tz", env);
      const { parse, format } = compileSides(from, to, env);
      const zone = tz ?? env.timeZone;
      const toZone = to_tz ?? zone;
      const cost = zone === "UTC" && toZone === "UTC" ? 10 : 60;
      return (text, run) => {
        chargeBudget(run, cost);
        const moment = parse(text);
        if (!moment) throw fault(text, `a date of the form ${from}`, "correct `from` of the transform date");
        return format(inRange(toInstant(moment, zone), text), toZone);
      };
    },
  }),
  textTransform({
    name: "add_days",
    text: "Adds days to an ISO date or time; business: Saturdays and Sundays do not count",
    params: Strict({
      days: Type.Integer({ minimum: -3660, maximum: 3660 }),
      business: Type.Optional(Type.Boolean()),
    }),
    main: "days",
    example: { params: { days: 3, business: true }, from: "2026-07-03", to: "2026-07-08" },
    compile({ days, business = false }) {
      return (text, run) => {
        chargeBudget(run, 10 + (business ? Math.abs(days) : 0));
        const wallMs = readIso(text);
        const moved = inRange(business ? addBusinessDays(wallMs, days) : wallMs + days * dayMs, text);
        return new Date(moved).toISOString().slice(0, 10) + text.trim().slice(10);
      };
    },
  }),
  textTransform({
    name: "date_part",
    text: "The year, month, day, hour, weekday (1 is Monday) or ISO week of an ISO date or time",
    params: Strict({ part: OneOf(["year", "month", "day", "hour", "weekday", "week"]) }),
    main: "part",
    example: { params: { part: "weekday" }, from: "2026-07-04", to: 6 },
    compile({ part }) {
      return (text, run) => {
        chargeBudget(run, 10);
        return partOf(new Date(readIso(text)), part);
      };
    },
  }),
];

const dayMs = 86_400_000;

function addBusinessDays(wallMs: number, days: number): number {
  const direction = days < 0 ? -dayMs : dayMs;
  let at = wallMs;
  for (let left = Math.abs(days); left > 0;) {
    at += direction;
    if (![0, 6].includes(new Date(at).getUTCDay())) left--;
  }
  return at;
}

function partOf(at: Date, part: "year" | "month" | "day" | "hour" | "weekday" | "week"): number {
  const weekday = at.getUTCDay() || 7;
  if (part === "weekday") return weekday;
  if (part === "year") return at.getUTCFullYear();
  if (part === "month") return at.getUTCMonth() + 1;
  if (part === "day") return at.getUTCDate();
  if (part === "hour") return at.getUTCHours();
  const thursday = new Date(at.getTime() + (4 - weekday) * dayMs);
  // Not Date.UTC, which takes the years up to 99 for those of the last century.
  const yearStart = new Date(0).setUTCFullYear(thursday.getUTCFullYear(), 0, 1);
  return Math.floor((thursday.getTime() - yearStart) / dayMs / 7) + 1;
}

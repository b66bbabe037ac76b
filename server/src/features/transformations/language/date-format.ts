import { monthNames, weekdayNames } from "../../../core/calendar-names.ts";

/** A time as it was written: wall clock as if it were UTC, and the offset if one was given. */
export type Moment = { wallMs: number; offsetMinutes?: number };

const iso =
  /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?\s*$/i;

export function parseIso(text: string): Moment | undefined {
  const found = text.length <= 40 ? iso.exec(text) : null;
  if (!found) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", offset] = found;
  const ms = Number(fraction.slice(0, 3).padEnd(3, "0"));
  return momentOf([year, month, day, hour, minute, second].map(Number), ms, offset);
}

function momentOf(fields: number[], ms: number, offset: string | undefined): Moment | undefined {
  const [year, month, day, hour, minute, second] = fields as [number, number, number, number, number, number];
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCDate() !== day) return undefined;
  const wallMs = date.setUTCHours(hour, minute, second, ms);
  if (offset === undefined) return { wallMs };
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [undefined, "+", "0"];
  return { wallMs, offsetMinutes: (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) };
}

export function toIsoDate({ wallMs }: Moment): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

/** The instant of a moment; `zone` is the zone of its wall clock if it has no offset. */
export function toInstant({ wallMs, offsetMinutes }: Moment, zone: string): number {
  if (offsetMinutes !== undefined) return wallMs - offsetMinutes * 60_000;
  if (zone === "UTC") return wallMs;
  const wall = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO("UTC").toPlainDateTime();
  return wall.toZonedDateTime(zone).epochMilliseconds;
}

/** The wall clock of that zone at an instant. */
export function toMoment(epochMs: number, zone: string): Moment {
  if (zone === "UTC") return { wallMs: epochMs, offsetMinutes: 0 };
  const offsetMs = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
  return { wallMs: epochMs + offsetMs, offsetMinutes: Math.round(offsetMs / 60_000) };
}

const short = (name: string): string => name.slice(0, 3);
const pad = (value: number, length = 2): string => String(value).padStart(length, "0");
const hour12 = (at: Date): number => at.getUTCHours() % 12 || 12;

type Field = "year" | "month" | "day" | "hour" | "minute" | "second" | "ms" | "half" | "offset" | "none";
type Token = {
  field: Field;
  pattern: string;
  read(text: string): number;
  show(at: Date, offsetMinutes: number): string;
};

const number = (field: Field, pattern: string, show: (at: Date) => string): Token => ({
  field,
  pattern,
  read: Number,
  show,
});
const named = (field: Field, names: string[], base: number, show: (at: Date) => string): Token => ({
  field,
  pattern: names.join("|"),
  read: (text) => names.findIndex((name) => name.toLowerCase() === text.toLowerCase()) + base,
  show,
});

const tokens: Record<string, Token> = {
  yyyy: number("year", "\\d{4}", (at) => pad(at.getUTCFullYear(), 4)),
  yy: {
    field: "year",
    pattern: "\\d{2}",
    read: (text) => Number(text) + (Number(text) < 70 ? 2000 : 1900),
    show: (at) => pad(at.getUTCFullYear() % 100),
  },
  MMMM: named("month", monthNames, 1, (at) => monthNames[at.getUTCMonth()]!),
  MMM: named("month", monthNames.map(short), 1, (at) => short(monthNames[at.getUTCMonth()]!)),
  MM: number("month", "\\d{2}", (at) => pad(at.getUTCMonth() + 1)),
  M: number("month", "\\d{1,2}", (at) => String(at.getUTCMonth() + 1)),
  dd: number("day", "\\d{2}", (at) => pad(at.getUTCDate())),
  d: number("day", "\\d{1,2}", (at) => String(at.getUTCDate())),
  EEEE: named("none", weekdayNames, 0, (at) => weekdayNames[at.getUTCDay()]!),
  EEE: named("none", weekdayNames.map(short), 0, (at) => short(weekdayNames[at.getUTCDay()]!)),
  HH: number("hour", "\\d{2}", (at) => pad(at.getUTCHours())),
  H: number("hour", "\\d{1,2}", (at) => String(at.getUTCHours())),
  hh: number("hour", "\\d{2}", (at) => pad(hour12(at))),
  h: number("hour", "\\d{1,2}", (at) => String(hour12(at))),
  mm: number("minute", "\\d{2}", (at) => pad(at.getUTCMinutes())),
  ss: number("second", "\\d{2}", (at) => pad(at.getUTCSeconds())),
  SSS: number("ms", "\\d{3}", (at) => pad(at.getUTCMilliseconds(), 3)),
  a: {
    field: "half",
    pattern: "[AaPp]\\.?[Mm]\\.?",
    read: (text) => (/^p/i.test(text) ? 12 : 0),
    show: (at) => (at.getUTCHours() < 12 ? "AM" : "PM"),
  },
  XXX: {
    field: "offset",
    pattern: "Z|[+-]\\d{2}:?\\d{2}",
    read: (text) => momentOf([2000, 1, 1, 0, 0, 0], 0, text)?.offsetMinutes ?? 0,
    show: (_at, offset) =>
      offset === 0
        ? "Z"
        : `${offset < 0 ? "-" : "+"}${pad(Math.trunc(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`,
  },
};

export const dateTokens = Object.keys(tokens);
const tokenShape = new RegExp(`'[^']*'|${dateTokens.join("|")}|[A-Za-z]+|[^A-Za-z']`, "g");

export type DateFormat = { parse(text: string): Moment | undefined; format(moment: Moment): string };

/** Returns the unknown part if the pattern is invalid. */
export function compileDateFormat(pattern: string): DateFormat | { unknown: string } {
  const parts: (Token | string)[] = [];
  for (const [part] of pattern.matchAll(tokenShape)) {
    if (part.startsWith("'")) parts.push(part.slice(1, -1));
    else if (Object.hasOwn(tokens, part)) parts.push(tokens[part]!);
    else if (/[A-Za-z]/.test(part)) return { unknown: part };
    else parts.push(part);
  }
  const read = parts.filter((part) => typeof part !== "string");
  const shape = shapeOf(parts, read);
  return {
    parse: (text) => parseWith(shape, read, text),
    format({ wallMs, offsetMinutes = 0 }) {
      const at = new Date(wallMs);
      return parts.map((part) => (typeof part === "string" ? part : part.show(at, offsetMinutes))).join("");
    },
  };
}

/**
 * A token that occurs again must have the same value again. This also prevents exponential matching: thirty adjacent numbers of one or
 * two digits could be read in too many ways.
 */
function shapeOf(parts: (Token | string)[], read: Token[]): RegExp {
  let group = 0;
  const shapes = parts.map((part) => {
    if (typeof part === "string") return RegExp.escape(part);
    const first = read.indexOf(part) + 1;
    return first === ++group ? `(${part.pattern})` : `(\\${first})`;
  });
  return new RegExp(`^\\s*${shapes.join("")}\\s*$`, "i");
}

function parseWith(shape: RegExp, tokens: Token[], text: string): Moment | undefined {
  const found = text.length <= 100 ? shape.exec(text) : null;
  if (!found) return undefined;
  const fields: Partial<Record<Field, number>> = {};
  for (const [i, { field, read }] of tokens.entries()) fields[field] = read(found[i + 1]!);
  const { year = 1970, month = 1, day = 1, minute = 0, second = 0, ms = 0, half, offset } = fields;
  const hour = half === undefined ? (fields.hour ?? 0) : ((fields.hour ?? 0) % 12) + half;
  const moment = momentOf([year, month, day, hour, minute, second], ms, undefined);
  return moment && offset !== undefined ? { ...moment, offsetMinutes: offset } : moment;
}

import type { FieldError } from "../../core/errors.ts";

/** A window in local time at the pickup address. */
export type LocalWindow = { date: Temporal.PlainDate; ready: Temporal.PlainTime; close: Temporal.PlainTime };

const dateShape = /^\d{4}-\d\d-\d\d$/;
const timeShape = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const naiveShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;
const offsetShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;
const midnightShape = /T00:00(:00(\.0+)?)?(Z|[+-]\d\d:\d\d)?$/i;

type Read<T> = { value: T } | { error: FieldError };

/**
 * Reads a date in local time at the address. A time without an offset is local; one with an offset is converted. A date-time
 * at midnight stands for its date, whatever its offset.
 */
export function readDate(text: string, zone: string): Read<Temporal.PlainDate> {
  const pointer = "/pickupDate";
  try {
    if (dateShape.test(text)) return inRange(pointer, Temporal.PlainDate.from(text));
    if (midnightShape.test(text) && (naiveShape.test(text) || offsetShape.test(text))) {
      return inRange(pointer, Temporal.PlainDate.from(text.slice(0, 10)));
    }
    const moment = readMoment(text, zone);
    if (moment) return inRange(pointer, moment.toPlainDate());
  } catch {
    // Not a valid date or time; reported below.
  }
  return wrong(pointer, "This is not a date, such as 2026-03-05, nor a date-time.");
}

export function readTime(
  pointer: "/readyTime" | "/closeTime",
  text: string,
  date: Temporal.PlainDate,
  zone: string,
): Read<Temporal.PlainTime> {
  try {
    if (timeShape.test(text)) return { value: Temporal.PlainTime.from(text) };
    const moment = readMoment(text, zone);
    if (moment) {
      const local = moment.toPlainDate();
      if (local.equals(date)) return { value: moment.toPlainTime() };
      const message = `This is on ${local.toString()} at the pickup address (${zone}), not on ${date.toString()}.`;
      return { error: { pointer, code: "date_mismatch", message } };
    }
  } catch {
    // Reported below.
  }
  return wrong(pointer, "This is neither a date-time nor a time of the day, such as 09:30.");
}

function readMoment(text: string, zone: string): Temporal.ZonedDateTime | undefined {
  if (naiveShape.test(text)) return Temporal.PlainDateTime.from(text).toZonedDateTime(zone);
  if (offsetShape.test(text)) return Temporal.Instant.from(text.toUpperCase()).toZonedDateTimeISO(zone);
  return undefined;
}

function inRange(pointer: string, date: Temporal.PlainDate): Read<Temporal.PlainDate> {
  if (date.year >= 2000 && date.year <= 2200) return { value: date };
  return wrong(pointer, "This is not a day between the years 2000 and 2200.");
}

function wrong(pointer: string, message: string): { error: FieldError } {
  return { error: { pointer, code: "format", message } };
}

/** A local time skipped by daylight saving becomes the instant after the gap. */
export function momentAt(date: Temporal.PlainDate, time: Temporal.PlainTime, zone: string): Temporal.ZonedDateTime {
  return date.toZonedDateTime({ timeZone: zone, plainTime: time });
}

/** With the offset of the address, so that both the local time and the instant can be read. */
export function toOffsetText(moment: Temporal.ZonedDateTime): string {
  return moment.toString({ timeZoneName: "never", smallestUnit: "second" });
}

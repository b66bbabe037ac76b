import type { CompletePickupRules } from "../../carriers/seam/pickup-rules.ts";
import { usHolidayOn } from "../../core/us-holidays.ts";
import type { LocalWindow } from "./pickup-window.ts";
import { momentAt } from "./pickup-window.ts";

/** The rules, time zone and current time for a pickup at one address. */
export type PickupPlace = {
  rules: CompletePickupRules;
  zone: string;
  now: Temporal.Instant;
  /** Days such as 2026-03-05 that already have a pickup at this address. */
  takenDays?: ReadonlySet<string>;
};

const dayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const roundToMinutes = 15;

export function dayName(dayOfWeek: number): string {
  return dayNames[dayOfWeek - 1]!;
}

/** Why there is no pickup on this day, if so. */
export function closedBecause(date: Temporal.PlainDate, rules: CompletePickupRules): { holiday?: string } | undefined {
  if (rules.holidays.includes(date.toString())) return { holiday: "a holiday of the carrier" };
  const { holidayCalendar: calendar } = rules;
  const holiday = calendar === "none" ? undefined : usHolidayOn(date, calendar);
  if (holiday !== undefined) return { holiday };
  return rules.serviceDays.includes(date.dayOfWeek) ? undefined : {};
}

export function limitsOn(rules: CompletePickupRules): { earliest: Temporal.PlainTime; latest: Temporal.PlainTime } {
  return {
    earliest: Temporal.PlainTime.from(rules.earliestReadyTime),
    latest: Temporal.PlainTime.from(rules.latestCloseTime),
  };
}

/**
 * The valid window nearest to the wanted one: on the same day at another time, else on a later day, else (if the wanted day
 * is too far ahead) on the last allowed day.
 */
export function findSlot(wanted: LocalWindow, place: PickupPlace): LocalWindow | null {
  const today = place.now.toZonedDateTimeISO(place.zone).toPlainDate();
  const last = today.add({ days: place.rules.maxDaysAhead });
  const first = Temporal.PlainDate.compare(wanted.date, today) < 0 ? today : wanted.date;
  for (let date = first; Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
    const slot = slotOn(date, wanted, place);
    if (slot) return slot;
  }
  for (let date = last; Temporal.PlainDate.compare(date, today) >= 0; date = date.subtract({ days: 1 })) {
    const slot = slotOn(date, wanted, place);
    if (slot) return slot;
  }
  return null;
}

/** The valid window of one day nearest to the wanted one; null if there is none. */
export function slotOn(date: Temporal.PlainDate, wanted: LocalWindow, place: PickupPlace): LocalWindow | null {
  const { rules, zone, now, takenDays } = place;
  if (closedBecause(date, rules) || takenDays?.has(date.toString())) return null;
  const here = now.toZonedDateTimeISO(zone);
  const { earliest, latest } = limitsOn(rules);
  const [opens, closes] = [momentAt(date, earliest, zone), momentAt(date, latest, zone)];
  // The lead time can reach into later days.
  const from = onceOnly(later(opens, roundUp(here.add({ minutes: rules.leadMinutes }))));
  if (here.toPlainDate().equals(date)) {
    const isLate =
      rules.cutoffLocalTime !== null && Temporal.PlainTime.compare(here.toPlainTime(), rules.cutoffLocalTime) >= 0;
    if (!rules.allowsSameDay || isLate) return null;
  }
  const need = { minutes: Math.max(rules.minWindowMinutes, 1) };
  const [wantedReady, wantedClose] = [momentAt(date, wanted.ready, zone), momentAt(date, wanted.close, zone)];
  // Move the end before the start, and the start no later than the last possible one.
  const ready = later(from, earlier(wantedReady, asRead(closes.subtract(need))));
  const close = earlier(closes, onceOnly(later(wantedClose, ready.add(need))));
  if (Temporal.ZonedDateTime.compare(ready.add(need), close) > 0) return null;
  if (!ready.toPlainDate().equals(date) || !close.toPlainDate().equals(date)) return null;
  return { date, ready: ready.toPlainTime(), close: close.toPlainTime() };
}

/** The instant that the local time denotes: in an hour repeated by daylight saving, the first one. */
function asRead(moment: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return momentAt(moment.toPlainDate(), moment.toPlainTime(), moment.timeZoneId);
}

/** Moves an instant in the second of two repeated hours, which would be read as the first, to the end of that hour. */
function onceOnly(moment: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const read = asRead(moment);
  if (Temporal.ZonedDateTime.compare(read, moment) === 0) return moment;
  return moment.getTimeZoneTransition("previous")!.add(read.until(moment));
}

function roundUp(moment: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return moment.round({ smallestUnit: "minute", roundingIncrement: roundToMinutes, roundingMode: "ceil" });
}

function later(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return Temporal.ZonedDateTime.compare(a, b) >= 0 ? a : b;
}

function earlier(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return Temporal.ZonedDateTime.compare(a, b) <= 0 ? a : b;
}

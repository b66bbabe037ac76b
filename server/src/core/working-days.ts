/** The days on which an organization works, in its time zone. */
export type WorkingCalendar = {
  /** IANA name. */
  timezone: string;
  /** ISO weekdays: 1 is Monday, 7 is Sunday. At least one. */
  workingDays: readonly number[];
  /** Calendar days, `YYYY-MM-DD`. */
  holidays: ReadonlySet<string>;
  /** `HH:MM`: work that arrives at this time or later starts on the next working day. Null: there is no cut-off. */
  cutoffTime: string | null;
};

/** In the order of ISO weekdays. */
export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

export const defaultWorkingDays: readonly number[] = [1, 2, 3, 4, 5];

const dayMs = 86_400_000;

/** `day` is a calendar day, `YYYY-MM-DD`. */
export function isWorkingDay(day: string, calendar: WorkingCalendar): boolean {
  const weekday = new Date(day).getUTCDay() || 7;
  return calendar.workingDays.includes(weekday) && !calendar.holidays.has(day);
}

/**
 * The day after so many working days; with a negative count, before them. Days off do not count: the first working day after
 * a Saturday is usually Monday. With 0 it is the day itself, whether the organization works on it or not.
 */
export function addWorkingDays(day: string, count: number, calendar: WorkingCalendar): string {
  // The loop would not end. Requests are validated, so this is a mistake in the hub.
  if (calendar.workingDays.length === 0) throw new Error("A calendar needs at least one working day.");
  const step = count < 0 ? -dayMs : dayMs;
  let at = Date.parse(day);
  let found = day;
  for (let left = Math.abs(count); left > 0;) {
    at += step;
    found = new Date(at).toISOString().slice(0, 10);
    if (isWorkingDay(found, calendar)) left--;
  }
  return found;
}

/** The first working day after this one. */
export function nextWorkingDay(day: string, calendar: WorkingCalendar): string {
  return addWorkingDays(day, 1, calendar);
}

/** The day on which work that arrives now starts: today before the cut-off, else the next working day. */
export function startDay(now: Date, calendar: WorkingCalendar): string {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(calendar.timezone);
  const today = local.toPlainDate().toString();
  const isLate = calendar.cutoffTime !== null && local.toPlainTime().toString().slice(0, 5) >= calendar.cutoffTime;
  return isLate || !isWorkingDay(today, calendar) ? nextWorkingDay(today, calendar) : today;
}

/**
 * The moment at the same local time so many working days later. A local time that does not exist on that day, because clocks
 * are set forward, becomes the time just after the gap.
 */
export function addWorkingDaysTo(at: Date, count: number, calendar: WorkingCalendar): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(calendar.timezone);
  const day = Temporal.PlainDate.from(addWorkingDays(local.toPlainDate().toString(), count, calendar));
  const moved = day.toZonedDateTime({ timeZone: calendar.timezone, plainTime: local.toPlainTime() });
  return new Date(moved.epochMilliseconds);
}

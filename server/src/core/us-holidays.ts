type Holiday = { name: string } & ({ month: number; day: number } | { month: number; weekday: number; nth: number });

const monday = 1;
const thursday = 4;

/** Federal holidays of the United States. A negative `nth` counts from the end of the month. */
const federal: Holiday[] = [
  { name: "New Year's Day", month: 1, day: 1 },
  { name: "Martin Luther King Jr. Day", month: 1, weekday: monday, nth: 3 },
  { name: "Washington's Birthday", month: 2, weekday: monday, nth: 3 },
  { name: "Memorial Day", month: 5, weekday: monday, nth: -1 },
  { name: "Juneteenth", month: 6, day: 19 },
  { name: "Independence Day", month: 7, day: 4 },
  { name: "Labor Day", month: 9, weekday: monday, nth: 1 },
  { name: "Columbus Day", month: 10, weekday: monday, nth: 2 },
  { name: "Veterans Day", month: 11, day: 11 },
  { name: "Thanksgiving Day", month: 11, weekday: thursday, nth: 4 },
  { name: "Christmas Day", month: 12, day: 25 },
];

/** On the others UPS and FedEx collect and deliver as on any day; the postal service keeps them all. */
const keptByCarriers = new Set([
  "New Year's Day",
  "Memorial Day",
  "Independence Day",
  "Labor Day",
  "Thanksgiving Day",
  "Christmas Day",
]);

/** `us_federal`: as the postal service and public offices; `us_parcel`: as private carriers. */
export type HolidayCalendar = "us_federal" | "us_parcel";

/**
 * The name of the holiday that this day is, or is kept as: on a Saturday the Friday before, on a Sunday the Monday after. Carriers
 * that work on Saturdays keep a holiday on a Saturday on that day alone.
 */
export function usHolidayOn(
  date: Temporal.PlainDate,
  calendar: HolidayCalendar,
  worksSaturdays = false,
): string | undefined {
  return holidayItself(date, calendar) ?? observed(date, calendar, worksSaturdays);
}

function observed(date: Temporal.PlainDate, calendar: HolidayCalendar, worksSaturdays: boolean): string | undefined {
  if (date.dayOfWeek === 5)
    return worksSaturdays ? undefined : suffixed(holidayItself(date.add({ days: 1 }), calendar));
  return date.dayOfWeek === monday ? suffixed(holidayItself(date.subtract({ days: 1 }), calendar)) : undefined;
}

function suffixed(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${name} (observed)`;
}

function holidayItself(date: Temporal.PlainDate, calendar: HolidayCalendar): string | undefined {
  const name = federal.find((holiday) => isOn(holiday, date))?.name;
  return name === undefined || (calendar === "us_parcel" && !keptByCarriers.has(name)) ? undefined : name;
}

function isOn(holiday: Holiday, date: Temporal.PlainDate): boolean {
  if (holiday.month !== date.month) return false;
  if ("day" in holiday) return holiday.day === date.day;
  if (holiday.weekday !== date.dayOfWeek) return false;
  return holiday.nth > 0 ? Math.ceil(date.day / 7) === holiday.nth : date.day + 7 > date.daysInMonth;
}

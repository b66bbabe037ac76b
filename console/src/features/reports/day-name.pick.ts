const format = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "17 Nov" for "2026-11-17". */
export const dayName = (day: string): string => format.format(new Date(`${day}T00:00:00Z`));

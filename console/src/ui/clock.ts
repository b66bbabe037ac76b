/** Current time and time zone. */
export type Clock = { timeZone: string; now(): number };

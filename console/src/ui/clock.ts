/** What time it is, and where. */
export type Clock = { timeZone: string; now(): number };

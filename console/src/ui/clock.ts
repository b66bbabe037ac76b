/** Current time and the time zone of what is shown; `entryZone`: that of times that are typed, if it is another one. */
export type Clock = { timeZone: string; entryZone?: string; now(): number };

import type { Call } from "../connector.ts";
import { startOf } from "../incremental.ts";
import { instantOf } from "../shape.ts";
import type { UpdatedSince } from "./rest-pull.schemas.ts";

/** Where an incremental pull starts; undefined: it reads all records. */
export function startSince(call: Call, { initial }: UpdatedSince, cursor: unknown): string | undefined {
  return startOf(call, cursor) ?? (initial === undefined ? undefined : instantOfInitial(initial, call.now()));
}

/** `30d` is counted back from now. Undefined: not a time. */
export function instantOfInitial(initial: string, now: Date): string | undefined {
  const [, days] = /^(\d+)d$/.exec(initial) ?? [];
  if (days === undefined) return instantOf(initial);
  return new Date(now.getTime() - Number(days) * 86_400_000).toISOString();
}

const writers: Record<NonNullable<UpdatedSince["format"]>, (instant: string) => string | number> = {
  iso: (instant) => instant,
  unix: (instant) => Math.floor(Date.parse(instant) / 1000),
  unix_ms: (instant) => Date.parse(instant),
  datetime: (instant) => instant.slice(0, 19).replace("T", " "),
  date: (instant) => instant.slice(0, 10),
};

/** `instant` is in UTC. A format without seconds or a time of day is rounded down, so that no change is missed. */
export function writeSince(instant: string, { format = "iso" }: UpdatedSince): string | number {
  return writers[format](instant);
}

const maxSeconds = 1e11;

/** The time of a change in a record. A number is in seconds since 1970, or in milliseconds if it is too large for that. */
export function readInstant(value: unknown): string | undefined {
  const number = typeof value === "string" && /^\d{9,16}$/.test(value) ? Number(value) : value;
  return instantOf(typeof number === "number" && number < maxSeconds ? number * 1000 : number);
}

import type { FieldError } from "../../core/errors.ts";
import { validationFailed } from "../../core/errors.ts";
import { parseCron, storedCron } from "./cron/cron.ts";
import { nextOccurrence } from "./cron/cron-occurrences.ts";
import { parseZone } from "./cron/zones.ts";

/** `at`: JSON pointer of the object that has `cron` and `timezone`. */
export function checkTiming(expression: string, zone: string, at = "") {
  const parsed = parseCron(expression, `${at}/cron`);
  const named = parseZone(zone, `${at}/timezone`);
  const errors: FieldError[] = [...(parsed.errors ?? []), ...(named.errors ?? [])];
  if (!parsed.cron || named.zone === undefined) throw validationFailed(errors);
  return { cron: parsed.cron, timezone: named.zone };
}

/** The first occurrence after a time, for timing that `checkTiming` has accepted. */
export function nextTime({ cron, timezone }: { cron: string; timezone: string }, after: number): Date {
  return new Date(nextOccurrence(storedCron(cron), timezone, after));
}

import { toMoment, zoneOfAddress } from "../../../core/time-zones.ts";

const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i;

/** The instant of an event. A time without an offset is local to `zone`. Undefined: not a valid time. */
export function readEventTime(text: string, zone: string): string | undefined {
  const [, day, time, offset = ""] = written.exec(text.trim()) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(`${day}T${time}${offset || "Z"}`))) return undefined;
  try {
    // Throws for days the month does not have.
    Temporal.PlainDate.from(day);
    const moment = toMoment(`${day}T${time}${offset}`, zone);
    const year = new Date(moment).getUTCFullYear();
    return year >= 1970 && year <= 2200 ? moment : undefined;
  } catch {
    return undefined;
  }
}

const canadianProvinces = new Set("AB BC MB NB NL NS NT NU ON PE QC SK YT".split(" "));

/** The time zone of a place such as "Newark, NJ", "Newark, NJ 07114, US" or "Toronto, ON, CA". Undefined: unknown. */
export function zoneOfLocation(location: string | null | undefined): string | undefined {
  const parts = (location ?? "").split(",").map((part) => part.trim().toUpperCase());
  if (["US", "USA", "UNITED STATES"].includes(parts.at(-1)!)) parts.pop();
  const isCanadian = ["CA", "CANADA"].includes(parts.at(-1)!) && canadianProvinces.has(parts.at(-2) ?? "");
  if (isCanadian) parts.pop();
  const [, provinceCode, zip] = /^([A-Z]{2})(?:\s+(\d{5})(?:-\d{4})?)?$/.exec(parts.at(-1) ?? "") ?? [];
  if (provinceCode === undefined) return undefined;
  return zoneOfAddress({ provinceCode, countryCode: isCanadian ? "CA" : "US", ...(zip && { zip }) });
}

import type { FieldError } from "../../../core/errors.ts";
import { nearestName } from "../../../core/nearest.ts";

/** A period in which a zone keeps one offset from UTC. All numbers are milliseconds. */
export type Stretch = {
  start: number;
  end: number;
  offset: number;
  /** The offset before `start`. */
  offsetBefore: number;
};

const keptStretches = 20_000;
let stretchCount = 0;
let stretchesOf = new Map<string, Stretch[]>();

/** The stretch that contains this instant. Cached, since a query of the time zone database takes about 10 µs. */
export function stretchAt(zone: string, instant: number): Stretch {
  const known = stretchesOf.get(zone) ?? [];
  let low = 0;
  let high = known.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const stretch = known[middle]!;
    if (instant < stretch.start) high = middle - 1;
    else if (instant >= stretch.end) low = middle + 1;
    else return stretch;
  }
  const found = lookUp(zone, instant);
  if (++stretchCount > keptStretches) {
    [stretchCount, stretchesOf] = [1, new Map([[zone, [found]]])];
    return found;
  }
  stretchesOf.set(zone, known.toSpliced(low, 0, found));
  return found;
}

function lookUp(zone: string, instant: number): Stretch {
  const at = (ms: number): Temporal.ZonedDateTime =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  // "previous" is strictly before, and a stretch begins at its own transition.
  const start = at(instant + 1).getTimeZoneTransition("previous")?.epochMilliseconds ?? -Infinity;
  const end = at(instant).getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity;
  const offset = at(instant).offsetNanoseconds / 1e6;
  const offsetBefore = start === -Infinity ? offset : at(start - 1).offsetNanoseconds / 1e6;
  return { start, end, offset, offsetBefore };
}

export type ParsedZone = { zone: string; errors?: undefined } | { zone?: undefined; errors: FieldError[] };

/** Common abbreviations that are no zones, because they do not define daylight saving. */
const abbreviations: Record<string, string> = {
  PST: "America/Los_Angeles",
  PDT: "America/Los_Angeles",
  MDT: "America/Denver",
  CST: "America/Chicago",
  CDT: "America/Chicago",
  EDT: "America/New_York",
  BST: "Europe/London",
  CEST: "Europe/Berlin",
  IST: "Asia/Kolkata",
  JST: "Asia/Tokyo",
  AEST: "Australia/Sydney",
  AEDT: "Australia/Sydney",
};

/** The zone in its canonical case. Aliases such as US/Eastern are kept; they follow the same rules. */
export function parseZone(name: string, pointer = "/timezone"): ParsedZone {
  // Temporal accepts offsets, which would silently ignore daylight saving.
  if (/^[A-Za-z]/.test(name)) {
    try {
      return { zone: Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const suggestion = nearestZone(name);
  const shown = name.length > 64 ? `${name.slice(0, 64)}...` : name;
  const message = `"${shown}" is not a time zone; give an IANA name such as America/New_York or UTC.`;
  return { errors: [{ pointer, code: "unknown_timezone", message, ...(suggestion !== undefined && { suggestion }) }] };
}

/** The runtime lists these zones under their old names. */
const renamed = [
  "Africa/Asmara",
  "America/Nuuk",
  "Asia/Ho_Chi_Minh",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Asia/Yangon",
  "Atlantic/Faroe",
  "Europe/Kyiv",
];

function nearestZone(name: string): string | undefined {
  const wanted = name.trim().replaceAll(/\s+/g, "_");
  const meant = abbreviations[wanted.toUpperCase()];
  if (meant !== undefined) return meant;
  const zones = ["UTC", ...renamed, ...Intl.supportedValuesOf("timeZone")];
  const cities = new Map(zones.map((zone) => [cityOf(zone), zone]));
  const exact = cities.get(cityOf(wanted));
  if (exact !== undefined) return exact;
  if (wanted.includes("/")) return nearestName(wanted, zones);
  const city = nearestName(wanted, [...cities.keys()]);
  return city === undefined ? undefined : cities.get(city);
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1).toLowerCase();
}

/** "New York time", for sentences. */
export function zonePhrase(zone: string): string {
  if (/^(Etc\/)?(UTC|UCT|Zulu|Universal)$/.test(zone)) return "UTC";
  const isPlace = zone.includes("/") && !zone.startsWith("Etc/");
  return `${isPlace ? zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ") : zone} time`;
}

import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import type { FieldError } from "../../core/errors.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { zonePattern } from "../rate-card/card.schemas.ts";
import type { ServiceLevel } from "../rate-card/service-level.ts";
import { foldService, levelOfService, modeOf, modes } from "../rate-card/service-level.ts";

const ZipRange = Type.String({
  pattern: "^(\\d{3}|\\d{5})(-+(\\d{3}|\\d{5}))?$",
  description: "A ZIP, a ZIP3 or a range: 10001, 004, 004-005, 96939-96944",
});

export const ChartRow = Strict({
  origin: ZipRange,
  destination: ZipRange,
  zone: Type.Unsafe<string | null>({ type: ["string", "null"], pattern: zonePattern, description: "null: not served" }),
  service: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Default: every service" })),
  mode: Type.Optional(OneOf(modes, { description: "All services by ground or by air" })),
});
export type ChartRow = Static<typeof ChartRow>;

type Row = {
  from: number;
  to: number;
  originFrom: number;
  originTo: number;
  zone: string | null;
  service: string;
  level: ServiceLevel | undefined;
  mode: ChartRow["mode"];
};

/** Rows by the first three digits of the destination, the narrowest first. */
export type ZoneChart = { byPrefix: Row[][] };

export function compileChart(rows: readonly ChartRow[]): ZoneChart {
  const byPrefix: Row[][] = Array.from({ length: 1000 }, () => []);
  for (const { origin, destination, zone, service, mode } of rows) {
    const [[originFrom, originTo], [from, to]] = [rangeOf(origin)!, rangeOf(destination)!];
    const named = service === undefined ? { service: "", level: undefined } : nameOf(service);
    const row = { from, to, originFrom, originTo, zone, mode, ...named };
    for (let prefix = Math.floor(from / 100); prefix <= Math.floor(to / 100); prefix++) byPrefix[prefix]!.push(row);
  }
  const width = (row: Row): number => row.to - row.from + (row.originTo - row.originFrom) / 1e6;
  for (const list of byPrefix) list.sort((a, b) => specificity(b) - specificity(a) || width(a) - width(b));
  return { byPrefix };
}

/** Rows of a service count before those of a mode, and these before those of every service. */
function specificity({ service, mode }: Row): number {
  return service !== "" ? 2 : mode === undefined ? 0 : 1;
}

/** Null: not served. Undefined: not in the chart. */
export function zoneInChart(
  chart: ZoneChart,
  origin: string,
  destination: string,
  service?: ChartedService,
): string | null | undefined {
  const [from, to] = [Number(origin), Number(destination)];
  for (const row of chart.byPrefix[Math.floor(to / 100)]!) {
    if (to < row.from || to > row.to || from < row.originFrom || from > row.originTo) continue;
    if (row.mode !== undefined && (!service || modeOf(service.level) !== row.mode)) continue;
    if (row.service === "" || isMeant(row, service)) return row.zone;
  }
  return undefined;
}

/** A chart column matches a service by one of its names, or by its level. */
/** Zones by the countries of origin and destination; without a set, all countries. */
export type CountryZones = readonly {
  origins: ReadonlySet<string> | undefined;
  destinations: ReadonlySet<string> | undefined;
  zone: string | null;
}[];

export type ChartedService = {
  names: ReadonlySet<string>;
  level: ServiceLevel;
  /** Zones that the card assigns to places; they count after the chart of the account. */
  ownZones?: ZoneChart | undefined;
  /** Zones of shipments that are not within the United States. */
  countryZones?: CountryZones | undefined;
  /** Names of the zones found by distance. */
  zoneNames?: ReadonlyMap<string, string> | undefined;
};

function isMeant(row: Row, service: ChartedService | undefined): boolean {
  return service !== undefined && (service.names.has(row.service) || row.level === service.level);
}

function nameOf(service: string): { service: string; level: ServiceLevel | undefined } {
  return { service: foldService(service), level: levelOfService(service) };
}

/** A range as five-digit numbers; undefined if it is not valid. */
export function rangeOf(text: string): [from: number, to: number] | undefined {
  const found = /^(\d{3}|\d{5})(?:-+(\d{3}|\d{5}))?$/.exec(text.trim());
  const first = found?.[1];
  if (first === undefined) return undefined;
  const last = found?.[2] ?? first;
  const from = Number(first.padEnd(5, "0"));
  const to = Number(last.padEnd(5, "9"));
  return to < from ? undefined : [from, to];
}

/** Detects rows that assign different zones to the same lane. Returns the error message, if any. */
export function createConflictCheck() {
  const zones = new Map<string, string | null>();
  return (origin: string, destination: string, service: string, zone: string | null): string | undefined => {
    const key = `${origin}|${destination}|${foldService(service)}`;
    const former = zones.get(key);
    if (former === undefined) zones.set(key, zone);
    if (former === undefined || former === zone) return undefined;
    return `Zone ${zone ?? "'not served'"} conflicts with ${former ?? "'not served'"} in an earlier row for ${destination}.`;
  };
}

export function checkChart(rows: readonly ChartRow[], pointer: string): FieldError[] {
  const errors: FieldError[] = [];
  const findConflict = createConflictCheck();
  for (const [index, row] of rows.entries()) {
    const conflict = findConflict(row.origin, row.destination, `${row.service ?? ""} ${row.mode ?? ""}`, row.zone);
    if (conflict !== undefined && errors.length < 200)
      errors.push({ pointer: `${pointer}/${index}/zone`, code: "conflicting_rows", message: conflict });
    for (const field of ["origin", "destination"] as const) {
      if (!rangeOf(row[field]) && errors.length < 200)
        errors.push({
          pointer: `${pointer}/${index}/${field}`,
          code: "zip_range",
          message: `${row[field]} is not a valid range.`,
        });
    }
  }
  return errors;
}

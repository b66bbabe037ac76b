import type { Point } from "./distance.ts";
import { milesBetween, pointOfState, pointOfZip } from "./distance.ts";
import { prefixesOfState } from "../../core/zip-states.ts";
import { normaliseZip, stateOfPlace } from "./zip.ts";
import type { ChartedService, CountryZones, ZoneChart } from "./zone-chart.ts";
import { zoneInChart } from "./zone-chart.ts";
import type { Band, SchemeName, ZoneScheme } from "./zone-schemes.ts";
import { schemeOf } from "./zone-schemes.ts";

/** `country`: its ISO code; without one the United States, which include the territories. ZIP and state are those of the United States. */
export type Place = {
  zip?: string | null | undefined;
  state?: string | null | undefined;
  country?: string | null | undefined;
};

export type ZoneSource = "chart" | "distance" | "state" | "flat";

export type FoundZone = {
  zone: string;
  source: ZoneSource;
  distanceMiles?: number;
  /** The neighboring zone, if the distance is so close to its band that the carrier's chart may assign that zone. */
  alternativeZone?: string;
};

export type NoZone = { reason: "zone_unresolved" | "not_serviceable"; message: string };

export type ZoneRules = { scheme: SchemeName; distances: ZoneScheme | undefined; chart: ZoneChart | undefined };

const borderlineMiles = 15;
export const flatZone = "all";

export function zoneRules(scheme: SchemeName, bands?: readonly Band[], chart?: ZoneChart): ZoneRules {
  return { scheme, distances: schemeOf(scheme, bands), chart };
}

/**
 * The zone from the chart, else by the distance between ZIP3 areas, else between states. The route of some light mail
 * depends on its weight; without a weight the route of heavier parcels is used.
 */
export function resolveZone(
  rules: ZoneRules,
  origin: Place,
  destination: Place,
  service?: ChartedService,
  weightMg?: number,
): FoundZone | NoZone {
  if (rules.scheme === "flat") return { zone: flatZone, source: "flat" };
  const abroad = service?.countryZones && zoneAbroad(service.countryZones, origin, destination);
  if (abroad) return abroad;
  const [from, to] = [normaliseZip(origin.zip), normaliseZip(destination.zip)];
  if (rules.chart && from !== undefined && to !== undefined) {
    const charted = zoneInChart(rules.chart, from, to, service);
    if (charted === null) return notServed(to);
    if (charted !== undefined) return { zone: charted, source: "chart" };
  }
  const own =
    service?.ownZones && zoneInChart(service.ownZones, from ?? "00000", to ?? zipOfState(destination), service);
  if (own === null) return notServed(to ?? destination.state ?? "");
  if (own !== undefined) return { zone: own, source: "chart" };
  if (!rules.distances) return unresolved("The zone chart does not contain these ZIPs.");
  const a = locate(from, origin.state);
  const b = locate(gatewayZip(rules.distances, to, service, weightMg) ?? to, destination.state);
  if (!a || !b) return unresolved(`The ${a ? "destination" : "origin"} has no known ZIP or state.`);
  return named(byDistance(rules.distances, a, b), service?.zoneNames);
}

/** Undefined: the shipment is within the United States. */
function zoneAbroad(zones: CountryZones, origin: Place, destination: Place): FoundZone | NoZone | undefined {
  const [from, to] = [origin.country ?? "US", destination.country ?? "US"];
  if (from === "US" && to === "US") return undefined;
  const found = zones.find((one) => (one.origins?.has(from) ?? true) && (one.destinations?.has(to) ?? true));
  if (!found) return unresolved(`The card has no zone from ${from} to ${to}.`);
  if (found.zone === null)
    return { reason: "not_serviceable", message: `The service does not go from ${from} to ${to}.` };
  return { zone: found.zone, source: "chart" };
}

/** The first ZIP of a state, for places without one; no exception applies to 00000. */
function zipOfState({ state }: Place): string {
  const [prefix = "000"] = prefixesOfState(stateOfPlace(state, undefined) ?? "");
  return `${prefix}00`;
}

/** Zones of a distance under the names that the service has for them. */
function named(found: FoundZone | NoZone, names: ReadonlyMap<string, string> | undefined): FoundZone | NoZone {
  if (!names || "reason" in found) return found;
  const { zone, alternativeZone: next } = found;
  const other = next === undefined ? {} : { alternativeZone: names.get(next) ?? next };
  return { ...found, zone: names.get(zone) ?? zone, ...other };
}

function gatewayZip(
  scheme: ZoneScheme,
  to: string | undefined,
  service: ChartedService | undefined,
  weightMg: number | undefined,
): string | undefined {
  if (!scheme.gatewayZip || to === undefined || service === undefined || weightMg === undefined) return undefined;
  return scheme.gatewayZip(to, { level: service.level, weightMg });
}

type Located = { point: Point; zip: string; isExact: boolean };

function locate(zip: string | undefined, state: string | null | undefined): Located | undefined {
  const point = zip === undefined ? undefined : pointOfZip(zip);
  if (zip !== undefined && point) return { point, zip, isExact: true };
  const code = stateOfPlace(state, undefined) ?? "";
  const [prefix] = prefixesOfState(code);
  const middle = pointOfState(code);
  return middle && prefix !== undefined ? { point: middle, zip: `${prefix}00`, isExact: false } : undefined;
}

function byDistance(scheme: ZoneScheme, a: Located, b: Located): FoundZone | NoZone {
  const source = a.isExact && b.isExact ? "distance" : "state";
  const special = a.isExact || b.isExact || a.zip !== b.zip ? scheme.special(a.zip, b.zip) : undefined;
  if (special === null) return notServed(b.zip);
  const miles = milesBetween(a.point, b.point);
  const distanceMiles = Math.round(miles);
  if (special !== undefined) return { zone: special, source, distanceMiles };
  let band = 0;
  while (band < scheme.edges.length && miles > scheme.edges[band]!) band++;
  const zone = scheme.zones[band];
  if (zone === undefined) return unresolved(`The distance of ${distanceMiles} miles is beyond the last band.`);
  const alternativeZone = neighbour(scheme, band, miles, source === "state");
  return { zone, source, distanceMiles, ...(alternativeZone === undefined ? {} : { alternativeZone }) };
}

/** The zone across the nearest band edge, if that is close. Distances between states are always approximate. */
function neighbour(scheme: ZoneScheme, band: number, miles: number, isRough: boolean): string | undefined {
  const below = band > 0 ? miles - scheme.edges[band - 1]! : Infinity;
  const above = band < scheme.edges.length ? scheme.edges[band]! - miles : Infinity;
  if (!isRough && Math.min(below, above) > borderlineMiles) return undefined;
  return below <= above ? scheme.zones[band - 1] : scheme.zones[band + 1];
}

function notServed(zip: string): NoZone {
  return { reason: "not_serviceable", message: `ZIP ${zip} is not served.` };
}

function unresolved(message: string): NoZone {
  return { reason: "zone_unresolved", message };
}

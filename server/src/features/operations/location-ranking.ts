import { milesBetween, pointOfState, pointOfZip } from "../../carriers/zones/distance.ts";
import { normaliseZip, stateOfPlace } from "../../carriers/zones/zip.ts";
import type { Address } from "../../core/address.ts";

/**
 * How far a location is from an address, for comparisons only. Within the US in miles, from ZIP or state. In other countries the hub
 * has no coordinates: there, postal codes that begin alike are near each other. Another or an unknown country is farthest.
 */
export function distanceBetween(from: Address, to: Address): number {
  const country = countryOf(from);
  if (country === undefined || country !== countryOf(to)) return Infinity;
  if (country !== "us") return farWithinCountry - sharedStart(from.zip, to.zip);
  const [start, end] = [pointOf(from), pointOf(to)];
  return start && end ? milesBetween(start, end) : farWithinCountry;
}

/** More miles than there are between two places on earth. */
const farWithinCountry = 20_000;

function countryOf({ countryCode, country }: Address): string | undefined {
  return (countryCode || country)?.trim().toLowerCase() || undefined;
}

function pointOf({ zip, provinceCode, province }: Address) {
  const normal = normaliseZip(zip);
  const byZip = normal === undefined ? undefined : pointOfZip(normal);
  return byZip ?? pointOfState(stateOfPlace(provinceCode ?? province, undefined) ?? "");
}

function sharedStart(one = "", other = ""): number {
  const [a, b] = [one, other].map((zip) => zip.replaceAll(/[\s-]/g, "").toLowerCase()) as [string, string];
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

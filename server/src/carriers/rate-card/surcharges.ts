import { shareOfShares } from "../../core/money.ts";
import type { CompiledService, CompiledSurcharge } from "./compile-card.ts";
import { fineToCents } from "./fine-money.ts";
import { countUnits, lengthPlusGirth, volumeOf } from "./measures.ts";
import type { Candidate, Parcel, PriceLine, Situation, Trip } from "./price-types.ts";

const whole = 1_000_000;

/** The share of the surcharge that applies: all, none, or its allocation if it is unknown whether the address is residential. */
export function shareAt(
  surcharge: CompiledSurcharge,
  service: CompiledService,
  trip: Trip,
  weeklyPieces: number,
): number {
  if (surcharge.services && !surcharge.services.has(service.code)) return 0;
  if (surcharge.zones && !surcharge.zones.has(trip.zone)) return 0;
  if (weeklyPieces <= surcharge.piecesOver || weeklyPieces > surcharge.piecesUpTo) return 0;
  if (trip.shipDate < surcharge.from || trip.shipDate > surcharge.to) return 0;
  if (surcharge.states && !surcharge.states.has(trip.destinationState ?? "")) return 0;
  if (surcharge.destination && !isIn(surcharge.destination, trip.destinationZip, trip.destinationState)) return 0;
  if (surcharge.origin && !isIn(surcharge.origin, trip.originZip, trip.originState)) return 0;
  if (surcharge.residential === undefined || surcharge.residential === trip.residential) return whole;
  return trip.residential === null ? (surcharge.allocationPpm ?? 0) : 0;
}

/** A place in a set of ZIPs, ZIP3s or states. */
export function isIn(has: (value: string) => boolean, zip: string | undefined, state: string | undefined): boolean {
  if (zip !== undefined && (has(zip) || has(zip.slice(0, 3)))) return true;
  return state !== undefined && has(state);
}

/** The surcharges of this parcel. */
export function applySurcharges({ candidates, byParcel, usual }: Situation, parcel: Parcel): Candidate[] {
  if (!byParcel.some(({ surcharge }) => fitsParcel(surcharge, parcel))) return usual;
  return chooseSurcharges(candidates.filter(({ surcharge }) => !surcharge.isByParcel || fitsParcel(surcharge, parcel)));
}

/** The highest priority of each group, then the surcharges that require one of these. */
export function chooseSurcharges(meant: Candidate[]): Candidate[] {
  const first = strongestOfGroups(meant.filter(({ surcharge }) => surcharge.requires === undefined));
  const codes = new Set(first.map(({ surcharge }) => surcharge.code));
  const second = meant.filter(({ surcharge }) => surcharge.requires?.some((code) => codes.has(code)));
  return second.length === 0 ? first : strongestOfGroups([...first, ...second]);
}

function strongestOfGroups(candidates: Candidate[]): Candidate[] {
  const best = new Map<string, CompiledSurcharge>();
  for (const { surcharge } of candidates) {
    if (surcharge.group === undefined) continue;
    const rival = best.get(surcharge.group);
    if (!rival || surcharge.priority > rival.priority) best.set(surcharge.group, surcharge);
  }
  return candidates.filter(({ surcharge }) => surcharge.group === undefined || best.get(surcharge.group) === surcharge);
}

function fitsParcel(surcharge: CompiledSurcharge, { weightMg, sides }: Parcel): boolean {
  if (weightMg <= surcharge.weightOverMg) return false;
  const asksForSize =
    surcharge.longestSideOver >= 0 ||
    surcharge.secondLongestSideOver >= 0 ||
    surcharge.lengthPlusGirthOver >= 0 ||
    surcharge.volumeOver >= 0;
  if (!asksForSize) return true;
  if (!sides) return false;
  return (
    sides[0] > surcharge.longestSideOver &&
    sides[1] > surcharge.secondLongestSideOver &&
    lengthPlusGirth(sides) > surcharge.lengthPlusGirthOver &&
    volumeOf(sides) > surcharge.volumeOver
  );
}

export function surchargeLine(
  { surcharge, sharePpm }: Candidate,
  zone: string,
  net: number,
  billableMg: number,
): PriceLine {
  const { code, kind, keptPpm } = surcharge;
  const ppm = (keptPpm * sharePpm) / whole;
  if (kind === "percent") {
    const cents = shareOfShares(net, surcharge.ppm, keptPpm, sharePpm);
    return { code, cents, ofCents: net, ppm: (surcharge.ppm * ppm) / whole };
  }
  const each = surcharge.fineByZone?.get(zone) ?? surcharge.fine;
  const quantity = kind === "per_weight" ? countUnits(billableMg, surcharge.unitMg) : 1;
  const full = each * quantity;
  return { code, cents: centsOf(full, keptPpm, sharePpm), ofCents: fineToCents(full), ppm, quantity };
}

/** A share of an amount in hundredths of a cent, rounded once. Whole cents are the usual and the faster case. */
function centsOf(fine: number, keptPpm: number, sharePpm: number): number {
  if (fine % 100 === 0) return shareOfShares(fine / 100, keptPpm, sharePpm);
  return shareOfShares(fine, whole / 100, keptPpm, sharePpm);
}

import { shareOf } from "../../core/money.ts";
import type { Base } from "./base-price.ts";
import { basePrice } from "./base-price.ts";
import type { CompiledHundredweight } from "./compile-terms.ts";
import { countUnits } from "./measures.ts";
import type { Parcel, Piece, Price, Refusal, Situation, Weighed } from "./price.ts";
import { isRefusal, priceParcel, weigh } from "./price.ts";

/** Prices the parcels of a shipment. */
export function priceShipment(situation: Situation, parcels: readonly Parcel[]): (Price | Refusal)[] {
  const pieces = piecesOf(situation, parcels);
  return parcels.map((parcel, index) => priceParcel(situation, parcel, pieces[index]));
}

/** What each parcel of a shipment bears: the first one that is not refused all that is charged for the whole. */
export function piecesOf(situation: Situation, parcels: readonly Parcel[]): Piece[] {
  const weighed = parcels.map((parcel) => weigh(situation, parcel));
  const accepted = weighed.filter((one): one is Weighed => !isRefusal(one));
  const base = baseOfAll(situation, accepted);
  return weighed.map((one): Piece => pieceOf(base, one, one === accepted[0]));
}

/** If the shipment as a whole is refused, so is every parcel. */
function pieceOf(base: Base | Refusal | undefined, weighed: Weighed | Refusal, isLead: boolean): Piece {
  if (!base || isRefusal(base) || isRefusal(weighed)) return { base, isLead };
  const { billableMg } = weighed;
  // Surcharges by weight are charged for each parcel, not for the whole shipment with the first.
  if (isLead) return { base: { ...base, billableMg }, isLead };
  return { base: { list: 0, net: 0, lines: [], ratedMg: billableMg, billableMg }, isLead };
}

/** The base price of the shipment as a whole; undefined: each parcel has its own. */
function baseOfAll(situation: Situation, pieces: readonly Weighed[]): Base | Refusal | undefined {
  const { hundredweight, isRatedByTotal } = situation.service;
  const total = isRatedByTotal && pieces.length > 1 ? baseOfTotal(situation, pieces) : undefined;
  const hundreds = hundredweight && baseOfHundreds(hundredweight, situation.zone, pieces);
  if (!hundreds || hundredweight.isAlways) return hundreds ?? total;
  const others = total ? [total] : pieces.map((piece) => basePrice(situation, piece));
  let net = 0;
  for (const other of others) net += isRefusal(other) ? Infinity : other.net;
  return hundreds.net < net ? hundreds : total;
}

/** One parcel with the weight of all. Prices by volume are for single parcels. */
function baseOfTotal(situation: Situation, pieces: readonly Weighed[]): Base | Refusal {
  const billableMg = totalMgOf(pieces, 0);
  const base = basePrice(situation, { billableMg, plainMg: billableMg, sides: undefined });
  if (isRefusal(base)) return base;
  const [line, ...rest] = base.lines;
  return { ...base, lines: [{ ...line!, pieces: pieces.length }, ...rest] };
}

/** Each weight was rounded to a milligram. Four times 50 lb are no more than 200 lb. */
function totalMgOf(pieces: readonly Weighed[], leastMg: number): number {
  const sum = pieces.reduce((total, { billableMg }) => total + Math.max(billableMg, leastMg), 0);
  return sum - (pieces.length - 1);
}

function baseOfHundreds(terms: CompiledHundredweight, zone: string, pieces: readonly Weighed[]): Base | undefined {
  const row = terms.cells.get(zone);
  if (!row || pieces.length < terms.minPieces) return undefined;
  const totalMg = totalMgOf(pieces, terms.minPieceMg);
  const weight = countUnits(totalMg, terms.unitMg);
  const band = terms.from.findLastIndex((from) => from <= weight);
  const own = row[band];
  if (own === undefined || Number.isNaN(own)) return undefined;
  let [quantity, list] = [weight, centsOfHundreds(weight, own)];
  const [next, nextFrom] = [row[band + 1], terms.from[band + 1]];
  if (terms.isDeficitRated && nextFrom !== undefined && next !== undefined && !Number.isNaN(next)) {
    const deficit = centsOfHundreds(nextFrom, next);
    if (deficit < list) [quantity, list] = [nextFrom, deficit];
  }
  const lines: Base["lines"] = [{ code: "base", cents: list, pieces: pieces.length, quantity }];
  const off = shareOf(list, terms.discountPpm);
  if (off > 0) lines.push({ code: "discount", cents: -off, ofCents: list, ppm: terms.discountPpm });
  const net = Math.max(list - off, terms.minimumCents);
  if (net > list - off) lines.push({ code: "minimum", cents: net - (list - off), ofCents: terms.minimumCents });
  return { list, net, lines, ratedMg: Math.round(quantity * terms.unitMg), billableMg: totalMg };
}

/** `fine`: hundredths of a cent for a hundred units. Rounded once, half a cent up. */
function centsOfHundreds(units: number, fine: number): number {
  return Math.floor((units * fine + 5_000) / 10_000);
}

import type { CardService, RateCard, Surcharge } from "../carriers/rate-card/card.schemas.ts";
import type { ContractParcel, ContractShipment } from "./random-contracts.ts";
import { zoneOf } from "./slow-rater.ts";

/**
 * A second rater for contracts, written after docs/rating.md with exact fractions. It shares no code with the hub: money is a
 * fraction of two big integers until a line is rounded, and every rule is a search through the card.
 */
type Fraction = { over: bigint; under: bigint };
export type ContractPrice = { lines: Record<string, number>; zone: string } | { reason: string };

const whole: Fraction = { over: 1n, under: 1n };

/** A decimal of the card, exactly. */
function exact(value: number): Fraction {
  const [units = "0", decimals = ""] = value.toFixed(6).split(".");
  return { over: BigInt(units + decimals), under: 10n ** BigInt(decimals.length) };
}
const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under });
const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
});
const minus = (a: Fraction, b: Fraction): Fraction => plus(a, { over: -b.over, under: b.under });
const percentOf = (percent: number): Fraction => times(exact(percent), { over: 1n, under: 100n });
const integer = (value: number): Fraction => ({ over: BigInt(value), under: 1n });
/** Dollars as cents, half a cent up. */
const cents = ({ over, under }: Fraction): number => Number((over * 200n + under) / (under * 2n));
const dollars = (amount: number): Fraction => ({ over: BigInt(amount), under: 100n });

const milligrams: Record<string, number> = { lb: 453_592.37, oz: 28_349.523125, kg: 1_000_000, g: 1000 };
const mg = ({ value, unit }: { value: number; unit: string }): number => Math.round(value * milligrams[unit]!);

function started(weight: number, unit: string): number {
  const units = Math.floor((weight - 1) / milligrams[unit]!);
  return weight <= 1 ? 0 : units * milligrams[unit]! < weight - 1 ? units + 1 : units;
}

function onDay<Row extends { from: string }>(rows: readonly Row[], day: string): Row {
  return rows.filter(({ from }) => from <= day).at(-1) ?? rows[0]!;
}

const isGround = (service: CardService): boolean => ["media", "economy", "ground"].includes(service.level);
const isMeant = (term: { services?: string[]; mode?: string }, service: CardService): boolean =>
  (term.services?.includes(service.code) ?? true) &&
  (term.mode === undefined || (term.mode === "ground") === isGround(service));

const prefixes = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const prefixesOf: Record<string, number[]> = {
  AK: prefixes(995, 999),
  CA: prefixes(900, 961),
  // 008 are the Virgin Islands.
  PR: [6, 7, 9],
};

function exceptionOf(card: RateCard, service: CardService, { originZip, destinationZip }: ContractShipment) {
  const asRange = (text: string): [number, number] => {
    const [from, to = from] = text.split("-");
    return [Number(from!.padEnd(5, "0")), Number(to!.padEnd(5, "9"))];
  };
  const holds = ([from, to]: [number, number], zip: string): boolean => Number(zip) >= from && Number(zip) <= to;
  const found: { width: number; originWidth: number; zone: string | null }[] = [];
  for (const one of card.zoneExceptions ?? []) {
    if (!isMeant(one, service)) continue;
    const froms = (one.origins ?? ["000-999"]).map(asRange).filter((range) => holds(range, originZip));
    const states = (one.destinationStates ?? []).flatMap((state) =>
      prefixesOf[state]!.map((prefix) => asRange(String(prefix).padStart(3, "0"))),
    );
    for (const range of [...(one.destinations ?? []).map(asRange), ...states]) {
      if (!holds(range, destinationZip)) continue;
      for (const from of froms)
        found.push({ width: range[1] - range[0], originWidth: from[1] - from[0], zone: one.zone });
    }
  }
  return found.toSorted((a, b) => a.width - b.width || a.originWidth - b.originWidth)[0];
}

/** Sides in inches, longest first, as given and as the carrier measures them. */
function sidesOf(
  { dimensions }: ContractParcel,
  service: CardService,
): { given: number[]; rounded: number[] } | undefined {
  if (!dimensions) return undefined;
  const { length, width, height, unit } = dimensions;
  const given = [length, width, height].map((side) => (unit === "cm" ? side / 2.54 : side)).toSorted((a, b) => b - a);
  const rounding = service.dim?.rounding ?? "up";
  const round = (side: number): number => {
    if (rounding === "none") return side;
    const clean = Number(side.toFixed(6));
    return rounding === "up" ? Math.ceil(clean) : Math.floor(clean + 0.5);
  };
  return { given, rounded: given.map(round) };
}

function strongest(surcharges: Surcharge[]): Surcharge[] {
  const isBeaten = (one: Surcharge): boolean =>
    surcharges.some((other) => {
      if (other === one || other.group !== one.group) return false;
      const [mine, theirs] = [one.priority ?? 0, other.priority ?? 0];
      return theirs > mine || (theirs === mine && surcharges.indexOf(other) < surcharges.indexOf(one));
    });
  return surcharges.filter((one) => one.group === undefined || !isBeaten(one));
}

type Weighed = {
  applied: Surcharge[];
  billable: number;
  plain: number;
  sides: { given: number[]; rounded: number[] } | undefined;
};

function weighOne(
  card: RateCard,
  service: CardService,
  shipment: ContractShipment,
  parcel: ContractParcel,
): Weighed | { reason: string } {
  const weight = mg(parcel.weight);
  const day = shipment.shipDate;
  const sides = sidesOf(parcel, service);
  if (weight > mg(service.limits!.maxWeight!)) return { reason: "over_limit" };
  const pieces = card.weeklyPieces ? onDay(card.weeklyPieces, day).pieces : 0;
  const fits = ({ when = {}, allocationPercent = 0 }: Surcharge): boolean => {
    if (when.services && !when.services.includes(service.code)) return false;
    if (day < (when.from ?? "") || day > (when.to ?? "9999")) return false;
    if (when.weightOver && weight <= mg(when.weightOver)) return false;
    if (when.longestSideOver && !(sides && sides.rounded[0]! > when.longestSideOver)) return false;
    if (when.weeklyPiecesOver !== undefined && pieces <= when.weeklyPiecesOver) return false;
    if (when.weeklyPiecesUpTo !== undefined && pieces > when.weeklyPiecesUpTo) return false;
    if (when.residential === undefined) return true;
    return shipment.residential === null ? allocationPercent > 0 : shipment.residential === when.residential;
  };
  const fitting = (card.surcharges ?? []).filter(fits);
  const needs = ({ when }: Surcharge): string[] => [when?.requires ?? [], when?.requiresAny ?? []].flat();
  const first = strongest(fitting.filter((one) => needs(one).length === 0));
  const second = fitting.filter((one) => needs(one).some((code) => first.some((other) => other.code === code)));
  const applied = strongest([...first, ...second]);
  const plain = Math.max(weight, ...applied.map((one) => (one.minBillableWeight ? mg(one.minBillableWeight) : 0)));
  let billable = plain;
  if (service.dim && sides) {
    const started = (service.dim.dated ?? []).filter(({ from }) => from <= day);
    const terms = started.at(-1) ?? service.dim;
    const volume = Number((sides.rounded[0]! * sides.rounded[1]! * sides.rounded[2]!).toFixed(6));
    const divisor = (terms.tiers ?? []).find(({ upToVolume }) => volume <= upToVolume)?.divisor ?? terms.divisor;
    if (volume > (terms.thresholdVolume ?? 0))
      billable = Math.max(billable, Math.round((volume / divisor) * milligrams.lb!));
  }
  return { applied, billable, plain, sides };
}

type Base = { list: number; net: number; lines: Record<string, number> };

function afterDiscounts(
  card: RateCard,
  service: CardService,
  zone: string,
  day: string,
  list: number,
  rated: number,
): Base {
  const revenue = card.weeklyRevenue ? onDay(card.weeklyRevenue, day).amount : 0;
  const matching = (service.discounts ?? []).filter(
    (one) =>
      (one.zones?.includes(zone) ?? true) &&
      rated >= (one.weightFrom ? mg(one.weightFrom) : 0) &&
      rated <= (one.weightTo ? mg(one.weightTo) : Infinity),
  );
  const counted = matching.filter(
    (one) => one.stacking === "add" || one === matching.findLast((other) => other.stacking !== "add"),
  );
  let share: Fraction = { over: 0n, under: 1n };
  let fixed = 0;
  for (const { percent, tiers, amount } of counted) {
    const earned = tiers?.filter(({ revenueFrom }) => revenueFrom <= revenue).at(-1)?.percent ?? 0;
    share = plus(share, percentOf(percent ?? earned));
    fixed += Math.round((amount ?? 0) * 100);
  }
  if (share.over > share.under) share = whole;
  const off = Math.min(list, cents(times(dollars(list), share)) + fixed);
  const { minimum } = service;
  let least = minimum?.amount === undefined ? 0 : Math.round(minimum.amount * 100);
  if (minimum?.zone !== undefined) {
    const cell = cents(exact(priceByWeight(service, minimum.zone, mg(minimum.weight!))?.cell ?? 0));
    const less = cents(times(dollars(cell), percentOf(minimum.reductionPercent ?? 0)));
    least = Math.max(0, cell - less - Math.round((minimum.reduction ?? 0) * 100));
  }
  const net = Math.max(list - off, least);
  return { list, net, lines: { base: list, discount: -off, minimum: net - (list - off) } };
}

function priceByWeight(
  service: CardService,
  zone: string,
  weight: number,
): { cell: number | null; rated: number } | undefined {
  const at = service.weightBreaks.findIndex(({ upTo, unit = "lb" }) => weight <= mg({ value: upTo!, unit }));
  if (at === -1) return undefined;
  const { upTo, unit = "lb" } = service.weightBreaks[at]!;
  return { cell: service.rates[zone]![at]!, rated: mg({ value: upTo!, unit }) };
}

/** The list price by weight; a reason if there is none. */
function listByWeight(service: CardService, zone: string, weight: number): { list: number; rated: number } | string {
  const found = priceByWeight(service, zone, weight);
  if (found) return found.cell === null ? "no_rate_cell" : { list: cents(exact(found.cell)), rated: found.rated };
  const each = service.perUnitAbove?.rates[zone];
  if (each === undefined) return "over_limit";
  const last = service.rates[zone]!.at(-1)!;
  if (last === null) return "no_rate_cell";
  const heaviest = mg({ value: service.weightBreaks.at(-1)!.upTo!, unit: "lb" });
  const units = started(weight - heaviest, "lb");
  const list = cents(plus(exact(last), times(exact(each), integer(units))));
  return { list, rated: Math.round(heaviest + units * milligrams.lb!) };
}

function cubicPrice({ cubic }: CardService, zone: string, { plain, sides }: Weighed): number | undefined {
  if (!cubic || !sides || plain > mg(cubic.maxWeight!) || sides.given[0]! > cubic.maxLength!) return undefined;
  const quarters = sides.given.map((side) => Math.floor(Number((side * 4).toFixed(6))));
  const volume = BigInt(quarters[0]!) * BigInt(quarters[1]!) * BigInt(quarters[2]!);
  const at = cubic.tiers.findIndex((tier) => {
    const { over, under } = exact(tier);
    return volume * under <= over * 48n ** 3n;
  });
  const price = at === -1 ? undefined : cubic.rates[zone]?.[at];
  return price === undefined || price === null ? undefined : cents(exact(price));
}

type OwnBase = Base & { billable: number };

function ownBase(card: RateCard, service: CardService, zone: string, day: string, weighed: Weighed): OwnBase | string {
  const byWeight = listByWeight(service, zone, weighed.billable);
  const byVolume = cubicPrice(service, zone, weighed);
  const isByVolume =
    byVolume !== undefined &&
    (service.cubic!.use === "always" || typeof byWeight === "string" || byVolume < byWeight.list);
  if (isByVolume)
    return { ...afterDiscounts(card, service, zone, day, byVolume, weighed.plain), billable: weighed.plain };
  if (typeof byWeight === "string") return byWeight;
  return { ...afterDiscounts(card, service, zone, day, byWeight.list, byWeight.rated), billable: weighed.billable };
}

function byHundreds({ hundredweight: terms }: CardService, zone: string, pieces: Weighed[]): Base | undefined {
  if (!terms || pieces.length < (terms.minPieces ?? 2)) return undefined;
  const least = terms.minPieceWeight ? mg(terms.minPieceWeight) : 0;
  const units = started(
    pieces.reduce((sum, { billable }) => sum + Math.max(least, billable), 1 - pieces.length),
    terms.unit ?? "lb",
  );
  const priceOf = (weight: number, band: number): number | undefined => {
    const each = terms.rates[zone]?.[band];
    if (each === undefined || each === null) return undefined;
    return cents(times(times(exact(each), integer(weight)), { over: 1n, under: 100n }));
  };
  const band = terms.weightFrom.filter((from) => from <= units).length - 1;
  const own = priceOf(units, band);
  if (own === undefined) return undefined;
  const next = terms.isDeficitRated ? priceOf(terms.weightFrom[band + 1] ?? 0, band + 1) : undefined;
  const list = Math.min(own, next ?? own);
  const off = cents(times(dollars(list), percentOf(terms.discountPercent ?? 0)));
  const net = Math.max(list - off, Math.round((terms.minimum ?? 0) * 100));
  return { list, net, lines: { base: list, discount: -off, minimum: net - (list - off) } };
}

/** The base price of all parcels together, or undefined if each has its own, or why there is none. */
function togetherBase(
  card: RateCard,
  service: CardService,
  zone: string,
  day: string,
  pieces: Weighed[],
): Base | string | undefined {
  let total: Base | string | undefined;
  if (service.multiPiece === "total" && pieces.length > 1) {
    const list = listByWeight(
      service,
      zone,
      pieces.reduce((sum, { billable }) => sum + billable, 1 - pieces.length),
    );
    total = typeof list === "string" ? list : afterDiscounts(card, service, zone, day, list.list, list.rated);
  }
  const hundreds = byHundreds(service, zone, pieces);
  if (!hundreds) return total;
  if (service.hundredweight!.use === "always") return hundreds;
  const rivals = total === undefined ? pieces.map((piece) => ownBase(card, service, zone, day, piece)) : [total];
  const sum = rivals.reduce((all, one) => all + (typeof one === "string" ? Infinity : one.net), 0);
  return hundreds.net < sum ? hundreds : total;
}

function finished(
  card: RateCard,
  service: CardService,
  zone: string,
  { shipDate, residential }: ContractShipment,
  { applied }: Weighed,
  { list, net, lines: start, billable }: OwnBase,
  isFirst: boolean,
): Record<string, number> {
  const lines = { ...start };
  let fuelable = net;
  for (const one of applied) {
    if (one.per === "shipment" && !isFirst) continue;
    const isUnknown = one.when?.residential !== undefined && residential === null;
    const kept = times(
      minus(whole, percentOf(one.discountPercent ?? 0)),
      isUnknown ? percentOf(one.allocationPercent!) : whole,
    );
    const each = exact(one.amountByZone?.[zone] ?? one.amount ?? 0);
    const units = one.kind === "per_weight" ? started(billable, one.weightUnit ?? "lb") : 1;
    const full = one.kind === "percent" ? times(dollars(net), percentOf(one.percent!)) : times(each, integer(units));
    lines[one.code] = cents(times(full, kept));
    if (one.isFuelApplied !== false) fuelable += lines[one.code]!;
  }
  const fuel = card.fuelByService?.find((term) => isMeant(term, service)) ?? card.fuel;
  if (fuel) {
    const percent = fuel.table ? onDay(fuel.table, shipDate).percent : fuel.percent!;
    const of = { base_list: list, base_net: net, subtotal: fuelable }[fuel.appliesTo];
    const kept = minus(whole, percentOf(fuel.discountPercent ?? 0));
    lines.fuel = cents(times(times(dollars(of), percentOf(percent)), kept));
  }
  return Object.fromEntries(Object.entries(lines).filter(([, amount]) => amount !== 0));
}

/** The price of each parcel of a shipment. */
export function contractPrices(card: RateCard, code: string, shipment: ContractShipment): ContractPrice[] {
  const service = card.services.find((one) => one.code === code)!;
  const all = (reason: string): ContractPrice[] => shipment.parcels.map(() => ({ reason }));
  const exception = exceptionOf(card, service, shipment);
  if (exception?.zone === null) return all("not_serviceable");
  const found = exception ? { zone: exception.zone } : zoneOf(card, shipment.originZip, shipment.destinationZip);
  if ("reason" in found) return all(found.reason);
  const zone = exception ? found.zone : (service.zoneNames?.[found.zone] ?? found.zone);
  if (!service.rates[zone]) return all("no_rate_cell");
  const weighed = shipment.parcels.map((parcel) => weighOne(card, service, shipment, parcel));
  const accepted = weighed.filter((one): one is Weighed => !("reason" in one));
  const together = togetherBase(card, service, zone, shipment.shipDate, accepted);
  return weighed.map((one): ContractPrice => {
    if ("reason" in one) return one;
    const isFirst = one === accepted[0];
    let base = together ?? ownBase(card, service, zone, shipment.shipDate, one);
    if (typeof base === "string") return { reason: base };
    if (together !== undefined && !isFirst) base = { list: 0, net: 0, lines: {} };
    const own = { billable: one.billable, ...base };
    return { zone, lines: finished(card, service, zone, shipment, one, own, isFirst) };
  });
}

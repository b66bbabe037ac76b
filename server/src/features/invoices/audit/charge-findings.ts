import { explainLines } from "../../../carriers/rate-card/explain.ts";
import type { Price } from "../../../carriers/rate-card/price.ts";
import { surchargeLine } from "../../../carriers/rate-card/surcharges.ts";
import { shareOfShares } from "../../../core/money.ts";
import { fromMicros } from "../invoice-amounts.ts";
import type { BilledParcel, NewFinding } from "./billed-parcel.ts";
import { centMicros, tolerance } from "./billed-parcel.ts";
import type { ChargeKeys } from "./charge-meaning.ts";
import type { Expected, Priced } from "./expected-price.ts";
import type { Bill, BilledLine } from "./parcel-bill.ts";
import { mostEqual, splitRepeats, sumOf } from "./parcel-bill.ts";

/** The lines of a price, in millionths. */
export type Breakdown = {
  list: number;
  /** Taken off the list price, after the minimum. */
  discount: number;
  net: number;
  fuel: number;
  surcharges: Map<string, number>;
  isMinimum: boolean;
};

export function breakDown({ lines }: Price, keys: ChargeKeys): Breakdown {
  const parts: Breakdown = { list: 0, discount: 0, net: 0, fuel: 0, surcharges: new Map(), isMinimum: false };
  for (const { code, cents } of lines) {
    const micros = cents * centMicros;
    if (code === "base") parts.list += micros;
    else if (code === "discount" || code === "minimum") {
      parts.discount -= micros;
      parts.isMinimum ||= code === "minimum";
    } else if (code === "fuel") parts.fuel += micros;
    else {
      const key = keys.keyOfCode(code);
      parts.surcharges.set(key, (parts.surcharges.get(key) ?? 0) + micros);
    }
  }
  parts.net = parts.list - parts.discount;
  return parts;
}

/** Sellers of labels bill one amount for transport, surcharges and fuel. */
function isAllIn(bill: Bill, format: string): boolean {
  return (format === "easypost" || format === "shipstation") && bill.fuel === 0;
}

/**
 * The charges of a parcel beside the contract's price for the facts as they were billed. A wrong price changes the fuel on it: that
 * fuel is part of its finding, so the finding about fuel is about its percentage alone.
 */
export function chargeFindings(parcel: BilledParcel, bill: Bill, expected: Expected, format: string): ChargesFound {
  const { asBilled, keys } = expected;
  const parts = breakDown(asBilled.price, keys);
  if (isAllIn(bill, format)) return { findings: allInFinding(bill, asBilled), accepted: 0 };
  const fuel = fuelTerms(bill, asBilled, parts, keys);
  const surcharges = surchargeFindings(parcel, bill, parts, expected);
  const findings = [...transportFindings(bill, parts, asBilled), ...surcharges.findings];
  let base = fuel.base;
  for (const finding of findings) {
    const next = base - fuel.shareOf(finding);
    const onIt = fuel.on(base) - fuel.on(next);
    finding.evidence.values.fuel = fromMicros(onIt);
    finding.amount += onIt;
    base = next;
  }
  const over = bill.fuel - fuel.on(fuel.base);
  if (over > tolerance) findings.push(fuelFinding(bill, asBilled, fuel.base, fuel.on(fuel.base)));
  return {
    findings: findings.map(({ change: _change, ...finding }) => finding),
    accepted: acceptedWithFuel(surcharges.accepted, fuel),
  };
}

function acceptedWithFuel(accepted: Accepted[], { on, shareOf }: FuelTerms): number {
  const fueled = accepted.reduce((sum, one) => sum + shareOf(one), 0);
  return accepted.reduce((sum, { change }) => sum + change.net, on(fueled));
}

/** `accepted`: surcharges beyond the contract's price that the contract may explain, with the fuel on them. */
type Accepted = Pick<ChargeFinding, "kind" | "code" | "change">;
type ChargesFound = { findings: NewFinding[]; accepted: number };

/** `change`: what it adds to the list price and to the net price. */
type ChargeFinding = NewFinding & { change: { list: number; net: number } };

function explanationsOf({ situation, price }: Priced, codes: string[]): string {
  const lines = explainLines(situation, price).filter(({ code }) => codes.includes(code));
  return lines.map(({ label, amount, explanation }) => `${label} ${amount.toFixed(2)}: ${explanation}`).join(". ");
}

function allInFinding(bill: Bill, { situation, price }: Priced): NewFinding[] {
  const total = price.totalCents * centMicros;
  const amount = bill.charges - total;
  if (amount <= tolerance) return [];
  const codes = price.lines.map(({ code }) => code);
  const rule = explanationsOf({ situation, price }, codes);
  const evidence = { rule, billed: fromMicros(bill.charges), expected: fromMicros(total), values: {} };
  return [{ kind: "base_rate", code: "", amount, confidence: "high", evidence }];
}

function transportFindings(bill: Bill, parts: Breakdown, asBilled: Priced): ChargeFinding[] {
  const over = bill.net - parts.net;
  if (!bill.hasTransport || over <= tolerance) return [];
  const list = bill.gross - parts.list;
  const off = parts.discount - bill.discount;
  // A file that states prices after the discount has no list price to compare.
  const isNetOnly = bill.discount === 0 && Math.abs(list) > tolerance;
  const about = (kind: "base_rate" | "discount" | "minimum", amount: number, changed: number): ChargeFinding => {
    const isPrice = kind === "base_rate";
    const codes = isPrice && !isNetOnly ? ["base"] : ["base", "discount", "minimum"];
    const [billed, expected] =
      isPrice && !isNetOnly
        ? [bill.gross, parts.list]
        : isPrice
          ? [bill.net, parts.net]
          : [bill.discount, parts.discount];
    const values = {
      zone: asBilled.situation.zone,
      ratedPounds: Math.round(asBilled.price.ratedMg / 453.592_37) / 1000,
      billedNet: fromMicros(bill.net),
      expectedNet: fromMicros(parts.net),
    };
    const evidence = {
      rule: explanationsOf(asBilled, codes),
      billed: fromMicros(billed),
      expected: fromMicros(expected),
      values,
    };
    return { kind, code: "", amount, confidence: "high", evidence, change: { list: changed, net: amount } };
  };
  const offKind = parts.isMinimum ? "minimum" : "discount";
  if (isNetOnly) return [about("base_rate", over, 0)];
  if (list > tolerance && off > tolerance) return [about("base_rate", list, list), about(offKind, off, 0)];
  return [list > tolerance ? about("base_rate", over, list) : about(offKind, over, 0)];
}

/** What the surcharges of this key may cost. Conditions on a size that is not known are taken as met. */
function allowedFor(key: string, parts: Breakdown, { asBilled, keys, hasSides }: Expected): number {
  const applied = parts.surcharges.get(key);
  if (applied !== undefined) return applied;
  if (hasSides) return 0;
  const { situation, price } = asBilled;
  const open = situation.byParcel.filter(
    ({ surcharge }) => surcharge.isBySides && keys.keyOfCode(surcharge.code) === key,
  );
  const netCents = Math.round(parts.net / centMicros);
  return open.reduce(
    (most, candidate) =>
      Math.max(most, surchargeLine(candidate, situation.zone, netCents, price.billableMg).cents * centMicros),
    0,
  );
}

/** How often the same charge may stand on the bill: once for each piece of the shipment. */
function timesAllowed(key: string, lines: BilledLine[], { pieces }: BilledParcel, { keys }: Expected): number {
  const ofContract = keys.surcharges.get(key) ?? [];
  if (pieces === null || ofContract.some(({ isPerShipment }) => isPerShipment)) return 1;
  return Math.max(1, Math.min(pieces, mostEqual(lines)));
}

function surchargeFindings(
  parcel: BilledParcel,
  bill: Bill,
  parts: Breakdown,
  expected: Expected,
): { findings: ChargeFinding[]; accepted: Accepted[] } {
  const findings: ChargeFinding[] = [];
  const accepted: Accepted[] = [];
  for (const [key, lines] of bill.surcharges) {
    const times = timesAllowed(key, lines, parcel, expected);
    const allowed = times * allowedFor(key, parts, expected);
    const billed = sumOf(lines);
    const beyond = Math.min(billed, allowed) - (parts.surcharges.get(key) ?? 0);
    if (beyond > 0) accepted.push({ kind: "surcharge", code: key, change: { list: 0, net: beyond } });
    const over = billed - allowed;
    if (over <= tolerance) continue;
    const repeated = Math.min(over, sumOf(splitRepeats(lines, times).repeats));
    const about = { key, lines, allowed, pieces: parcel.pieces };
    if (repeated > tolerance) findings.push(surchargeFinding("duplicate", repeated, about, expected));
    if (over - repeated > tolerance) findings.push(surchargeFinding("surcharge", over - repeated, about, expected));
  }
  return { findings, accepted };
}

function surchargeFinding(
  kind: "duplicate" | "surcharge",
  amount: number,
  { key, lines, allowed, pieces }: { key: string; lines: BilledLine[]; allowed: number; pieces: number | null },
  { asBilled, keys }: Expected,
): ChargeFinding {
  const ofContract = keys.surcharges.get(key) ?? [];
  const codes = ofContract.map(({ code }) => code);
  const names = lines.map(({ description }) => description);
  const rule =
    kind === "duplicate"
      ? `${names[0]} is billed ${lines.length} times; ${saysPieces(pieces)}`
      : allowed > 0
        ? explanationsOf(asBilled, codes) || `The contract has ${codes.join(", ")} at ${fromMicros(allowed).toFixed(2)}`
        : codes.length > 0
          ? `The conditions of ${codes.join(", ")} are not met`
          : "The contract has no such surcharge";
  const evidence = {
    rule,
    billed: fromMicros(sumOf(lines)),
    expected: fromMicros(allowed),
    values: { charge: names.join(", "), lines: lines.length, contractCodes: codes.join(", "), pieces },
  };
  // A card may leave out surcharges that the agreement has; equal lines may be about two pieces under one number.
  const isSure = kind === "duplicate" ? pieces !== null : codes.length > 0;
  return { kind, code: key, amount, confidence: isSure ? "high" : "low", evidence, change: { list: 0, net: amount } };
}

function saysPieces(pieces: number | null): string {
  if (pieces === null) return "the invoice does not state how many pieces the shipment has";
  return pieces === 1 ? "the shipment is one parcel" : `the shipment has ${pieces} parcels`;
}

type FuelTerms = { base: number; on(micros: number): number; shareOf(finding: Accepted): number };

/** What fuel is charged on, as it was billed. */
function fuelTerms(bill: Bill, { situation }: Priced, parts: Breakdown, keys: ChargeKeys): FuelTerms {
  const { service, fuelPpm } = situation;
  const { fuel } = service;
  const on = (micros: number): number =>
    fuel ? shareOfShares(Math.round(micros / centMicros), fuelPpm, fuel.keptPpm) * centMicros : 0;
  if (fuel?.appliesTo === "base_list") {
    // Without a discount on the invoice its gross amount is the net one.
    const isNetOnly = bill.discount === 0 && parts.discount !== 0 && Math.abs(bill.gross - parts.list) > tolerance;
    const base = isNetOnly ? parts.list + bill.net - parts.net : bill.gross;
    return { base, on, shareOf: ({ change }) => (isNetOnly && change.list === 0 ? change.net : change.list) };
  }
  if (fuel?.appliesTo !== "subtotal")
    return { base: bill.net, on, shareOf: ({ kind, change }) => (isTransport(kind) ? change.net : 0) };
  const isFueled = (key: string, isUnknownFueled: boolean): boolean =>
    keys.surcharges.get(key)?.some(({ isFuelApplied }) => isFuelApplied) ?? isUnknownFueled;
  const baseWith = (isUnknownFueled: boolean): number =>
    [...bill.surcharges].reduce(
      (sum, [key, lines]) => (isFueled(key, isUnknownFueled) ? sum + sumOf(lines) : sum),
      bill.net,
    );
  // Whether a surcharge that the contract does not have bears fuel is seen from the fuel.
  const distance = (base: number): number => Math.abs(bill.fuel - on(base));
  const isUnknownFueled = distance(baseWith(true)) < distance(baseWith(false));
  return {
    base: baseWith(isUnknownFueled),
    on,
    shareOf: ({ kind, code, change }) => (isTransport(kind) || isFueled(code, isUnknownFueled) ? change.net : 0),
  };
}

function isTransport(kind: NewFinding["kind"]): boolean {
  return kind === "base_rate" || kind === "discount" || kind === "minimum";
}

function fuelFinding(bill: Bill, asBilled: Priced, base: number, expected: number): ChargeFinding {
  const { service, fuelPpm } = asBilled.situation;
  const percent = service.fuel ? (fuelPpm * service.fuel.keptPpm) / 1e10 : 0;
  const evidence = {
    rule: service.fuel
      ? `Fuel is ${percent} % of ${fromMicros(base).toFixed(2)}, ${bases[service.fuel.appliesTo]}`
      : "The contract has no fuel surcharge",
    billed: fromMicros(bill.fuel),
    expected: fromMicros(expected),
    values: { percent, billedPercent: base === 0 ? null : Math.round((bill.fuel / base) * 10_000) / 100 },
  };
  const amount = bill.fuel - expected;
  return { kind: "fuel", code: "", amount, confidence: "high", evidence, change: { list: 0, net: 0 } };
}

const bases = {
  base_list: "the billed list price",
  base_net: "the billed price after discount",
  subtotal: "the billed price after discount with the surcharges that bear fuel",
};

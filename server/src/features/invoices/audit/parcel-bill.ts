import type { ChargeKind } from "../invoice-line.ts";
import type { ChargeKeys } from "./charge-meaning.ts";

/** A line of the audited invoice about one parcel. Amounts are in millionths. */
export type BilledLine = {
  position: number;
  kind: ChargeKind;
  code: string | null;
  description: string;
  gross: number;
  discount: number;
  net: number;
};

/** The charges of a parcel by what the contract has prices for. */
export type Bill = {
  gross: number;
  discount: number;
  /** `gross` less `discount`: the transport. */
  net: number;
  fuel: number;
  /** By key of the surcharge. */
  surcharges: Map<string, BilledLine[]>;
  adjustments: BilledLine[];
  /** Lines of a second billing of the same transport. */
  repeats: BilledLine[];
  /** All charges of the contract's kinds, without adjustments, taxes, duties and credits. */
  charges: number;
  /** All lines but credits. */
  total: number;
  hasTransport: boolean;
};

export const sumOf = (lines: readonly { net: number }[]): number => lines.reduce((sum, { net }) => sum + net, 0);

/** Two lines are the same charge if they differ in nothing but their place. */
export function sameness({ kind, code, description, gross, discount }: BilledLine): string {
  return JSON.stringify([kind, code, description, gross, discount]);
}

/** Splits lines into the first of each (the first so many) and those that repeat one. */
export function splitRepeats(lines: readonly BilledLine[], times = 1): { first: BilledLine[]; repeats: BilledLine[] } {
  const seen = new Map<string, number>();
  const [first, repeats]: [BilledLine[], BilledLine[]] = [[], []];
  for (const line of lines) {
    const count = (seen.get(sameness(line)) ?? 0) + 1;
    (count > times ? repeats : first).push(line);
    seen.set(sameness(line), count);
  }
  return { first, repeats };
}

/** How often the charge that is repeated most stands there. */
export function mostEqual(lines: readonly BilledLine[]): number {
  return Math.max(0, ...[...Map.groupBy(lines, sameness).values()].map(({ length }) => length));
}

const contractKinds: ReadonlySet<ChargeKind> = new Set(["base", "discount", "fuel", "surcharge"]);

export function billOf(lines: readonly BilledLine[], keys: ChargeKeys): Bill {
  const split = splitRepeats(lines.filter(({ kind }) => contractKinds.has(kind)));
  // Without a second transport, equal lines are compared with the contract: two pieces of a parcel may both be handled by hand.
  const isBilledTwice = split.repeats.some(({ kind }) => kind === "base");
  const counted = isBilledTwice ? split.first : lines;
  const bill: Bill = {
    gross: 0,
    discount: 0,
    net: 0,
    fuel: 0,
    surcharges: new Map(),
    adjustments: lines.filter(({ kind, net }) => kind === "adjustment" && net > 0),
    repeats: isBilledTwice ? split.repeats : [],
    charges: 0,
    total: sumOf(lines.filter(({ kind }) => kind !== "credit")),
    hasTransport: false,
  };
  for (const line of counted) {
    if (!contractKinds.has(line.kind)) continue;
    bill.charges += line.net;
    if (line.kind === "fuel") bill.fuel += line.net;
    else if (line.kind === "surcharge") {
      const key = keys.keyOf(line);
      const known = bill.surcharges.get(key);
      if (known) known.push(line);
      else bill.surcharges.set(key, [line]);
    } else {
      bill.gross += line.gross;
      bill.discount += line.discount;
      bill.net += line.net;
      bill.hasTransport ||= line.kind === "base";
    }
  }
  return bill;
}

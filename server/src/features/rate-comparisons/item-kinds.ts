import type { RateResult } from "./rate-item.ts";

/** What items can be filtered by, but for searches and amounts. */
export type Kind = {
  status: string;
  reason: string | null;
  zone: string | null;
  basis: string | null;
  /** Of the savings; null without a price. */
  sign: number | null;
  serviceType: string;
};

/** The kind of every item of a comparison, two bytes each. */
export type ItemKinds = {
  /** The items that are in here: from this one on, and before that one. Another worker did the others. */
  from: number;
  to: number;
  codes: Uint16Array;
  kinds: Kind[];
  codeOf: Map<string, number>;
  hasTooMany: boolean;
};

/** Far more than carriers have zones and services; reached when everybody writes a service of their own. */
const maxKinds = 20_000;

export function createItemKinds(count: number, from: number): ItemKinds {
  return { from, to: from, codes: new Uint16Array(count), kinds: [], codeOf: new Map(), hasTooMany: false };
}

/** May be called again for the same item, when a transaction is repeated. */
export function noteResult(
  kinds: ItemKinds,
  position: number,
  netCents: number,
  serviceType: string,
  { status, reason, zone, basis, targetCents }: RateResult,
): void {
  const sign = targetCents === null ? null : Math.sign(netCents - targetCents);
  noteKind(kinds, position, { status, reason, zone, basis, sign, serviceType });
}

export function noteKind(kinds: ItemKinds, position: number, kind: Kind): void {
  const { status, reason, zone, basis, sign, serviceType } = kind;
  // Only the service can hold anything, and it comes last.
  const key = `${status}|${reason ?? ""}|${zone ?? ""}|${basis ?? ""}|${sign ?? ""}|${serviceType}`;
  let code = kinds.codeOf.get(key);
  if (code === undefined) {
    if (kinds.kinds.length === maxKinds) {
      kinds.hasTooMany = true;
      return;
    }
    code = kinds.kinds.push(kind) - 1;
    kinds.codeOf.set(key, code);
  }
  kinds.codes[position] = code;
}

/** For each kind the items that are of it, in their order. */
export function positionsByKind({ codes, kinds }: ItemKinds): Uint32Array[] {
  const counts = new Uint32Array(kinds.length);
  for (let position = 0; position < codes.length; position++) counts[codes[position]!]!++;
  const positions = Array.from(counts, (count) => new Uint32Array(count));
  const filled = new Uint32Array(kinds.length);
  for (let position = 0; position < codes.length; position++) {
    const code = codes[position]!;
    positions[code]![filled[code]!++] = position;
  }
  return positions;
}

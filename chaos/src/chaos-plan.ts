import { randomIntegers } from "../../server/src/core/seeded-random.ts";
export type StrikeKind = "hub" | "postgres" | "both";

/** One kill: the target, and the delay after the hub was ready. A late one first lets interrupted runs continue. */
export type Strike = { kind: StrikeKind; afterMs: number; isLate: boolean };

export type Plan = { seed: number; strikes: Strike[]; clientSeeds: number[] };

export type Random = {
  /** In [0, 1). */
  next(): number;
  /** An integer between the two, inclusive. */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  /** Distinct members in random order. */
  sample<T>(from: readonly T[], count: number): T[];
};

export function createRandom(seed: number): Random {
  const integer = randomIntegers(seed);
  const next = (): number => integer() / 2 ** 32;
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (from) => from[between(0, from.length - 1)]!,
    sample(from, count) {
      const pool = [...from];
      for (let i = 0; i < count; i++) {
        const other = between(i, pool.length - 1);
        [pool[i], pool[other]] = [pool[other]!, pool[i]!];
      }
      return pool.slice(0, count);
    },
  };
}

const maxClients = 16;
/** Frequent kills leave only started runs; every so often runs must finish to be retried and undone. */
const lateEvery = 8;

/** All randomness is drawn in advance, so that a seed gives the same plan regardless of timing. */
export function makePlan(seed: number, kills: number): Plan {
  const random = createRandom(seed);
  const clientSeeds = Array.from({ length: maxClients }, () => random.between(0, 2 ** 32 - 1));
  const strikes = Array.from({ length: kills }, (_, i): Strike => {
    const dice = random.next();
    const kind = dice < 0.6 ? "hub" : dice < 0.8 ? "postgres" : "both";
    return { kind, afterMs: random.between(50, 1_500), isLate: i % lateEvery === lateEvery - 1 };
  });
  return { seed, strikes, clientSeeds };
}

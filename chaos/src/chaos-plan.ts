import { randomIntegers } from "../../server/src/core/seeded-random.ts";
export type StrikeKind = "hub" | "postgres" | "both";

/** One kill: what dies, and how long after the hub was ready; a late one also lets interrupted runs go on before. */
export type Strike = { kind: StrikeKind; afterMs: number; isLate: boolean };

export type Plan = { seed: number; strikes: Strike[]; clientSeeds: number[] };

export type Random = {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number between the two, both included. */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  /** Different members, in random order. */
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
/** Kills in a row leave little but beginnings; now and then there has to be something to retry and to undo. */
const lateEvery = 8;

/** Everything random comes from here, drawn beforehand: however the processes are timed, a seed means the same plan. */
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

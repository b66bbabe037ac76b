import { createHash } from "node:crypto";

/** Whole numbers below 2^32, the same for the same seed on every machine (Mulberry32); Math.random takes no seed. */
export function randomIntegers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export type Random = { below(limit: number): number; pick<T>(list: readonly T[]): T; chance(percent: number): boolean };

/** A text as a seed gives each record numbers of its own, so that one can be made without the ones before it. */
export function seededRandom(seed: number | string): Random {
  const next = randomIntegers(
    typeof seed === "number" ? seed : createHash("sha256").update(seed).digest().readUInt32LE(0),
  );
  const below = (limit: number): number => next() % limit;
  return { below, pick: (list) => list[below(list.length)]!, chance: (percent) => below(100) < percent };
}

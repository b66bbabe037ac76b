import { createHash } from "node:crypto";

export type Random = { below(limit: number): number; pick<T>(list: readonly T[]): T; chance(percent: number): boolean };

/** Numbers that are the same for the same seed: each record has its own, so a page can be made without the ones before. */
export function seededRandom(seed: string): Random {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return { below, pick: (list) => list[below(list.length)]!, chance: (percent) => below(100) < percent };
}

/** Twelve characters that name one effect, the same each time it is tried. */
export function effectHandle(effectKey: string): string {
  return createHash("sha256").update(effectKey).digest("hex").slice(0, 12);
}

import type { Dimensions, Weight } from "../../core/weight.ts";
import { toGrams } from "../../core/weight.ts";

/** Weights are compared as whole milligrams: 16 oz and 1 lb are the same, and no rounding noise moves a parcel up. */
export function toMg(weight: Weight): number {
  return Math.round(toGrams(weight) * 1000);
}

export function fromMg(mg: number, unit: Weight["unit"]): Weight {
  const value = mg / 1000 / toGrams({ value: 1, unit });
  return { value: Math.round(value * 1000) / 1000, unit };
}

/** One unit in milligrams, not rounded, so that many of them add up. */
export function mgPer(unit: Weight["unit"]): number {
  return toGrams({ value: 1, unit }) * 1000;
}

/** Begun units count whole; what the rounding to milligrams added does not begin a unit. */
export function countUnits(mg: number, unitMg: number): number {
  return Math.ceil(mg / unitMg - 1e-5);
}

export type DimRounding = "nearest" | "up" | "none";

/** Sides in inches, longest first. */
export type Sides = readonly [longest: number, second: number, shortest: number];

export function toSides({ length, width, height, unit }: Dimensions): Sides {
  const factor = unit === "cm" ? 2.54 : 1;
  const [a, b, c] = [length / factor, width / factor, height / factor];
  const longest = Math.max(a, b, c);
  const shortest = Math.min(a, b, c);
  // By comparison, not by subtraction, which would leave binary noise behind.
  const second = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  return [longest, second, shortest];
}

export function volumeOf([a, b, c]: Sides, rounding: DimRounding): number {
  return roundSide(a, rounding) * roundSide(b, rounding) * roundSide(c, rounding);
}

/** The girth goes around the two shorter sides. */
export function lengthPlusGirth([a, b, c]: Sides): number {
  return a + 2 * (b + c);
}

function roundSide(side: number, rounding: DimRounding): number {
  if (rounding === "none") return side;
  // Centimetres leave a trace of binary noise behind, which must not count as a further inch.
  const clean = Math.round(side * 1e6) / 1e6;
  return rounding === "up" ? Math.ceil(clean) : Math.floor(clean + 0.5);
}

import type { Dimensions, Weight } from "../../core/weight.ts";
import { toGrams } from "../../core/weight.ts";

/** Weights are compared as integer milligrams: 16 oz equals 1 lb, and floating-point noise moves no parcel to the next break. */
export function toMg(weight: Weight): number {
  return Math.round(toGrams(weight) * 1000);
}

export function fromMg(mg: number, unit: Weight["unit"]): Weight {
  const value = mg / 1000 / toGrams({ value: 1, unit });
  return { value: Math.round(value * 1000) / 1000, unit };
}

/** One unit in milligrams, unrounded, so that multiples stay exact. */
export function mgPer(unit: Weight["unit"]): number {
  return toGrams({ value: 1, unit }) * 1000;
}

/** Two equal weights, each rounded to the milligram, can differ by this much. */
const roundingMg = 1;

/** Number of started units. The rounding to milligrams never starts another unit. */
export function countUnits(mg: number, unitMg: number): number {
  return Math.max(0, Math.ceil((mg - roundingMg) / unitMg));
}

export type DimRounding = "nearest" | "up" | "none";

/** Sides in inches, longest first. */
export type Sides = readonly [longest: number, second: number, shortest: number];

export function toSides({ length, width, height, unit }: Dimensions): Sides {
  const factor = unit === "cm" ? 2.54 : 1;
  const [a, b, c] = [length / factor, width / factor, height / factor];
  const longest = Math.max(a, b, c);
  const shortest = Math.min(a, b, c);
  // Compared rather than subtracted, which would add floating-point noise.
  const second = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  return [longest, second, shortest];
}

/** Sides rounded as the carrier measures them, in whole inches or whole centimeters. Returned in inches. */
export function measureSides([a, b, c]: Sides, rounding: DimRounding, unit: "in" | "cm"): Sides {
  if (rounding === "none") return [a, b, c];
  const perInch = unit === "cm" ? 2.54 : 1;
  const measured = (side: number): number => Math.round((roundSide(side * perInch, rounding) / perInch) * 1e9) / 1e9;
  return [measured(a), measured(b), measured(c)];
}

export function volumeOf([a, b, c]: Sides): number {
  return a * b * c;
}

/** Girth is the circumference of the two shorter sides. */
export function lengthPlusGirth([a, b, c]: Sides): number {
  return a + 2 * (b + c);
}

function roundSide(side: number, rounding: "nearest" | "up"): number {
  // The conversion from centimeters adds floating-point noise, which must not round up to another inch.
  const clean = Math.round(side * 1e6) / 1e6;
  return rounding === "up" ? Math.ceil(clean) : Math.floor(clean + 0.5);
}

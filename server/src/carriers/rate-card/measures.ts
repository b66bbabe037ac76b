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

/** What two weights, each rounded to the milligram, can be apart although they are the same. */
const roundingMg = 1;

/** Begun units count whole; what the rounding to milligrams added does not begin a unit, however small the unit is. */
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
  // By comparison, not by subtraction, which would leave binary noise behind.
  const second = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  return [longest, second, shortest];
}

/** As the carrier writes them down: whole inches, or whole centimetres where it measures in these. Answers in inches. */
export function measureSides([a, b, c]: Sides, rounding: DimRounding, unit: "in" | "cm"): Sides {
  if (rounding === "none") return [a, b, c];
  const perInch = unit === "cm" ? 2.54 : 1;
  const measured = (side: number): number => Math.round((roundSide(side * perInch, rounding) / perInch) * 1e9) / 1e9;
  return [measured(a), measured(b), measured(c)];
}

export function volumeOf([a, b, c]: Sides): number {
  return a * b * c;
}

/** The girth goes around the two shorter sides. */
export function lengthPlusGirth([a, b, c]: Sides): number {
  return a + 2 * (b + c);
}

function roundSide(side: number, rounding: "nearest" | "up"): number {
  // Centimetres leave a trace of binary noise behind, which must not count as a further inch.
  const clean = Math.round(side * 1e6) / 1e6;
  return rounding === "up" ? Math.ceil(clean) : Math.floor(clean + 0.5);
}

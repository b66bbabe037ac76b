import { toGrams } from "../../core/weight.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";

/** Rounded up, so that a parcel is never declared lighter than it is. */
export function kilogramsOf(weight: Weight): number {
  return Math.ceil(Math.round(toGrams(weight) * 1e3) / 1e5) / 10;
}

export function centimetersOf({ length, width, height, unit }: Dimensions): [number, number, number] {
  const factor = unit === "cm" ? 1 : 2.54;
  const [a = 0, b = 0, c = 0] = [length, width, height].map(
    (side) => Math.ceil(Math.round(side * factor * 1e6) / 1e5) / 10,
  );
  return [a, b, c];
}

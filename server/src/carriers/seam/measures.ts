import { toGrams } from "../../core/weight.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";

export type { Dimensions, Weight } from "../../core/weight.ts";

const gramsPerOunce = 28.349523125;

/** Rounded up, so that a parcel is never declared lighter than it is. */
export function ouncesOf(weight: Weight, decimals = 1): number {
  return roundUp(toGrams(weight) / gramsPerOunce, decimals);
}

export function poundsOf(weight: Weight, decimals = 2): number {
  return roundUp(toGrams(weight) / (gramsPerOunce * 16), decimals);
}

export function inchesOf({ length, width, height, unit }: Dimensions, decimals = 2): [number, number, number] {
  const factor = unit === "in" ? 1 : 1 / 2.54;
  const [a = 0, b = 0, c = 0] = [length, width, height].map((side) => roundUp(side * factor, decimals));
  return [a, b, c];
}

function roundUp(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  // 2.5 lb in grams and back is 2.5000000000000004.
  return Math.ceil(Math.round(value * scale * 1e6) / 1e6) / scale;
}

export function kilogramsOf(weight: Weight): number {
  return roundUp(toGrams(weight) / 1000, 1);
}

export function centimetersOf({ length, width, height, unit }: Dimensions): [number, number, number] {
  const factor = unit === "cm" ? 1 : 2.54;
  const [a = 0, b = 0, c = 0] = [length, width, height].map((side) => roundUp(side * factor, 1));
  return [a, b, c];
}

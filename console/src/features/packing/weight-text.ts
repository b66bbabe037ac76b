import type { Weight } from "@order-operations-hub/sdk/api-types";

type Unit = "lb" | "kg";
/** Of an answer: a newer hub may know further units. */
type Weighed = { value: number; unit: string };
const gramsPer: Record<string, number> = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 };

/** The bench shows pounds or kilograms, as the weights of the items are. */
export function unitFor(weights: readonly (Weighed | null | undefined)[], countryCode: string | undefined): Unit {
  const known = weights.find((weight) => weight)?.unit;
  if (known === undefined) return countryCode === "US" ? "lb" : "kg";
  return known === "lb" || known === "oz" ? "lb" : "kg";
}

export function weightIn(weight: Weighed, unit: Unit): string {
  const value = (weight.value * (gramsPer[weight.unit] ?? 1)) / gramsPer[unit]!;
  return new Intl.NumberFormat("en-US", { maximumFractionDigits: 2, minimumFractionDigits: 1 }).format(value);
}

/** A weight as people type it. Undefined: something else, such as a scanned code. */
export function readWeight(typed: string, unit: Unit): Weight | undefined {
  const text = typed.trim().replace(",", ".");
  return /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? { value: Number(text), unit } : undefined;
}

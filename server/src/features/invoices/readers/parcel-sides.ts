import type { LineFacts } from "../invoice-line.ts";

const written = /^\s*(\d+(?:[.,]\d+)?)\s*x\s*(\d+(?:[.,]\d+)?)\s*x\s*(\d+(?:[.,]\d+)?)/i;

/** Sides such as "12.0x 9.0x 7.0". Without a unit, those of a parcel weighed in kilograms are centimetres. */
export function readSides(
  text: string | null,
  unit: string | null,
  weightUnit: string | null,
): LineFacts["dimensions"] {
  const [, length, width, height] = written.exec(text ?? "") ?? [];
  if (length === undefined || width === undefined || height === undefined) return null;
  return sidesOf(
    [length, width, height].map((side) => Number(side.replace(",", "."))),
    unit,
    weightUnit,
  );
}

export function sidesOf(
  sides: readonly (number | null)[],
  unit: string | null,
  weightUnit: string | null,
): LineFacts["dimensions"] {
  const [length, width, height] = sides;
  if (!length || !width || !height) return null;
  const isMetric = unit === null ? /^k/i.test(weightUnit ?? "") : /^c/i.test(unit);
  return { length, width, height, unit: isMetric ? "cm" : "in" };
}

import type { Order } from "@order-operations-hub/sdk/api-types";
import type { QuoteRequest } from "../carrier-accounts/carrier-account.queries.ts";

/** Parcel form values. */
export type Parcel = {
  weight: string;
  unit: string;
  length: string;
  width: string;
  height: string;
  lengthUnit: "in" | "cm";
};

const gramsPer: Record<string, number> = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 };

/** The default parcel, as in the hub: the only package of the order, or else everything left to ship. */
export function parcelOf({ packages, lines }: Order): Parcel {
  const [only, ...others] = packages;
  const single = others.length === 0 && only?.count === 1 ? only : undefined;
  const { length, width, height, unit } = single?.dimensions ?? {};
  return {
    ...(single?.weight ? { weight: String(single.weight.value), unit: single.weight.unit } : weightLeft(lines)),
    length: String(length ?? ""),
    width: String(width ?? ""),
    height: String(height ?? ""),
    lengthUnit: unit ?? "in",
  };
}

function weightLeft(lines: Order["lines"]): { weight: string; unit: string } {
  const left = lines.filter(
    ({ quantity, shippedQuantity, requiresShipping }) => requiresShipping !== false && quantity > shippedQuantity,
  );
  const unit = left[0]?.weight?.unit ?? "lb";
  if (left.length === 0 || left.some(({ weight }) => !weight)) return { weight: "", unit };
  const grams = left.reduce(
    (sum, { weight, quantity, shippedQuantity }) =>
      sum + (quantity - shippedQuantity) * weight!.value * gramsPer[weight!.unit]!,
    0,
  );
  return { weight: String(Math.round((grams / gramsPer[unit]!) * 100) / 100), unit };
}

const dimensionsOf = ({ length, width, height, lengthUnit }: Parcel): QuoteRequest["dimensions"] => {
  const sides = [length, width, height].map(Number);
  if (!sides.every((side) => side > 0)) return undefined;
  return { length: sides[0]!, width: sides[1]!, height: sides[2]!, unit: lengthUnit };
};

/** Weight and dimensions for quote and label; undefined without a weight. */
export function measuresOf(parcel: Parcel): Pick<QuoteRequest, "weight" | "dimensions"> | undefined {
  const value = Number(parcel.weight);
  if (!(value > 0)) return undefined;
  const dimensions = dimensionsOf(parcel);
  return { weight: { value, unit: parcel.unit as "lb" }, ...(dimensions ? { dimensions } : {}) };
}

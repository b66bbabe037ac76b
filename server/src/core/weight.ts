import type { Static } from "typebox";
import { Type } from "./type.ts";
import { OneOf, Strict } from "./schema.ts";

const gramsPer = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 } as const;

export const Weight = Strict({
  value: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  unit: OneOf(Object.keys(gramsPer) as (keyof typeof gramsPer)[]),
});
export type Weight = Static<typeof Weight>;

export function toGrams({ value, unit }: Weight): number {
  return value * gramsPer[unit];
}

export function addWeights(a: Weight, b: Weight): Weight {
  const sum = a.value + toGrams(b) / gramsPer[a.unit];
  return { value: Math.round(sum * 1000) / 1000, unit: a.unit };
}

const Length = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
export const Dimensions = Strict({ length: Length, width: Length, height: Length, unit: OneOf(["cm", "in"]) });
export type Dimensions = Static<typeof Dimensions>;

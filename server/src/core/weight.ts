import type { Static } from "typebox";
import { Type } from "./type.ts";
import { OneOf, Strict } from "./schema.ts";

const gramsPer = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 } as const;

export const Weight = Strict({
  value: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  unit: OneOf(Object.keys(gramsPer) as (keyof typeof gramsPer)[]),
});
export type Weight = Static<typeof Weight>;

const unitWords: Record<Weight["unit"], RegExp> = {
  lb: /^(lbs?|pounds?|#)$/i,
  oz: /^(oz|ounces?)$/i,
  kg: /^(kgs?|kilograms?)$/i,
  g: /^(g|grams?)$/i,
};

/** A unit as people write it: "LBS", "pounds" and "#" are pounds. */
export function readWeightUnit(text: string): Weight["unit"] | undefined {
  return (Object.keys(unitWords) as Weight["unit"][]).find((unit) => unitWords[unit].test(text.trim()));
}

/** "Weight (kg)", "weight_oz" and "itemWeightLb" name a unit; "Weight/pkg" only ends like one. */
export function weightUnitInName(column: string): Weight["unit"] | undefined {
  const apart = /(?:^|[^a-z])(lbs?|oz|kgs?|g)[^a-z]*$/i.exec(column);
  const word = (apart ?? /weight(lbs?|oz|kgs?|g)$/i.exec(column))?.[1];
  return word === undefined ? undefined : readWeightUnit(word);
}

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

import type { Static } from "typebox";
import { Type } from "./type.ts";
import { foldSpelling, OneOf, Strict } from "./schema.ts";

const gramsPer = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 } as const;

type Unit = keyof typeof gramsPer;

export const maxWeight = 1_000_000;

/** How people write the units; a column may be called by any of these words, too. */
const unitWords: Record<Unit, string[]> = {
  lb: ["lb", "lbs", "pound", "pounds"],
  oz: ["oz", "ounce", "ounces"],
  kg: ["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"],
  g: ["g", "gram", "grams"],
};
/** Carriers write these in a column of units; a column of weights is not called so. */
const unitCodes: [code: string, unit: Unit][] = [
  ["#", "lb"],
  ["l", "lb"],
  ["o", "oz"],
  ["ozs", "oz"],
  ["k", "kg"],
];
const unitByWord = new Map([
  ...(Object.keys(unitWords) as Unit[]).flatMap((unit) => unitWords[unit].map((word) => [word, unit] as const)),
  ...unitCodes,
]);
const words = Object.values(unitWords).flat();

export const Weight = Strict({
  value: Type.Number({ minimum: 0, maximum: maxWeight }),
  unit: OneOf(Object.keys(gramsPer) as Unit[], {
    description: "Other spellings are accepted, such as LB, lbs or pounds",
    "x-aliases": Object.fromEntries(unitByWord),
  }),
});
export type Weight = Static<typeof Weight>;

/** A unit as people and carriers write it: "LBS", "pounds", "lb.", "L" and "#" are pounds. */
export function readWeightUnit(text: string): Unit | undefined {
  return unitByWord.get(foldSpelling(text));
}

const wordApart = new RegExp(`(?:^|[^a-z])(${words.join("|")})[^a-z]*$`, "i");
const wordAtEnd = new RegExp(`weight(?:in)?(${words.join("|")})$`, "i");

/** "Weight (kg)", "weight_ounces" and "itemWeightLb" name a unit; "Weight/pkg" only ends like one. */
export function weightUnitInName(column: string): Unit | undefined {
  const word = (wordApart.exec(column) ?? wordAtEnd.exec(column))?.[1];
  return word === undefined ? undefined : readWeightUnit(word);
}

/** Names of a column of weights, each also with every unit behind it: "Weight (kgs)" and "weight_in_pounds" as well. */
export function namesWithUnits(names: string): string {
  const ends = ["", ...words, ...words.map((word) => `in${word}`)];
  return names
    .split(" ")
    .flatMap((name) => ends.map((end) => name + end))
    .join(" ");
}

/** Names of a column that says in what the weights are, in files whose rows are parcels. */
export const weightUnitNames =
  "weightunit weightunits weightuom weightunitofmeasure ratedweightunit ratedweightunits billedweightunit " +
  "billedweightunits weightunitcode unit units uom unitofmeasure";

export function toGrams({ value, unit }: Weight): number {
  return value * gramsPer[unit];
}

/** Grams of a text such as "2.5 lb", whose form is checked by its schema. */
export function gramsOf(text: string): number {
  const [, value, unit] = /^([\d.]+) ?(\w+)$/.exec(text)!;
  return toGrams({ value: Number(value), unit: unit as Unit });
}

/** The same as `toGrams` in SQL, of a weight stored as JSON. */
export function gramsSql(weight: string): string {
  const cases = Object.entries(gramsPer).map(([unit, grams]) => `when '${unit}' then ${grams}`);
  return `(${weight} ->> 'value')::numeric * case ${weight} ->> 'unit' ${cases.join(" ")} end`;
}

/** In the unit of the first: a merchant who weighs items in pounds reads pounds. */
export function addWeights(first: Weight, ...others: readonly Weight[]): Weight {
  const grams = others.reduce((sum, weight) => sum + toGrams(weight), toGrams(first));
  return { value: Math.round((grams / gramsPer[first.unit]) * 1000) / 1000, unit: first.unit };
}

export const multiplyWeight = ({ value, unit }: Weight, count: number): Weight => ({ value: value * count, unit });

const Length = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
export const Dimensions = Strict({ length: Length, width: Length, height: Length, unit: OneOf(["cm", "in"]) });
export type Dimensions = Static<typeof Dimensions>;

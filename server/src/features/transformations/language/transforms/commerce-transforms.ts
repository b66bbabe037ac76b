import { Type } from "../../../../core/type.ts";
import { OneOf, Strict } from "../../../../core/schema.ts";
import { readWeightUnit } from "../../../../core/weight.ts";
import { MappingFault, chargeBudget } from "../mapping-run.ts";
import { fault, finite, isEmpty, roundTo, toText } from "../mapping-values.ts";
import {
  callingCodes,
  countriesWithStates,
  findCountry,
  keepsLeadingZero,
  statesOf,
} from "../../../../core/region-names.ts";
import { numberTransform, textTransform } from "../transform.ts";

/** In grams and in centimetres. */
const weights: Record<string, number> = { mg: 0.001, g: 1, kg: 1000, t: 1_000_000, oz: 28.349523125, lb: 453.59237 };
const lengths: Record<string, number> = { mm: 0.1, cm: 1, m: 100, in: 2.54, ft: 30.48, yd: 91.44 };
const unitNames = [...Object.keys(weights), ...Object.keys(lengths)];
const Unit = OneOf(unitNames);
const tableOf = (unit: string): Record<string, number> => (unit in weights ? weights : lengths);

/** As people and shops write it: KILOGRAMS, lbs, Inches. */
function readUnit(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  if (unitNames.includes(word)) return word;
  return readWeightUnit(word) ?? lengthWords.find(([pattern]) => pattern.test(word))?.[1];
}

const lengthWords: [RegExp, string][] = [
  [/^millimet(er|re)s?$/, "mm"],
  [/^centimet(er|re)s?$/, "cm"],
  [/^met(er|re)s?$/, "m"],
  [/^(inch(es)?|")$/, "in"],
  [/^(feet|foot)$/, "ft"],
  [/^yards?$/, "yd"],
];

export const commerceTransforms = [
  numberTransform({
    name: "convert_unit",
    text: "Converts a weight or a length into another unit, rounded to digits (3); from may be the path of the unit, and default its unit where it has none",
    params: Strict({
      from: Type.String({
        minLength: 1,
        maxLength: 500,
        description: `${unitNames.join(", ")}, or a path with $, @ or ^`,
      }),
      to: Unit,
      digits: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
      default: Type.Optional(Unit),
    }),
    example: { params: { from: "lb", to: "g" }, from: 2, to: 907.185 },
    compile({ from, to, digits = 3, default: otherwise }, env) {
      const convert = (value: number, unit: string): number => {
        const table = tableOf(unit);
        return roundTo(finite((value * table[unit]!) / table[to]!), digits);
      };
      const cannot = (unit: string): string | undefined =>
        to in tableOf(unit) ? undefined : `${unit} cannot be converted into ${to}.`;
      if (/^[$@^]/.test(from)) {
        const read = env.reader(from, "from");
        return (value, run) => {
          const said = read(run);
          const unit = isEmpty(said) ? otherwise : readUnit(toText(said));
          if (unit === undefined) {
            const suggestion =
              'give a default unit, such as {"convert_unit": {"from": "@.unit", "to": "kg", "default": "g"}}';
            throw isEmpty(said)
              ? new MappingFault("unit_missing", `There is no unit at ${from}.`, { suggestion })
              : fault(
                  said,
                  `one of ${unitNames.join(", ")}`,
                  'put a transform "lookup" before it, or correct the data',
                );
          }
          const refused = cannot(unit);
          if (refused !== undefined) throw new MappingFault("unit", refused);
          return convert(value, unit);
        };
      }
      const unit = readUnit(from);
      const refused = unit === undefined ? `There is no unit ${from.slice(0, 60)}.` : cannot(unit);
      if (refused !== undefined) env.refuse(unit === undefined ? "from" : "to", "unit", refused);
      return (value) => convert(value, refused === undefined ? unit! : to);
    },
  }),
  textTransform({
    name: "country_code",
    text: "The code of a country (alpha2, alpha3) or its English name, from any of them",
    params: Strict({ to: Type.Optional(OneOf(["alpha2", "alpha3", "name"])) }),
    main: "to",
    example: { from: "Germany", to: "DE" },
    compile({ to = "alpha2" }) {
      return (text, run) => {
        chargeBudget(run, 10);
        const country = findCountry(text);
        if (country) return country[to];
        throw fault(text, "the name or code of a country", 'put a transform "lookup" before it');
      };
    },
  }),
  textTransform({
    name: "state_code",
    text: "The code of a state or province, from its English name or code",
    params: Strict({ country: Type.Optional(OneOf(countriesWithStates)) }),
    main: "country",
    example: { from: "new york", to: "NY" },
    compile({ country = "US" }) {
      const find = statesOf(country);
      return (text, run) => {
        chargeBudget(run, 5);
        const code = find(text);
        if (code === undefined) throw fault(text, `a state of ${country}`);
        return code;
      };
    },
  }),
  textTransform({
    name: "phone_e164",
    text: "A phone number as +15550100000; country is that of numbers without a country code (US)",
    params: Strict({ country: Type.Optional(OneOf(Object.keys(callingCodes))) }),
    main: "country",
    example: { from: "(555) 010-0000 x12", to: "+15550100000" },
    compile({ country = "US" }) {
      const code = callingCodes[country]!;
      return (text) => {
        const number = text.length > 50 ? undefined : toE164(text, country, code);
        if (number === undefined) throw fault(text, `a phone number of ${country} or one that starts with +`);
        return number;
      };
    },
  }),
];

function toE164(text: string, country: string, code: string): string | undefined {
  const [main = ""] = text.trim().split(/\s*(?:x|ext\.?|#)\s*(?=\d)/i);
  if (/[^\d\s()+./-]/.test(main)) return undefined;
  const digits = main.replaceAll(/\D/g, "");
  const isInternational = main.startsWith("+") || digits.startsWith("00");
  const number = isInternational ? digits.replace(/^00/, "") : code + withoutTrunk(digits, country, code);
  const isPlausible = code === "1" && number.startsWith("1") ? number.length === 11 : /^[1-9]\d{6,14}$/.test(number);
  return isPlausible ? `+${number}` : undefined;
}

function withoutTrunk(digits: string, country: string, code: string): string {
  if (code === "1") return digits.length === 11 && digits.startsWith("1") ? digits.slice(1) : digits;
  return keepsLeadingZero.has(country) ? digits : digits.replace(/^0/, "");
}

import { Type } from "../../../../core/type.ts";
import { OneOf, Strict } from "../../../../core/schema.ts";
import { spend } from "../mapping-run.ts";
import { fault, finite, roundTo } from "../mapping-values.ts";
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

export const tradeTransforms = [
  numberTransform({
    name: "unit",
    text: "Converts a weight or a length into another unit, rounded to digits (3)",
    params: Strict({ from: Unit, to: Unit, digits: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })) }),
    example: { params: { from: "lb", to: "g" }, from: 2, to: 907.185 },
    compile({ from, to, digits = 3 }, env) {
      const table = from in weights ? weights : lengths;
      if (!(to in table)) env.refuse("to", "unit", `${from} cannot be converted into ${to}.`);
      const factor = table[from]! / (table[to] ?? 1);
      return (value) => roundTo(finite(value * factor), digits);
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
        spend(run, 10);
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
        spend(run, 5);
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

import { Type } from "../../../../core/type.ts";
import { Strict } from "../../../../core/schema.ts";
import { MappingFault, chargeBudget } from "../mapping-run.ts";
import { fault, finite, isEmpty, isMissing, plainNumber, roundTo, tidy, toNumber } from "../mapping-values.ts";
import type { CompileEnv } from "../transform.ts";
import { listTransform, numberTransform, textTransform } from "../transform.ts";
import type { Reader } from "../mapping-path.ts";

const Digits = Type.Integer({ minimum: 0, maximum: 10 });
const Operand = Type.Union([Type.Number(), Type.String({ minLength: 1, maxLength: 500 })], {
  description: "A number, or the path of one",
});
const Separator = Type.String({ maxLength: 1 });

/** A fixed number, or a reader of one; what is missing there makes the result missing. */
function operand(by: number | string, env: CompileEnv): (run: Parameters<Reader>[0]) => number | undefined {
  if (typeof by === "number") return () => by;
  const read = env.reader(by, "by");
  return (run) => {
    const value = read(run);
    return isMissing(value) ? undefined : toNumber(value);
  };
}

function arithmetic(
  name: string,
  text: string,
  example: { params: { by: number | string }; from: unknown; to: unknown; data?: object },
  calculate: (value: number, by: number) => number,
) {
  return numberTransform({
    name,
    text,
    params: Strict({ by: Operand }),
    main: "by",
    example,
    compile(params, env) {
      const by = operand(params.by, env);
      return (value, run) => {
        const other = by(run);
        return other === undefined ? undefined : tidy(calculate(value, other));
      };
    },
  });
}

/** Over the numbers of a list; missing ones do not count. */
function summary(
  name: string,
  text: string,
  example: { from: unknown; to: unknown },
  calculate: (numbers: number[]) => number | undefined,
) {
  return listTransform({
    name,
    text,
    example,
    compile: () => (list) => calculate(list.filter((value) => !isEmpty(value)).map(toNumber)),
  });
}

const total = (numbers: number[]): number => tidy(numbers.reduce((sum, number) => sum + number, 0));

export const numberTransforms = [
  textTransform({
    name: "number",
    weight: 6,
    text: "Reads a number as people write it: other decimal and grouping signs, currency signs",
    params: Strict({ decimal: Type.Optional(Separator), group: Type.Optional(Separator) }),
    main: "decimal",
    example: { params: { decimal: ",", group: "." }, from: "1.234,50 €", to: 1234.5 },
    compile({ decimal = ".", group: grouping = decimal === "," ? "." : "," }) {
      return (text) => readNumber(text, decimal, grouping);
    },
  }),
  numberTransform({
    name: "integer",
    text: "Cuts off what stands behind the decimal point",
    example: { from: "12.9", to: 12 },
    compile: () => (value) => Math.trunc(value) || 0,
  }),
  numberTransform({
    name: "round",
    text: "Rounds to this many decimal places (0), halves away from zero",
    params: Strict({ digits: Type.Optional(Digits) }),
    main: "digits",
    example: { params: { digits: 2 }, from: 1.005, to: 1.01 },
    compile:
      ({ digits = 0 }) =>
      (value) =>
        roundTo(value, digits),
  }),
  numberTransform({
    name: "floor",
    text: "The next whole number below",
    example: { from: 2.7, to: 2 },
    compile: () => Math.floor,
  }),
  numberTransform({
    name: "ceil",
    text: "The next whole number above",
    example: { from: 2.1, to: 3 },
    compile: () => (value) => Math.ceil(value) || 0,
  }),
  numberTransform({
    name: "abs",
    text: "Without its sign",
    example: { from: -4.5, to: 4.5 },
    compile: () => Math.abs,
  }),
  arithmetic(
    "add",
    "Adds a number or the number at a path",
    { params: { by: 0.2 }, from: 0.1, to: 0.3 },
    (a, b) => a + b,
  ),
  arithmetic(
    "subtract",
    "Subtracts a number or the number at a path",
    { params: { by: "$.discount" }, from: 20, to: 17.5, data: { discount: 2.5 } },
    (a, b) => a - b,
  ),
  arithmetic(
    "multiply",
    "Multiplies by a number or the number at a path",
    { params: { by: "$.quantity" }, from: "19.99", to: 59.97, data: { quantity: 3 } },
    (a, b) => a * b,
  ),
  arithmetic(
    "divide",
    "Divides by a number or the number at a path; dividing by zero is an error",
    { params: { by: 100 }, from: 1999, to: 19.99 },
    (a, b) => a / b,
  ),
  arithmetic("modulo", "What is left after dividing", { params: { by: 12 }, from: 31, to: 7 }, (a, b) => a % b),
  numberTransform({
    name: "clamp",
    text: "Keeps it between two bounds",
    params: Strict({ min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) }),
    example: { params: { min: 1, max: 99 }, from: 250, to: 99 },
    compile:
      ({ min = -Number.MAX_VALUE, max = Number.MAX_VALUE }) =>
      (value) =>
        Math.min(Math.max(value, min), max),
  }),
  numberTransform({
    name: "format_number",
    weight: 8,
    text: "Writes it with fixed decimal places and, if wanted, grouped digits",
    params: Strict({
      digits: Type.Optional(Digits),
      decimal: Type.Optional(Separator),
      group: Type.Optional(Separator),
    }),
    main: "digits",
    example: { params: { digits: 2, group: "," }, from: 1234.5, to: "1,234.50" },
    compile({ digits = 2, decimal = ".", group: grouping = "" }) {
      return (value) => {
        if (Math.abs(value) >= 1e15) throw fault(value, "small enough to be written with decimals");
        const [whole = "", fraction = ""] = roundTo(value, digits).toFixed(digits).split(".");
        const grouped = grouping === "" ? whole : whole.replaceAll(/\B(?=(?:\d{3})+$)/g, () => grouping);
        return fraction === "" ? grouped : grouped + decimal + fraction;
      };
    },
  }),
  summary("sum", "The sum of a list of numbers", { from: [19.99, "5.01", null], to: 25 }, total),
  summary("average", "The mean of a list of numbers", { from: [1, 2, 4.5], to: 2.5 }, (numbers) =>
    numbers.length === 0 ? undefined : tidy(total(numbers) / numbers.length),
  ),
  summary("min", "The smallest of a list of numbers", { from: [3, 1, 2], to: 1 }, (numbers) => extreme(numbers, -1)),
  summary("max", "The largest of a list of numbers", { from: [3, 1, 2], to: 3 }, (numbers) => extreme(numbers, 1)),
  listTransform({
    name: "weighted_sum",
    text: "The sum over a list of objects of one member times another, such as price times quantity",
    params: Strict({
      of: Type.String({ minLength: 1, maxLength: 100 }),
      by: Type.String({ minLength: 1, maxLength: 100 }),
    }),
    example: {
      params: { of: "price", by: "qty" },
      from: [
        { price: 9.95, qty: 2 },
        { price: 0.1, qty: 1 },
      ],
      to: 20,
    },
    compile({ of, by }) {
      const own = (element: unknown, name: string): number => {
        const isObject = typeof element === "object" && element !== null && Object.hasOwn(element, name);
        if (!isObject) throw new MappingFault("member_missing", `An element has no ${name}.`);
        return toNumber((element as Record<string, unknown>)[name]);
      };
      return (list, run) => {
        chargeBudget(run, list.length);
        return tidy(list.reduce<number>((sum, element) => sum + own(element, of) * own(element, by), 0));
      };
    },
  }),
];

function extreme(numbers: number[], direction: 1 | -1): number | undefined {
  if (numbers.length === 0) return undefined;
  return numbers.reduce((best, number) => ((number - best) * direction > 0 ? number : best));
}

function readNumber(text: string, decimal: string, grouping: string): number {
  const refused = (): Error => {
    const suggestion = /\d,\d{1,2}\D*$/.test(text) && decimal !== "," ? 'use {"number": {"decimal": ","}}' : undefined;
    return fault(text, "a number", suggestion);
  };
  if (text.length > 64) throw refused();
  const bare = text.replaceAll(/[\s$€£¥\u00a0\u202f]/g, "");
  const at = decimal === "" ? -1 : bare.lastIndexOf(decimal);
  const whole = at === -1 ? bare : bare.slice(0, at);
  const fraction = at === -1 ? "" : bare.slice(at + decimal.length);
  const groups = grouping === "" || grouping === " " ? [whole] : whole.split(grouping);
  const isGrouped = groups.every((part, i) => (i === 0 ? /^[+-]?\d{1,3}$/ : /^\d{3}$/).test(part));
  if (groups.length > 1 && !isGrouped) throw refused();
  const plain = groups.join("") + (at === -1 ? "" : `.${fraction}`);
  if (!plainNumber.test(plain)) throw refused();
  return finite(Number(plain));
}

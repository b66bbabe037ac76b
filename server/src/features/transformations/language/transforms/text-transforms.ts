import { Type } from "../../../../core/type.ts";
import { OneOf, Strict } from "../../../../core/schema.ts";
import { cleanText } from "../../../../core/strict-json.ts";
import { checkTextLength, chargeBudget } from "../mapping-run.ts";
import { toText } from "../mapping-values.ts";
import { defineTransform, joinTexts, textTransform } from "../transform.ts";

const ShortText = Type.String({ maxLength: 1000 });
const Length = Type.Integer({ minimum: 0, maximum: 10_000 });
const Paths = Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 20 });

const words = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const textTransforms = [
  textTransform({
    name: "trim",
    text: "Removes blanks at both ends",
    example: { from: "  A1 ", to: "A1" },
    compile: () => (text) => text.trim(),
  }),
  textTransform({
    name: "normalize_spaces",
    weight: 8,
    text: "Removes blanks at both ends and makes every run of blanks one",
    example: { from: "  12   Main  St ", to: "12 Main St" },
    compile: () => (text) => text.trim().replaceAll(/\s+/g, " "),
  }),
  textTransform({
    name: "upper",
    text: "Makes all letters capital",
    example: { from: "us", to: "US" },
    compile: () => (text) => text.toUpperCase(),
  }),
  textTransform({
    name: "lower",
    text: "Makes all letters small",
    example: { from: "Ann@Example.com", to: "ann@example.com" },
    compile: () => (text) => text.toLowerCase(),
  }),
  textTransform({
    name: "title",
    weight: 16,
    text: "Starts every word with a capital letter",
    example: { from: "NEW YORK", to: "New York" },
    compile: () => (text) => text.toLowerCase().replaceAll(words, capital),
  }),
  textTransform({
    name: "capitalize",
    text: "Makes the first letter capital and leaves the rest",
    example: { from: "gift wrap", to: "Gift wrap" },
    compile: () => capital,
  }),
  textTransform({
    name: "string",
    text: "Writes a number or boolean as text",
    example: { from: 1001, to: "1001" },
    compile: () => (text) => text,
  }),
  textTransform({
    name: "substring",
    text: "The characters from start (0 is the first, negative counts from the end), length of them or all",
    params: Strict({ start: Type.Integer({ minimum: -10_000, maximum: 10_000 }), length: Type.Optional(Length) }),
    main: "start",
    example: { params: { start: 0, length: 5 }, from: "10001-1234", to: "10001" },
    compile({ start, length }) {
      return (text) => {
        const from = start < 0 ? Math.max(0, text.length + start) : start;
        return cleanText(text.slice(from, length === undefined ? undefined : from + length));
      };
    },
  }),
  textTransform({
    name: "truncate",
    text: "At most length characters, the last of them an ending such as … if something was cut",
    params: Strict({ length: Length, ending: Type.Optional(Type.String({ maxLength: 10 })) }),
    main: "length",
    example: { params: { length: 6, ending: "…" }, from: "Blue mug", to: "Blue …" },
    compile({ length, ending = "" }) {
      return (text) =>
        text.length <= length ? text : cleanText(text.slice(0, Math.max(0, length - ending.length))) + ending;
    },
  }),
  textTransform({
    name: "replace",
    text: "Replaces every occurrence of one text by another",
    params: Strict({ from: Type.String({ minLength: 1, maxLength: 1000 }), to: ShortText }),
    example: { params: { from: "-", to: "" }, from: "555-010-0000", to: "5550100000" },
    compile({ from, to }) {
      const escaped = to.replaceAll("$", "$$$$");
      return (text) => {
        if (text.length <= maxPieced) return replacePiece(text, from, to);
        if (!text.includes(from)) return text;
        if (to.length <= from.length) return text.replaceAll(from, escaped);
        const parts = text.split(from);
        checkTextLength(text.length + (parts.length - 1) * (to.length - from.length));
        return parts.join(to);
      };
    },
  }),
  padding("start", { params: { length: 5, with: "0" }, from: 501, to: "00501" }, (text, length, filler) =>
    text.padStart(length, filler),
  ),
  padding("end", { params: { length: 4, with: "." }, from: "A", to: "A..." }, (text, length, filler) =>
    text.padEnd(length, filler),
  ),
  textTransform({
    name: "prefix",
    text: "Puts a text before it",
    params: Strict({ text: ShortText }),
    main: "text",
    example: { params: { text: "#" }, from: "1001", to: "#1001" },
    compile: (params) => (text) => params.text + text,
  }),
  textTransform({
    name: "suffix",
    text: "Puts a text behind it",
    params: Strict({ text: ShortText }),
    main: "text",
    example: { params: { text: " kg" }, from: 2.5, to: "2.5 kg" },
    compile: (params) => (text) => text + params.text,
  }),
  defineTransform({
    name: "concat",
    text: "Joins the value with the values at further paths; what is missing or empty is left out",
    params: Strict({ paths: Paths, separator: Type.Optional(Type.String({ maxLength: 100 })) }),
    main: "paths",
    takesMissing: true,
    example: { params: { paths: ["$.last"], separator: " " }, from: "Ann", to: "Ann Lee", data: { last: "Lee" } },
    compile({ paths, separator = "" }, env) {
      const readers = paths.map((path) => env.reader(path, "paths"));
      return (value, run) => {
        const parts = [value, ...readers.map((read) => read(run))];
        return joinTexts(parts, separator, run);
      };
    },
  }),
  textTransform({
    name: "split",
    text: "Makes a list of the parts between separators",
    params: Strict({
      separator: Type.String({ minLength: 1, maxLength: 100 }),
      trim: Type.Optional(Type.Boolean({ description: "Trim the parts and drop empty ones" })),
    }),
    main: "separator",
    example: { params: { separator: ",", trim: true }, from: "gift, rush,", to: ["gift", "rush"] },
    compile({ separator, trim = false }) {
      return (text, run) => {
        chargeBudget(run, text.length >> 2);
        const parts = text.split(separator);
        chargeBudget(run, parts.length);
        return trim ? parts.map((part) => part.trim()).filter((part) => part !== "") : parts;
      };
    },
  }),
  textTransform({
    name: "digits",
    weight: 4,
    text: "Keeps only the digits 0 to 9",
    example: { from: "(555) 010-0000", to: "5550100000" },
    compile: () => (text) => text.replaceAll(/[^0-9]+/g, ""),
  }),
  textTransform({
    name: "ascii",
    weight: 6,
    text: "Writes letters without accents and drops what plain ASCII cannot show",
    example: { from: "Zoë Müller-Straße", to: "Zoe Muller-Strasse" },
    compile: () => toAscii,
  }),
  textTransform({
    name: "slug",
    weight: 12,
    text: "A name for addresses: small letters, digits and hyphens",
    example: { from: "Blue Mug (Größe L)", to: "blue-mug-grosse-l" },
    compile: () => (text) =>
      toAscii(text)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^-|-$/g, ""),
  }),
  defineTransform({
    name: "length",
    text: "How many characters a text has, or elements a list",
    example: { from: "10001", to: 5 },
    compile: () => (value) => (Array.isArray(value) ? value.length : toText(value).length),
  }),
  textTransform({
    name: "contains",
    text: "True if this text occurs in it, without regard to case",
    params: Strict({
      text: Type.String({ minLength: 1, maxLength: 1000 }),
      at: Type.Optional(OneOf(["start", "end", "anywhere"])),
    }),
    main: "text",
    example: { params: { text: "fragile" }, from: "FRAGILE: glass", to: true },
    compile(params) {
      const wanted = params.text.toLowerCase();
      const test = params.at === "start" ? "startsWith" : params.at === "end" ? "endsWith" : "includes";
      return (text, run) => {
        chargeBudget(run, text.length >> 4);
        return text.toLowerCase()[test](wanted);
      };
    },
  }),
];

function padding(
  side: "start" | "end",
  example: { params: { length: number; with: string }; from: unknown; to: string },
  pad: (text: string, length: number, filler: string) => string,
) {
  return textTransform({
    name: `pad_${side}`,
    text: `Fills up at the ${side} to this length`,
    params: Strict({ length: Length, with: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })) }),
    main: "length",
    example,
    compile:
      ({ length, with: filler = " " }) =>
      (text, run) => {
        chargeBudget(run, length >> 5);
        return cleanText(pad(text, length, filler));
      },
  });
}

/** Up to here going from one occurrence to the next is faster than any method that does all at once. */
const maxPieced = 200;

function replacePiece(text: string, from: string, to: string): string {
  let made = "";
  let end = 0;
  for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, end)) {
    made += text.slice(end, at) + to;
    end = at + from.length;
  }
  return end === 0 ? text : made + text.slice(end);
}

const ligatures: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  ø: "o",
  Ø: "O",
  œ: "oe",
  Œ: "OE",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
};

function toAscii(text: string): string {
  return text
    .replaceAll(/[ßæÆøØœŒłŁđĐ]/g, (letter) => ligatures[letter]!)
    .normalize("NFKD")
    .replaceAll(/[^ -~]+/g, "");
}

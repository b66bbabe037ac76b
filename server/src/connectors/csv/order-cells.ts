import type { CellReader, CellValue } from "../../core/csv/csv-cells.ts";
import { clip, readAmount } from "../../core/csv/csv-cells.ts";
import { countryCodeOf } from "../../core/country-codes.ts";
import { textProblem } from "../../core/strict-json.ts";

const yes = /^(true|yes|y|1|ja|oui|si|sí)$/i;
const no = /^(false|no|n|0|nein|non|nee)$/i;

export const readFlag: CellReader = (text) =>
  yes.test(text)
    ? { value: true }
    : no.test(text)
      ? { value: false }
      : { problem: { code: "not_a_boolean", message: `${clip(text)} is neither true nor false.` } };

export const readWord: CellReader = (text) => ({ value: text.toLowerCase().replaceAll(/[\s-]+/g, "_") });

/** Shops also write "pending" or "unknown" before they have assessed an order: that is no risk level. */
export const readRisk: CellReader = (text) => {
  const word = text.toLowerCase();
  if (["low", "medium", "high"].includes(word)) return { value: word };
  const message = `${clip(text)} is not a risk level (low, medium, high) and was left out.`;
  return { value: undefined, guess: { code: "unknown_word", message } };
};

/** Discounts and refunds: some programs write them as negative amounts. */
export const readReduction: CellReader = (text, conventions) => {
  const read = readAmount(text, conventions);
  return "problem" in read ? read : { ...read, value: Math.abs(read.value as number) };
};

/** An amount that the customer saw: its sign says nothing about the currency of the order. */
export const readPresentment: CellReader = (text, conventions) => {
  const read = readAmount(text, conventions);
  if ("problem" in read || !read.implied) return read;
  return { ...read, implied: { "amounts.presentmentCurrency": read.implied.currency } };
};

/** A country by its code or name. */
export const readCountry: CellReader = (text) => ({ value: countryCodeOf(text) ?? text.toUpperCase() });

/** Texts of several lines, such as the names of a website, its store and its view, on one line. */
export const readOneLine: CellReader = (text) => ({ value: text.replaceAll(/\s*[\r\n]+\s*/g, " / ") });

type Note = { text: string; visibility?: string };

/** Plain text for a single plain note, else a JSON list. */
export function writeNotes(notes: readonly Note[]): string {
  const [only] = notes;
  if (!only) return "";
  const isText = only.text === only.text.trim() && !only.text.startsWith("[");
  const isPlain = notes.length === 1 && (only.visibility ?? "internal") === "internal" && isText;
  return isPlain ? only.text : JSON.stringify(notes.map(({ text, visibility }) => ({ text, visibility })));
}

export function readNotes(text: string): CellValue {
  const list = text.startsWith("[") ? parseJson(text) : undefined;
  const isNotes = Array.isArray(list) && list.every((note) => isKept(note) && typeof note.text === "string");
  return { value: isNotes ? list : [{ text }] };
}

const separator = /[,;|]/;

/** Tags in one cell; a JSON list if a tag contains the separator. */
export function writeTags(tags: readonly string[]): string {
  return tags.some((tag) => separator.test(tag) || tag.startsWith("[")) ? JSON.stringify(tags) : tags.join("|");
}

export function readTags(text: string): string[] {
  const tags = readTexts(text) ?? text.split(separator).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

function readTexts(text: string): string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  const list = parseJson(text);
  const isKept = Array.isArray(list) && list.every((member) => typeof member === "string" && !textProblem(member));
  return isKept ? (list as string[]) : undefined;
}

export type NamedValue = { name: string; value: string };

/**
 * Options and properties of a line: a JSON list, or texts such as "Color: Blue, Size: L", "[Color:Black,Size:L]" and one of them on
 * each line. A comma inside a value is kept: only a comma before a further name separates.
 */
export function readNamedValues(text: string, spareName: string): NamedValue[] {
  const list = text.startsWith("[") ? parseJson(text) : undefined;
  if (isNamedValues(list)) return list;
  const bare = /^\[(.*)\]$/s.exec(text)?.[1] ?? text;
  const parts = /[\r\n]/.test(bare) ? bare.split(/[\r\n]+/) : bare.split(/\s*[,;|]\s*(?=[^,;:|]{1,60}:)/);
  return parts.flatMap((part) => {
    const [, name, value] = /^\s*([^:]{1,100}?)\s*:\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name !== undefined && value !== undefined) return value === "" ? [] : [{ name, value }];
    return part.trim() === "" ? [] : [{ name: spareName, value: part.trim() }];
  });
}

function isNamedValues(list: unknown): list is NamedValue[] {
  return (
    Array.isArray(list) &&
    list.every((one) => isKept(one) && typeof one.name === "string" && typeof one.value === "string")
  );
}

const ofBuyer = /personali[sz]|engrav|inscription|gravur|custom|message|text|note/i;

/** Marketplaces write the options of a variant and the texts of the buyer into one cell. */
export const readVariations: CellReader = (text) => {
  const all = readNamedValues(text, "Variant");
  return {
    value: {
      options: all.filter(({ name }) => !ofBuyer.test(name)),
      properties: all.filter(({ name }) => ofBuyer.test(name)),
    },
  };
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((member) => typeof member !== "string" || !textProblem(member))
  );
}

export function readObject(text: string): CellValue {
  const value = parseJson(text);
  if (isKept(value) && !Array.isArray(value)) return { value };
  return { problem: { code: "not_json", message: `${clip(text)} is not a valid JSON object.` } };
}

export function readList(text: string): CellValue {
  const value = parseJson(text);
  if (Array.isArray(value) && value.every(isKept)) return { value };
  return { problem: { code: "not_json", message: `${clip(text)} is not a valid JSON list.` } };
}

import { hash } from "node:crypto";
import type { Order } from "../order.ts";

/** Set and taken away by runs; all other marks follow from the order. */
export const failedMark = "failed";

export const carrierMark = (carrier: string): string => shorten(`carrier:${carrier}`);
export const serviceMark = (service: string): string => shorten(`service:${service}`);
export const fieldMark = (name: string, value: unknown): string => shorten(`field:${name}=${JSON.stringify(value)}`);

/** What an order is listed by that has no column and no tag. */
export function marksOf({ shipping: { carrier, service }, customFields }: Order): string[] {
  return [
    ...(carrier === undefined ? [] : [carrierMark(carrier)]),
    ...(service === undefined ? [] : [serviceMark(service)]),
    ...Object.entries(customFields).map(([name, value]) => fieldMark(name, value)),
  ];
}

/** Orders are listed by their tags without regard to case, as conditions ask about them. */
export const foldTag = (tag: string): string => tag.toLowerCase();

const longestBytes = 200;

/** An index takes no long texts. */
function shorten(mark: string): string {
  return Buffer.byteLength(mark) <= longestBytes ? mark : `#${hash("sha256", mark, "base64")}`;
}

/** A field by its name, with all values that may be meant by a text: 1 is a number or a text. */
export type WantedField = { name: string; values: unknown[] };

/** From texts such as `color:red`, those of one field together. */
export function wantedFields(texts: readonly string[]): WantedField[] {
  const fields = new Map<string, Set<unknown>>();
  for (const text of texts) {
    const at = text.indexOf(":");
    const value = text.slice(at + 1);
    const values = fields.getOrInsertComputed(text.slice(0, at), () => new Set());
    for (const meant of [value, ...plainValues(value)]) values.add(meant);
  }
  return Array.from(fields, ([name, values]) => ({ name, values: [...values] }));
}

function plainValues(text: string): unknown[] {
  if (text === "true" || text === "false") return [text === "true"];
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? [number] : [];
}

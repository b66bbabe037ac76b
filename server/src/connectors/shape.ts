import { cutText } from "../core/cut-text.ts";
import type { Address, AddressText } from "../core/address.ts";
import { addressTexts } from "../core/address.ts";
import { orderLimits } from "../core/order-limits.ts";
import { roundToCents } from "../core/money.ts";
import type { CanonicalLine, CanonicalOrder, NamedValue } from "./canonical.ts";

/** A text of an external system on one line, truncated to `maxLength`; undefined if it is empty. */
export function line(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return text === "" ? undefined : cutText(text, maxLength).toWellFormed().trim();
}

/** Like `line`, but keeps line breaks. */
export function text(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const kept = value
    .toWellFormed()
    .replaceAll(/(?![\n\r\t])\p{Cc}/gu, "")
    .trim();
  return kept === "" ? undefined : cutText(kept, maxLength).toWellFormed();
}

/** Without undefined and null members. */
export function filled<T extends Record<string, unknown>>(given: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

export function filledOrNothing<T extends Record<string, unknown>>(given: T) {
  const kept = filled(given);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

const maxLengths: Partial<Record<AddressText, number>> = { provinceCode: 10, zip: 20, phone: 50, email: 254 };

export function addressOf(given: Record<string, unknown>): Address | undefined {
  const address: Address = {};
  for (const field of addressTexts) {
    const value = line(given[field], maxLengths[field] ?? 200);
    if (value !== undefined) address[field] = value;
  }
  if (address.countryCode !== undefined && !/^[A-Za-z]{2}$/.test(address.countryCode)) delete address.countryCode;
  return Object.keys(address).length === 0 ? undefined : address;
}

export function customerOf({ id, name, email, phone }: Partial<Record<"id" | "name" | "email" | "phone", unknown>>) {
  return filledOrNothing({
    id: line(id, 100),
    name: line(name, 200),
    email: line(email, 254),
    phone: line(phone, 50),
  });
}

/** The note of the buyer. */
export function buyerNotes(value: unknown): CanonicalOrder["notes"] {
  const note = text(value, orderLimits.noteLength);
  return note === undefined ? undefined : [{ text: note, visibility: "customer" }];
}

export function joinNotes(...lists: CanonicalOrder["notes"][]): CanonicalOrder["notes"] {
  const notes = lists.flatMap((list) => list ?? []);
  return notes.length === 0 ? undefined : notes;
}

/** Reads "12.50" and 12.5; undefined if it is not a valid amount. */
export function amount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0 || number > orderLimits.price)
    return undefined;
  return roundToCents(number);
}

/** Larger sums are not prices, and the hub does not store them. */
const maxSum = 1_000_000_000_000;

/** The sum of those that are amounts; undefined if none is. */
export function sumOf(values: readonly unknown[]): number | undefined {
  const amounts = values.map(amount).filter((value) => value !== undefined);
  const sum = roundToCents(amounts.reduce((total, value) => total + value, 0));
  return amounts.length === 0 || sum > maxSum ? undefined : sum;
}

/** The share of an amount for some of the units that it is for. */
export function shareOf(total: unknown, units: number, allUnits: number): number | undefined {
  const whole = amount(total);
  if (whole === undefined || !(allUnits > 0)) return undefined;
  return amount((whole * Math.min(Math.max(0, units), allUnits)) / allUnits);
}

/** Undefined for 0, so that an order without discounts or fees has no such fields. */
export function unlessZero(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}

export function tagsOf(values: readonly unknown[]): string[] | undefined {
  const tags = [
    ...new Set(values.map((value) => line(value, orderLimits.tagLength)).filter((tag) => tag !== undefined)),
  ];
  return tags.length === 0 ? undefined : tags.slice(0, orderLimits.tags);
}

/** A text that is no currency is kept, so that the order is rejected: without one it would be in US dollars. */
export function currencyOf(value: unknown): string | undefined {
  return line(value, 100)?.toUpperCase();
}

const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

const withoutZone = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(:\d\d(\.\d+)?)?)$/;

/**
 * ISO 8601 in UTC with milliseconds, so that texts sort by time; undefined if it is not a time, or its year does not have four
 * digits. A time without a zone is UTC, whatever the zone of the process.
 */
export function instantOf(value: unknown): string | undefined {
  const given = typeof value === "string" ? Date.parse(value.replace(withoutZone, "$1T$2Z")) : value;
  const ms = typeof given === "number" ? given : Number.NaN;
  return ms >= earliest && ms <= latest ? new Date(ms).toISOString() : undefined;
}

export function laterOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

export function earlierOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Date.parse(other) < Date.parse(one) ? other : one;
}

export function minutesBefore(instant: string, minutes: number): string {
  return new Date(Date.parse(instant) - minutes * 60_000).toISOString();
}

/** Some shops send numbers as texts; other types become "". */
export function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/**
 * NaN for other types and for an empty text. `Number` makes 0 of the latter, and throws for an object with a `toString` that is no
 * function, so that all orders of the page would fail.
 */
export function numberOf(value: unknown): number {
  const text = asText(value).trim();
  return text === "" ? Number.NaN : Number(text);
}

type GivenLine = Record<"id" | "sku" | "name" | "price", unknown> & { quantity: number; spareSku?: string | undefined };

/**
 * The ID is that of the line in the shop, which shipments refer to. The hub requires a SKU, shops do not: `spareSku` is a
 * substitute that is stable for the product.
 */
export function lineOf(given: GivenLine): CanonicalLine {
  const id = line(given.id, 64);
  const sku = line(given.sku, 100) ?? line(given.spareSku, 100) ?? (id === undefined ? "unknown" : `line-${id}`);
  return { sku, quantity: given.quantity, ...filled({ id, name: line(given.name, 200), price: amount(given.price) }) };
}

type GivenPair = Record<"name" | "value", unknown>;

/** Options of the variant. */
export function optionsOf(given: readonly GivenPair[]): NamedValue[] | undefined {
  return namedValuesOf(given, 200, orderLimits.options);
}

/** What the buyer chose or wrote. */
export function propertiesOf(given: readonly GivenPair[]): NamedValue[] | undefined {
  return namedValuesOf(given, 2000, orderLimits.properties);
}

/** Without those that have no name or no value. */
function namedValuesOf(given: readonly GivenPair[], maxValue: number, maxCount: number): NamedValue[] | undefined {
  const pairs = given.flatMap((pair) => {
    const [name, value] = [line(pair.name, 100), text(pair.value, maxValue)];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  return pairs.length === 0 ? undefined : pairs.slice(0, maxCount);
}

/** The URL of a picture. Only clients load it, and only from the web. */
export function imageUrlOf(value: unknown): string | undefined {
  const url = typeof value === "string" && value.length <= 2000 ? URL.parse(value.trim()) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href.slice(0, 2000) : undefined;
}

/** The record of an order that was deleted in the shop. */
export function gone(externalId: string): CanonicalOrder {
  return { externalId, deleted: true };
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

export type Json = Record<string, unknown>;

export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

import { hash } from "node:crypto";
import type { Order, OrderFields } from "../order.ts";

/** Set and removed by runs; all other facets are derived from the order. */
export const failedFacet = "failed";

export const carrierFacet = (carrier: string): string => shorten(`carrier:${carrier}`);
export const serviceFacet = (service: string): string => shorten(`service:${service}`);
export const skuFacet = (sku: string): string => shorten(`sku:${sku}`);
export const countryFacet = (code: string): string => `country:${code.toUpperCase()}`;
export const fieldFacet = (name: string, value: unknown): string => shorten(`field:${name}=${JSON.stringify(value)}`);

/** Fields whose change may change the facets. */
export const facetSources: readonly (keyof OrderFields)[] = [
  "shipping",
  "shippingAddress",
  "lines",
  "customFields",
  "archivedAt",
];

/** Values for filters that have no column: carrier, service, country, SKUs and custom fields. */
export function facetsOf({ shipping: { carrier, service }, shippingAddress, lines, customFields }: Order): string[] {
  const country = shippingAddress?.countryCode;
  return [
    ...(country === undefined ? [] : [countryFacet(country)]),
    ...lines.map(({ sku }) => skuFacet(sku)),
    ...(carrier === undefined ? [] : [carrierFacet(carrier)]),
    ...(service === undefined ? [] : [serviceFacet(service)]),
    ...Object.entries(customFields).map(([name, value]) => fieldFacet(name, value)),
  ];
}

/** Tags are compared ignoring case, as in conditions. */
export const foldTag = (tag: string): string => tag.toLowerCase();

const longestBytes = 200;

/** Hashes long values, which an index cannot hold. */
function shorten(facet: string): string {
  return Buffer.byteLength(facet) <= longestBytes ? facet : `#${hash("sha256", facet, "base64")}`;
}

/** A custom field with all values that a text can mean: 1 is a number or a text. */
export type WantedField = { name: string; values: unknown[] };

/** Groups texts such as `color:red` by field. */
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

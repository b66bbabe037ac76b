import { decodeEntities, plainText } from "../../core/html-text.ts";
import type { CanonicalLine, NamedValue } from "../canonical.ts";
import type { Json } from "../shape.ts";
import {
  amount,
  asText,
  filled,
  imageUrlOf,
  line,
  lineOf,
  listOf,
  numberOf,
  objectOf,
  optionsOf,
  propertiesOf,
  shareOf,
  unlessZero,
} from "../shape.ts";

export type WooLine = {
  line: CanonicalLine;
  /** Not all of it was refunded. */
  isLeft: boolean;
};

/** `refundedOf`: the quantity of a line that was refunded before it was shipped. `isPickup`: the buyer collects the order. */
export function linesOf(order: Json, refundedOf: (item: Json) => number, isPickup: boolean): WooLine[] {
  const items = listOf(order.line_items);
  const parents = bundlesOf(items);
  return items.map((item) => toLine(item, refundedOf(item), parents, isPickup));
}

/**
 * The bundle of each item of a bundle. A bundle has its own line beside the lines of its items: the items are packed, so the line of
 * the bundle needs no shipping.
 */
function bundlesOf(items: Json[]): Map<string, string> {
  const ids = new Set(items.map(({ id }) => asText(id)).filter((id) => id !== ""));
  const parents = new Map<string, string>();
  for (const { id, bundled_items: bundled, composite_children: children } of items) {
    for (const part of [bundled, children].flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
      const isOther = ids.has(asText(part)) && ids.has(asText(id)) && asText(part) !== asText(id);
      if (isOther) parents.set(asText(part), asText(id));
    }
  }
  return parents;
}

/** The SKU of a product or variation without one, in orders and in stock alike. */
export function spareSkuOf(productId: number | undefined, variationId?: number): string | undefined {
  if (variationId) return `variation-${variationId}`;
  return productId ? `product-${productId}` : undefined;
}

/** A quantity that is not a whole number is kept, so that the order is rejected. */
function toLine(item: Json, refunded: number, parents: Map<string, string>, isPickup: boolean): WooLine {
  const ordered = numberOf(item.quantity);
  const quantity = (refunded === 0 ? item.quantity : ordered - refunded) as number;
  const units = numberOf(quantity);
  const [variation, product] = [item.variation_id, item.product_id].map(numberOf);
  const spareSku = spareSkuOf(product, variation);
  const { options, properties } = chosenIn(item);
  const name = line(decoded(item.name), 200);
  const paid = amount(item.total);
  const full = amount(item.subtotal);
  const discount = full !== undefined && paid !== undefined ? full - paid : undefined;
  const price = full !== undefined && ordered > 0 ? full / ordered : item.price;
  const id = asText(item.id);
  const isBundle = [...parents.values()].includes(id);
  const isVirtual = objectOf(item.product).virtual === true;
  const made: CanonicalLine = {
    ...lineOf({ id: item.id, sku: item.sku, spareSku, name, price, quantity }),
    ...filled({
      discount: unlessZero(shareOf(discount, units, ordered)),
      tax: unlessZero(shareOf(item.total_tax, units, ordered)),
      refundedQuantity: refunded > 0 && Number.isInteger(refunded) ? refunded : undefined,
      productId: product ? String(product) : undefined,
      variantId: variation ? String(variation) : undefined,
      options: optionsOf(options),
      properties: propertiesOf(properties),
      imageUrl: imageUrlOf(objectOf(item.image).src),
      requiresShipping: isBundle || isVirtual || isPickup ? false : undefined,
      parentLineId: line(parents.get(id), 64),
    }),
  };
  return { line: made, isLeft: !(units <= 0) };
}

/**
 * Options of the variation, and what the buyer has added, such as an engraving. Names that start with `_` are internal to the shop.
 * Both come in one list: options are attributes of the shop (`pa_`), or values in the name of a variation.
 */
function chosenIn(item: Json): { options: NamedValue[]; properties: NamedValue[] } {
  const shown = listOf(item.meta_data).flatMap(({ key, value, display_key: label, display_value: text }) => {
    const pair = { name: plainText(asText(label ?? key)), value: plainText(asText(text ?? value)) };
    const isShown = !asText(key).startsWith("_") && pair.name !== "" && pair.value !== "";
    return isShown ? [{ ...pair, isAttribute: asText(key).startsWith("pa_") }] : [];
  });
  const isVariation = numberOf(item.variation_id) > 0;
  const suffix = asText(decoded(item.name)).slice(asText(decoded(item.parent_name)).length);
  const isOption = ({ value, isAttribute }: (typeof shown)[number]): boolean =>
    isAttribute || (isVariation && suffix.includes(value));
  const named = (some: typeof shown): NamedValue[] => some.map(({ name, value }) => ({ name, value }));
  return {
    options: named(shown.filter(isOption)),
    properties: named(shown.filter((one) => !isOption(one))),
  };
}

export function decoded(value: unknown): unknown {
  return typeof value === "string" ? decodeEntities(value) : value;
}

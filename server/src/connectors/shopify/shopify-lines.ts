import type { Weight } from "../../core/weight.ts";
import { maxWeight, readWeightUnit } from "../../core/weight.ts";
import type { CanonicalLine, NamedValue } from "../canonical.ts";
import type { Json } from "../shape.ts";
import { asText, filled, imageUrlOf, line, lineOf, listOf, numberOf, objectOf } from "../shape.ts";
import { optionsOf, propertiesOf, shareOf, sumOf, unlessZero } from "../shape.ts";
import { idOf } from "./shopify-graphql.ts";
import { allocationsOf, shopAmount } from "./shopify-money.ts";

/** The current quantity excludes removed and refunded items; for a cancelled order it would be zero. */
export function quantityOf(item: Json, isCancelled = false): number {
  const quantity = numberOf(isCancelled ? item.quantity : (item.currentQuantity ?? item.quantity));
  return Number.isInteger(quantity) ? Math.max(0, quantity) : 0;
}

export function needsShipping({ requiresShipping }: Json): boolean {
  return requiresShipping !== false;
}

export function shippedOf(item: Json): number {
  const { unfulfilledQuantity: left, requiresShipping } = item;
  if (requiresShipping === false || typeof left !== "number" || !Number.isInteger(left)) return 0;
  return Math.min(Math.max(0, quantityOf(item) - left), quantityOf(item));
}

/** Units that were refunded and no longer count. Units that were removed before they were paid are not refunded. */
function refundedOf(item: Json, quantity: number): number | undefined {
  const refunded = numberOf(item.quantity) - numberOf(item.refundableQuantity ?? Number.NaN);
  const gone = numberOf(item.quantity) - quantity;
  return Number.isInteger(refunded) && Math.min(refunded, gone) > 0 ? Math.min(refunded, gone) : undefined;
}

/** Attributes of the buyer. Names that start with `_` belong to apps and are hidden in shops. */
export function attributesOf({ customAttributes }: Json): NamedValue[] {
  return listOf(customAttributes).flatMap(({ key, value }) => {
    const [name, text] = [asText(key).trim(), asText(value).trim()];
    return name !== "" && !name.startsWith("_") && text !== "" ? [{ name, value: text }] : [];
  });
}

type LineOptions = {
  isCancelled: boolean;
  /** The line is part of no parcel, because of the way in which it is delivered. */
  isCollected: boolean;
};

export function toLine(item: Json, { isCancelled, isCollected }: LineOptions): CanonicalLine {
  const quantity = quantityOf(item, isCancelled);
  const ordered = numberOf(item.quantity);
  const title = line(titleOf(item), 200);
  const attributes = attributesOf(item);
  const { title: bundle } = objectOf(item.lineItemGroup);
  const properties = [...attributes, { name: "Bundle", value: bundle }];
  const variant = objectOf(item.variant);
  const { harmonizedSystemCode, countryCodeOfOrigin } = objectOf(variant.inventoryItem);
  const origin = asText(countryCodeOfOrigin);
  const taxes = listOf(item.taxLines).map(({ priceSet }) => shopAmount(priceSet));
  const price = shopAmount(item.originalUnitPriceSet);
  const made: CanonicalLine = {
    ...lineOf({ id: idOf(item.id), sku: item.sku, spareSku: title, name: title, price, quantity }),
    ...filled({
      shippedQuantity: unlessZero(Math.min(shippedOf(item), quantity)),
      discount: unlessZero(sumOf(allocationsOf(item, quantity).map(({ value }) => value))),
      tax: unlessZero(shareOf(sumOf(taxes), quantity, ordered)),
      refundedQuantity: refundedOf(item, quantity),
      weight: weightOf(item),
      productId: line(idOf(objectOf(item.product).id), 100),
      variantId: line(idOf(variant.id), 100),
      options: optionsIn(item),
      properties: propertiesOf(properties),
      imageUrl: imageUrlOf(objectOf(item.image).url),
      requiresShipping: needsShipping(item) && !isCollected ? undefined : false,
      hsCode: line(harmonizedSystemCode, 20),
      originCountry: /^[A-Z]{2}$/.test(origin) ? origin : undefined,
    }),
  };
  return made;
}

/** A product without variants has one with this title. */
function variantTitleOf({ variantTitle }: Json): string {
  return variantTitle === "Default Title" ? "" : asText(variantTitle);
}

/** The name as in Shopify's exports. */
function titleOf(item: Json): string {
  return [asText(item.title), variantTitleOf(item)].filter((part) => part !== "").join(" - ");
}

/** By name, if product data can be read; else the title of the variant, such as `Blue / L`. */
function optionsIn(item: Json): NamedValue[] | undefined {
  const variant = variantTitleOf(item);
  if (variant === "") return undefined;
  const selected = listOf(objectOf(item.variant).selectedOptions);
  const named = selected.map(({ name, value }) => ({ name, value }));
  return optionsOf(named) ?? optionsOf([{ name: "Variant", value: variant }]);
}

/** Weight of one unit, from the product. */
function weightOf(item: Json): Weight | undefined {
  const { measurement } = objectOf(objectOf(item.variant).inventoryItem);
  const { value, unit } = objectOf(objectOf(measurement).weight);
  const known = readWeightUnit(asText(unit));
  const isWeight = typeof value === "number" && value > 0 && value <= maxWeight;
  return known && isWeight ? { value, unit: known } : undefined;
}

import type { CellReader } from "../../core/csv/csv-cells.ts";
import { clip, readAmount, readNumber } from "../../core/csv/csv-cells.ts";
import { cutText } from "../../core/cut-text.ts";
import { decodeEntities } from "../../core/html-text.ts";
import { readNamedValues } from "./order-cells.ts";

const productKeys = "ID|Qty|SKU|Name|Weight|Variation Details|Unit Price|Total Price";
const productKey = new RegExp(`(?:^|,\\s*)Product (${productKeys}):\\s?`, "g");

/**
 * All items of an order in one cell, as BigCommerce writes them: "Product ID: 7, Product Qty: 2, ...|Product ID: 8, ...". Names may
 * contain commas and colons, so the text is divided at the known keys only.
 */
export const readProducts: CellReader = (text, conventions) => {
  const lines: Record<string, unknown>[] = [];
  for (const product of text.split(/\|\s*(?=Product ID:)/)) {
    const values = valuesOf(product);
    const quantity = readNumber(values.get("Qty") ?? "", conventions);
    if ("problem" in quantity) {
      const message = `${clip(product)} is not an item such as Product ID: 7, Product Qty: 1, Product SKU: MUG, Product Name: Mug.`;
      return { problem: { code: "not_an_item", message } };
    }
    const price = readAmount(values.get("Unit Price") ?? "", conventions);
    const options = readNamedValues(values.get("Variation Details") ?? "", "Variant");
    lines.push({
      ...filled({ productId: values.get("ID"), sku: values.get("SKU"), name: values.get("Name") }),
      quantity: quantity.value,
      ...("value" in price && { price: price.value }),
      ...(options.length > 0 && { options }),
    });
  }
  return { value: lines };
};

function valuesOf(product: string): Map<string, string> {
  const keys = [...product.matchAll(productKey)];
  return new Map(
    keys.map((found, index) => [
      found[1]!,
      decodeEntities(product.slice(found.index + found[0].length, keys[index + 1]?.index)).trim(),
    ]),
  );
}

function filled(given: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(entries);
}

/** Coupons: "Coupon Code: SAVE10, Coupon Value: 10.00", or codes with commas between. */
export const readCoupons: CellReader = (text) => {
  const [, code] = /Coupon Code:\s*([^,|]+)/i.exec(text) ?? [];
  if (code === undefined)
    return { value: text.split(/\s*[,;|]\s*/).flatMap((one) => (one === "" ? [] : [{ code: one }])) };
  const [, amount] = /Coupon (?:Value|Discount|Amount):\s*\$?(\d+(?:\.\d+)?)\s*(?:[,|]|$)/i.exec(text) ?? [];
  return { value: [{ code: code.trim(), ...(amount !== undefined && { amount: Number(amount) }) }] };
};

export const readDiscountTitle: CellReader = (text) => ({
  value: [{ title: cutText(text.replaceAll(/\s+/g, " "), 200) }],
});

/**
 * An address as Magento's grid writes it: street, city, region and ZIP with commas between, without a country. A text of another
 * form is the street, so that nothing is lost.
 */
export const readAddressText: CellReader = (text) => {
  const parts = text
    .replaceAll(/\s*[\r\n]+\s*/g, "\n")
    .split(/\s*,\s*/)
    .map((part) => part.trim());
  const zip = parts.at(-1)!;
  if (parts.length < 3 || !/\d/.test(zip)) return { value: { address1: text.replaceAll(/\s+/g, " ") } };
  const hasRegion = parts.length > 3;
  const street = parts.slice(0, hasRegion ? -3 : -2).join(", ");
  const [address1, ...rest] = street.split("\n");
  const address = {
    address1,
    address2: rest.join(", "),
    city: parts.at(hasRegion ? -3 : -2),
    province: hasRegion ? parts.at(-2) : "",
    zip,
  };
  return { value: Object.fromEntries(Object.entries(address).filter(([, part]) => part)) };
};

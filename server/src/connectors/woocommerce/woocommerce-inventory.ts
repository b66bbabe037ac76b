import { readJson } from "../../core/outbound/ask-remote.ts";
import { Strict } from "../../core/schema.ts";
import type { CanonicalInventory } from "../canonical.ts";
import type { Call, Page, PulledRecord } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, line, listOf, numberOf, objectOf } from "../shape.ts";
import { pullTask } from "../standard-tasks.ts";
import { askWoo } from "./woocommerce-api.ts";
import { spareSkuOf } from "./woocommerce-lines.ts";

const perPage = 100;
const fields = "id,sku,type,manage_stock,stock_quantity";

/** Products by ID, so that one that is added meanwhile comes last. */
async function* pullInventory(call: Call, cursor: unknown): AsyncGenerator<Page> {
  let page = (objectOf(cursor) as { page?: number }).page ?? 1;
  for (;;) {
    const { items, hasMore, total } = await readProducts(call, "/wc/v3/products", page);
    const records: PulledRecord[] = [];
    for (const product of items) {
      const all = product.type === "variable" ? [product, ...(await readVariations(call, product))] : [product];
      records.push(...all.flatMap((one) => toRecord(call, product, one)));
    }
    page++;
    yield { records, cursor: hasMore ? { page } : {}, ...(total === undefined ? {} : { total }) };
    if (!hasMore) return;
  }
}

async function readVariations(call: Call, { id }: Json): Promise<Json[]> {
  const variations: Json[] = [];
  for (let page = 1; ; page++) {
    const { items, hasMore } = await readProducts(call, `/wc/v3/products/${asText(id)}/variations`, page);
    variations.push(...items);
    if (!hasMore) return variations;
  }
}

async function readProducts(call: Call, path: string, page: number) {
  const query = { per_page: perPage, page, orderby: "id", order: "asc", _fields: fields };
  const response = await askWoo(call, { path, query });
  const items = listOf(readJson(response));
  const pages = Number(response.headers["x-wp-totalpages"] ?? Number.NaN);
  const hasMore = Number.isNaN(pages) ? items.length >= perPage : page < pages && items.length > 0;
  const count = Number(response.headers["x-wp-total"] ?? Number.NaN);
  return { items, hasMore, total: Number.isNaN(count) ? undefined : count };
}

/** Nothing for a product that the shop sells without counting it. */
function toRecord({ settings }: Call, product: Json, item: Json): PulledRecord[] {
  const id = numberOf(item.id);
  const sku = line(item.sku, 100) ?? (item === product ? spareSkuOf(id) : spareSkuOf(undefined, id));
  // A variation can share the stock of its product.
  const counted = item.manage_stock === "parent" ? product : item;
  const available = counted.stock_quantity;
  if (sku === undefined || counted.manage_stock !== true || typeof available !== "number") return [];
  const { stockLocationId: locationId } = settings as { stockLocationId?: string };
  const canonical: CanonicalInventory = { sku, available, ...(locationId === undefined ? {} : { locationId }) };
  return [{ externalId: asText(item.id), raw: { ...item, stock_quantity: available }, canonical }];
}

export const inventoryPull = pullTask("inventory.pull", {
  description:
    "Reads the stock of all products and variations whose stock the shop manages. It belongs to the location of the settings, or else " +
    "to the imported location of the store.",
  input: Strict({}),
  isIncremental: false,
  pull: pullInventory,
});

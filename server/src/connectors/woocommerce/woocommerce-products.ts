import { readJson } from "../../core/outbound/ask-remote.ts";
import type { Call } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, chunksOf, listOf } from "../shape.ts";
import { askWoo } from "./woocommerce-api.ts";

/** Adds to each line whether its product is virtual: the lines themselves do not say it. */
export type ProductReader = { addTo(orders: Json[]): Promise<Json[]> };

const maxPerRequest = 100;
const notReadable: readonly number[] = [401, 403, 404];

/** One request for each hundred products that were not read before, for the duration of one import. */
export function createProductReader(call: Call): ProductReader {
  const known = new Map<string, Json>();
  let isReadable = call.settings.importProducts !== false;

  async function read(ids: string[]): Promise<void> {
    for (const include of chunksOf(ids, maxPerRequest)) {
      if (!isReadable) return;
      const query = { include: include.join(","), per_page: maxPerRequest, status: "any", _fields: "id,virtual" };
      const response = await askWoo(call, { path: "/wc/v3/products", query }, [...notReadable]);
      isReadable = !notReadable.includes(response.status);
      if (!isReadable) {
        call.log("warn", "The shop does not let the hub read its products: virtual products are taken for goods.");
        return;
      }
      // Also those that were deleted since, so that they are requested once.
      for (const id of include) known.set(id, {});
      for (const { id, virtual } of listOf(readJson(response))) known.set(asText(id), { virtual });
    }
  }

  const productIdOf = (item: Json): string => asText(item.product_id);
  return {
    async addTo(orders) {
      const items = orders.flatMap((order) => listOf(order.line_items));
      const missing = new Set(items.map(productIdOf).filter((id) => /^[1-9]\d*$/.test(id) && !known.has(id)));
      await read([...missing]);
      const withProduct = (item: Json): Json => {
        const product = known.get(productIdOf(item));
        return product?.virtual === undefined ? item : { ...item, product };
      };
      return orders.map((order) =>
        Array.isArray(order.line_items) ? { ...order, line_items: listOf(order.line_items).map(withProduct) } : order,
      );
    },
  };
}

import type { Address } from "../../core/address.ts";
import type { Queryable } from "../../db/database.ts";
import { listActiveLocations } from "../locations/locations.ts";
import type { Order } from "../orders/order.ts";
import type { Level } from "../stock/stock.ts";
import { readLevels, readReserved } from "../stock/stock.ts";

export type StockLocation = { id: string; name: string; address: Address };

/** Stock as conditions and actions see it: the levels of the SKUs of a batch of orders, and what is reserved of them. */
export type StockDirectory = {
  /** Active locations, the preferred ones first. */
  locations: readonly StockLocation[];
  levelOf(locationId: string, sku: string): Level | undefined;
  /** Units that can be allocated, without those of any reservation. */
  freeOf(locationId: string, sku: string): number;
  /** What is reserved for one of the orders that were read. */
  reservedFor(orderId: string): readonly { locationId: string; sku: string; units: number }[];
};

/** For pipelines that do not ask about stock. */
export const noStock: StockDirectory = {
  locations: [],
  levelOf: () => undefined,
  freeOf: () => 0,
  reservedFor: () => [],
};

/** Reads the stock for these orders, once for all of them. A transaction that allocates calls `lockStock` first. */
export async function readStock(db: Queryable, orgId: string, orders: readonly Order[]): Promise<StockDirectory> {
  const skus = [...new Set(orders.flatMap(({ lines }) => lines.map(({ sku }) => sku)))];
  const ids = orders.map(({ id }) => id);
  const locations = await listActiveLocations(db, orgId);
  const rows = await readLevels(db, orgId, skus);
  const levels = new Map(rows.map((level) => [stockKey(level.locationId, level.sku), level]));
  const reserved = new Map<string, number>();
  const ofOrders = new Map<string, { locationId: string; sku: string; units: number }[]>();
  for (const { orderId, locationId, sku, units } of await readReserved(db, orgId, skus, ids)) {
    const key = stockKey(locationId, sku);
    reserved.set(key, (reserved.get(key) ?? 0) + units);
    if (orderId !== null) ofOrders.getOrInsertComputed(orderId, () => []).push({ locationId, sku, units });
  }
  return {
    locations,
    levelOf: (locationId, sku) => levels.get(stockKey(locationId, sku)),
    freeOf(locationId, sku) {
      const level = levels.get(stockKey(locationId, sku));
      return level ? level.available + (level.committed ?? 0) - (reserved.get(stockKey(locationId, sku)) ?? 0) : 0;
    },
    reservedFor: (orderId) => ofOrders.get(orderId) ?? [],
  };
}

export function stockKey(locationId: string, sku: string): string {
  return `${locationId} ${sku}`;
}

import type { Order, OrderLine } from "../orders/order.ts";
import { remainingOf } from "../orders/order.ts";
import type { StockDirectory } from "./stock-directory.ts";
import { stockKey } from "./stock-directory.ts";

/** Lines that take units from a shelf: not digital goods, and of a kit its components, not the kit itself. */
export function linesFromStock({ lines }: Pick<Order, "lines">): OrderLine[] {
  const kits = new Set(lines.flatMap(({ parentLineId }) => parentLineId ?? []));
  return lines.filter((line) => remainingOf(line) > 0 && !kits.has(line.id));
}

export type Needs = ReadonlyMap<string, number>;

/** Units by SKU that are still to be shipped. */
export function needsOf(order: Pick<Order, "lines">): Needs {
  const needs = new Map<string, number>();
  for (const line of linesFromStock(order)) needs.set(line.sku, (needs.get(line.sku) ?? 0) + remainingOf(line));
  return needs;
}

/** How much of the stock is left while orders are allocated. */
export type StockLedger = {
  /** Units of the SKU that this order can get at the location. */
  unitsFor(order: Order, locationId: string, sku: string): number;
  take(order: Order, locationId: string, sku: string, units: number): void;
};

/** `orders`: what is reserved for them is free again, since they are allocated anew. */
export function openLedger(stock: StockDirectory, orders: readonly Order[]): StockLedger {
  const changes = new Map<string, number>();
  const add = (key: string, units: number): void => void changes.set(key, (changes.get(key) ?? 0) + units);
  for (const { id } of orders) {
    for (const { locationId, sku, units } of stock.reservedFor(id)) add(stockKey(locationId, sku), units);
  }
  const freeOf = (locationId: string, sku: string): number =>
    stock.freeOf(locationId, sku) + (changes.get(stockKey(locationId, sku)) ?? 0);
  return {
    unitsFor(order, locationId, sku) {
      if (!isSetAside(stock, order, locationId, sku)) return freeOf(locationId, sku);
      return stock.levelOf(locationId, sku)!.available >= 0 ? Infinity : 0;
    },
    take(order, locationId, sku, units) {
      if (!isSetAside(stock, order, locationId, sku)) add(stockKey(locationId, sku), -units);
    },
  };
}

/**
 * A shop that reports no committed units has subtracted its own orders from what it calls available. Such an order has its units
 * already, and takes none of what is left for others.
 */
function isSetAside(stock: StockDirectory, order: Order, locationId: string, sku: string): boolean {
  const level = stock.levelOf(locationId, sku);
  return (
    level !== undefined &&
    level.committed === null &&
    level.bridgeId !== null &&
    level.bridgeId === order.bridgeId &&
    order.orderedAt <= level.countedAt
  );
}

export function hasEverything(ledger: StockLedger, order: Order, locationId: string, needs: Needs): boolean {
  return [...needs].every(([sku, units]) => ledger.unitsFor(order, locationId, sku) >= units);
}

/** The SKUs that none of the locations has enough of, and the most that one of them has. */
export function missingAt(ledger: StockLedger, order: Order, locationIds: readonly string[], needs: Needs) {
  return [...needs].flatMap(([sku, units]) => {
    const most = Math.max(0, ...locationIds.map((id) => ledger.unitsFor(order, id, sku)));
    return most >= units ? [] : [{ sku, units, most }];
  });
}

/** What conditions can ask about the stock for an order. */
export function stockFactsOf(stock: StockDirectory, order: Order) {
  const needs = needsOf(order);
  const ledger = openLedger(stock, [order]);
  const ids = stock.locations.map(({ id }) => id);
  const has = (id: string): boolean => hasEverything(ledger, order, id, needs);
  return {
    complete: needs.size === 0 || (order.locationId !== null && has(order.locationId)),
    anywhere: needs.size === 0 || ids.some(has),
    missing: missingAt(ledger, order, ids, needs).map(({ sku }) => sku),
  };
}

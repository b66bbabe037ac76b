import type { Order, OrderLine } from "../../orders/order.ts";
import { remainingOf } from "../../orders/order.ts";
import { shippedProblem } from "../../orders/order-rules.ts";
import type { Reservation } from "../../stock/stock.ts";
import type { ActionEnv, Outcome, Refusal } from "../action.ts";
import { refuse, refuseFor } from "../action.ts";
import { distanceBetween } from "../location-ranking.ts";
import type { StockLocation } from "../stock-directory.ts";
import type { Needs, StockLedger } from "../stock-needs.ts";
import { hasEverything, linesFromStock, missingAt, needsOf } from "../stock-needs.ts";
import { intoParts } from "./split.ts";

type AllocateParams = {
  strategy?: "priority" | "nearest" | "most_stock";
  location_ids?: string[];
  allow_split?: boolean;
  allow_untracked?: boolean;
};

/** Chooses a location, or several if the order may be split, and takes the units from the ledger. */
export function allocateOrder(order: Order, params: AllocateParams, ledger: StockLedger, env: ActionEnv): Outcome {
  const { stock } = env;
  const isTracked = (sku: string): boolean => stock.locations.some(({ id }) => stock.levelOf(id, sku) !== undefined);
  const needs = new Map([...needsOf(order)].filter(([sku]) => !params.allow_untracked || isTracked(sku)));
  if (needs.size === 0) return { patch: {} };
  const ranked = rank(order, needs, params, ledger, env);
  const location = ranked.find(({ id }) => hasEverything(ledger, order, id, needs));
  if (location) {
    for (const [sku, units] of needs) ledger.take(order, location.id, sku, units);
    return { patch: { locationId: location.id }, reserves: reservationsOf(order.id, location.id, needs) };
  }
  const parts = params.allow_split ? divide(order, needs, ranked, ledger) : undefined;
  return parts ? splitInto(order, parts, ledger, env) : shortage(order, needs, ranked, ledger);
}

/** The locations to try, best first. The order keeps its location if that has everything. */
function rank(
  order: Order,
  needs: Needs,
  { strategy = "priority", location_ids: ids }: AllocateParams,
  ledger: StockLedger,
  { stock }: ActionEnv,
): StockLocation[] {
  const byId = new Map(stock.locations.map((location) => [location.id, location]));
  const candidates = ids ? ids.flatMap((id) => byId.get(id.toLowerCase()) ?? []) : [...stock.locations];
  const isCurrent = ({ id }: StockLocation): number => Number(id === order.locationId);
  const scoreOf = ({ id, address }: StockLocation): number => {
    if (strategy === "nearest") return distanceBetween(address, order.shippingAddress ?? {});
    if (strategy === "priority") return 0;
    return -[...needs.keys()].reduce((sum, sku) => sum + Math.min(ledger.unitsFor(order, id, sku), manyUnits), 0);
  };
  const scored = candidates.map((location) => ({ location, score: scoreOf(location) }));
  // Sorting is stable, so locations with equal scores stay in the order of preference.
  scored.sort((a, b) => isCurrent(b.location) - isCurrent(a.location) || compare(a.score, b.score));
  return scored.map(({ location }) => location);
}

const manyUnits = 1e12;

/** Infinite distances are equal, which a subtraction would not show. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function reservationsOf(orderId: string, locationId: string, needs: Needs): Reservation[] {
  return [...needs].map(([sku, quantity]) => ({ orderId, locationId, sku, quantity }));
}

/** Units of lines by location. */
type Division = Map<string, Map<string, number>>;

/**
 * Few parts, not the fewest: repeatedly takes the location that has most of the open lines completely, then fills up the rest from
 * location to location. Undefined if all locations together do not have everything.
 */
function divide(order: Order, needs: Needs, ranked: StockLocation[], ledger: StockLedger): Division | undefined {
  const division: Division = new Map();
  const taken = new Map<string, number>();
  const unitsAt = (id: string, sku: string): number =>
    ledger.unitsFor(order, id, sku) - (taken.get(`${id} ${sku}`) ?? 0);
  const give = (id: string, lineId: string, sku: string, units: number): void => {
    taken.set(`${id} ${sku}`, (taken.get(`${id} ${sku}`) ?? 0) + units);
    const part = division.getOrInsertComputed(id, () => new Map());
    part.set(lineId, (part.get(lineId) ?? 0) + units);
  };
  const open = new Map(
    linesFromStock(order)
      .filter(({ sku }) => needs.has(sku))
      .map((line) => [line.id, { sku: line.sku, units: remainingOf(line) }]),
  );
  const wholeAt = (id: string): string[] => {
    const left = new Map<string, number>();
    return [...open].flatMap(([lineId, { sku, units }]) => {
      const before = left.get(sku) ?? unitsAt(id, sku);
      if (before < units) return [];
      left.set(sku, before - units);
      return [lineId];
    });
  };
  while (open.size > 0) {
    const best = ranked
      .map(({ id }) => ({ id, lines: wholeAt(id) }))
      .reduce((most, one) => (one.lines.length > most.lines.length ? one : most), { id: "", lines: [] as string[] });
    if (best.lines.length === 0) break;
    for (const lineId of best.lines) {
      const { sku, units } = open.get(lineId)!;
      give(best.id, lineId, sku, units);
      open.delete(lineId);
    }
  }
  for (const [lineId, { sku, units }] of open) {
    let left = units;
    for (const { id } of ranked) {
      const some = Math.min(left, Math.max(0, Math.floor(unitsAt(id, sku))));
      if (some > 0) give(id, lineId, sku, some);
      left -= some;
    }
    if (left > 0) return undefined;
  }
  return division;
}

/** The order keeps the first part and all lines that need no stock; a kit goes with its first component. */
function splitInto(order: Order, division: Division, ledger: StockLedger, env: ActionEnv): Outcome {
  const shipped = refuseFor(shippedProblem(order));
  if (shipped) return shipped;
  const ids = [...division.keys()];
  const partOf = new Map(ids.toReversed().flatMap((id) => [...division.get(id)!.keys()].map((lineId) => [lineId, id])));
  const locationOfUndivided = ({ id }: OrderLine): string => {
    const component = order.lines.find(({ id: own, parentLineId }) => parentLineId === id && partOf.has(own));
    return component ? partOf.get(component.id)! : ids[0]!;
  };
  const parts = [...division].map(([locationId, units]) => {
    const lines = order.lines.flatMap((line): OrderLine[] => {
      if (!partOf.has(line.id)) return locationOfUndivided(line) === locationId ? [line] : [];
      const quantity = units.get(line.id);
      return quantity === undefined ? [] : [{ ...line, quantity }];
    });
    return { own: { locationId }, lines: lines.map((line) => withoutLostKit(line, lines)) };
  });
  const outcome = intoParts(order, parts, env);
  if ("refused" in outcome) return outcome;
  const orderIds = [order.id, ...(outcome.creates ?? []).map(({ id }) => id)];
  const reserves = [...division].flatMap(([locationId, units], index) => {
    const needs = new Map<string, number>();
    for (const [lineId, quantity] of units) {
      const { sku } = order.lines.find(({ id }) => id === lineId)!;
      needs.set(sku, (needs.get(sku) ?? 0) + quantity);
    }
    for (const [sku, quantity] of needs) ledger.take(order, locationId, sku, quantity);
    return reservationsOf(orderIds[index]!, locationId, needs);
  });
  return { ...outcome, reserves };
}

function withoutLostKit({ parentLineId, ...line }: OrderLine, lines: readonly OrderLine[]): OrderLine {
  const isThere = parentLineId !== undefined && lines.some(({ id }) => id === parentLineId);
  return isThere ? { ...line, parentLineId } : line;
}

const shownSkus = 10;

function shortage(order: Order, needs: Needs, ranked: StockLocation[], ledger: StockLedger): Refusal {
  const ids = ranked.map(({ id }) => id);
  const missing = missingAt(ledger, order, ids, needs);
  if (missing.length === 0) {
    const message = `No single location has everything: ${listed([...needs.keys()])}.`;
    return refuse("out_of_stock", message, "Allow a split with `allow_split`, or wait for stock.");
  }
  const texts = missing.map(({ sku, units, most }) => `${sku} (needs ${units}, at most ${most} at one location)`);
  return refuse(
    "out_of_stock",
    `Not enough stock: ${listed(texts)}.`,
    "Wait for stock, or split the order by availability.",
  );
}

function listed(texts: string[]): string {
  const shown = texts.slice(0, shownSkus).join(", ");
  return texts.length > shownSkus ? `${shown} and ${texts.length - shownSkus} more` : shown;
}

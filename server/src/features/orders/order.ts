import type { Ctx } from "../../context.ts";
import type { Actor } from "../../core/actor.ts";
import { toGrams } from "../../core/weight.ts";
import type { CustomerFigures } from "./customers.store.ts";
import type { OrderAnswer } from "./order-answers.schemas.ts";

/** Times are ISO texts and missing values null, so that an order is equal in memory, in JSON and in diffs. */
export type Order = Omit<OrderAnswer, "onHold" | "archived">;

export type Hold = Order["holds"][number];
export type OrderLine = Order["lines"][number];
export type ShippingChoice = Order["shipping"];
export type OrderPackage = Order["packages"][number];
export type OrderShipment = Order["shipments"][number];
export type OrderNote = Order["notes"][number];

/** The fields that can change, without identity and metadata. */
export type OrderFields = Omit<Order, "id" | "createdAt" | "updatedAt" | "version">;
export type OrderPatch = Partial<OrderFields>;

/** Context of a change: time, actor and ID generator. */
export type OrderEnv = { now: string; actor: Actor; newId(): string };

export function orderEnv({ clock, actor, newId }: Pick<Ctx, "clock" | "actor" | "newId">): OrderEnv {
  return { now: clock.now().toISOString(), actor, newId };
}

export function isOnHold(order: Pick<Order, "holds">): boolean {
  return order.holds.length > 0;
}

/** Downloads, gift cards and items that are picked up are in no shipment. */
export function isShippable({ requiresShipping }: Pick<OrderLine, "requiresShipping">): boolean {
  return requiresShipping !== false;
}

/** What is left to ship of a line. */
export function remainingOf(line: Pick<OrderLine, "quantity" | "shippedQuantity" | "requiresShipping">): number {
  return isShippable(line) ? Math.max(0, line.quantity - line.shippedQuantity) : 0;
}

export function isAllShipped(lines: readonly OrderLine[]): boolean {
  return lines.every((line) => remainingOf(line) === 0);
}

export function hasShipped(order: Pick<Order, "shipments" | "lines">): boolean {
  return order.shipments.length > 0 || order.lines.some((line) => line.shippedQuantity > 0);
}

/** The order in API responses, with derived fields. */
export function presentOrder(order: Order): Order & { onHold: boolean; archived: boolean } {
  return { ...order, onHold: isOnHold(order), archived: order.archivedAt !== null };
}

/** The order for conditions: with its total weight in every unit, since conditions compare plain numbers, and its customer's figures. */
export function presentToConditions(order: Order, figures?: CustomerFigures): object {
  const presented = { ...presentOrder(order), totalWeight: totalWeightOf(order) };
  return figures ? { ...presented, customer: { ...order.customer, ...figures } } : presented;
}

/** The weight of its packages, or else of its items. Null if any weight is unknown. */
function totalWeightOf({ packages, lines }: Pick<Order, "packages" | "lines">) {
  const parcels = packages.map(({ weight, count }) => ({ weight, count }));
  const items = lines.filter(isShippable).map(({ weight, quantity }) => ({ weight, count: quantity }));
  const parts = parcels.some(({ weight }) => weight) ? parcels : items;
  if (parts.length === 0 || parts.some(({ weight }) => !weight)) return null;
  const g = parts.reduce((sum, { weight, count }) => sum + toGrams(weight!) * count, 0);
  const inUnit = (unit: "kg" | "oz" | "lb"): number => Math.round((g / toGrams({ value: 1, unit })) * 1e6) / 1e6;
  return { g: Math.round(g * 1e3) / 1e3, kg: inUnit("kg"), oz: inUnit("oz"), lb: inUnit("lb") };
}

/** When the next timed hold ends. */
export function nextRelease(order: Pick<Order, "holds">): string | null {
  const ends = order.holds.flatMap((hold) => (hold.until === null ? [] : [hold.until]));
  return ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b));
}

/**
 * Numbers are stored and compared in Unicode NFC: macOS and some shops write "é" as two characters, which must not name another
 * order than the one character does.
 */
export function normalizeNumber(number: string): string {
  return number.normalize("NFC");
}

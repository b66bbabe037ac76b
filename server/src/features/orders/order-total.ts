import { roundToCents } from "../../core/money.ts";
import { orderLimits } from "../../core/order-limits.ts";
import type { Order, OrderPatch } from "./order.ts";

type Parts = Pick<Order, "lines" | "amounts">;

/** The total that follows from its parts; null while the prices are not all known. */
export function totalOf({ lines, amounts }: Parts): number | null {
  const subtotal = amounts.subtotal ?? sumOfLines(lines);
  if (subtotal === null) return null;
  const discount = amounts.discount ?? sumOf(lines, "discount");
  const tax = amounts.taxIncluded ? 0 : (amounts.tax ?? sumOf(lines, "tax"));
  return Math.max(0, roundToCents(subtotal - discount + (amounts.shipping ?? 0) + tax + (amounts.fees ?? 0)));
}

/** A total that agrees with its parts follows them when they change; another one was given by the source and stays. */
export function followingTotal(order: Order, patch: OrderPatch): OrderPatch {
  if (patch.total !== undefined || (!patch.lines && !patch.amounts)) return {};
  if (order.total !== totalOf(order)) return {};
  return { total: totalOf({ lines: patch.lines ?? order.lines, amounts: patch.amounts ?? order.amounts }) };
}

/**
 * Total and subtotal after a change that was made in the hub. The subtotal moves by the prices of the lines, and so does a total that
 * the source gave: it may contain parts that the hub does not know.
 */
export function followingMoney(order: Order, patch: OrderPatch): OrderPatch {
  const difference = patch.lines && priceDifference(order.lines, patch.lines);
  if (!difference) return followingTotal(order, patch);
  const { subtotal } = order.amounts;
  const isMoved = patch.amounts === undefined && subtotal !== undefined;
  const moved: OrderPatch = isMoved ? { amounts: { ...order.amounts, subtotal: moveBy(subtotal, difference) } } : {};
  if (patch.total !== undefined) return moved;
  const follows = order.total === null || order.total === totalOf(order);
  return {
    ...moved,
    ...(follows ? followingTotal(order, { ...patch, ...moved }) : { total: moveBy(order.total!, difference) }),
  };
}

/** A discounted total may be less than the prices of removed lines. */
function moveBy(amount: number, difference: number): number {
  return Math.max(0, roundToCents(amount + difference));
}

/** Undefined if the price of a changed line is or was unknown, or if no lines were known. */
export function priceDifference(before: Order["lines"], after: Order["lines"]): number | undefined {
  if (before.length === 0) return undefined;
  const earlier = new Map(before.map((line) => [line.id, line]));
  const later = new Map(after.map((line) => [line.id, line]));
  let sum = 0;
  for (const id of new Set([...earlier.keys(), ...later.keys()])) {
    const [old, now] = [earlier.get(id), later.get(id)];
    if (old?.price === now?.price && old?.quantity === now?.quantity) continue;
    if ((old && old.price === undefined) || (now && now.price === undefined)) return undefined;
    sum += (now?.price ?? 0) * (now?.quantity ?? 0) - (old?.price ?? 0) * (old?.quantity ?? 0);
  }
  return sum;
}

/** The amounts of merged orders. A part that one of them does not have is left out: its sum is unknown. */
export function joinAmounts(all: readonly Order["amounts"][]): Order["amounts"] {
  const joined: Order["amounts"] = {};
  for (const part of addedParts) {
    const values = all.map((amounts) => amounts[part]);
    if (values.every((value) => value !== undefined)) {
      joined[part] = roundToCents(values.reduce<number>((sum, value) => sum + value, 0));
    }
  }
  const discounts = all.flatMap((amounts) => amounts.discounts ?? []).slice(0, orderLimits.discounts);
  if (discounts.length > 0) joined.discounts = discounts;
  if (all.every(({ taxIncluded }) => taxIncluded)) joined.taxIncluded = true;
  return joined;
}

const addedParts = ["subtotal", "discount", "shipping", "tax", "fees", "refunded", "paid"] as const;

function sumOfLines(lines: Order["lines"]): number | null {
  if (lines.length === 0 || lines.some(({ price }) => price === undefined)) return null;
  return lines.reduce((sum, { price, quantity }) => sum + price! * quantity, 0);
}

function sumOf(lines: Order["lines"], part: "discount" | "tax"): number {
  return lines.reduce((sum, line) => sum + (line[part] ?? 0), 0);
}

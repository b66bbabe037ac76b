import { cutText } from "../../../core/cut-text.ts";
import { roundToCents } from "../../../core/money.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { isPlain } from "../../../core/strict-json.ts";
import type { PulledOrder } from "./pulled-order.ts";

type Body = PulledOrder["body"];
type Line = Record<string, unknown>;
type Discount = { title: string; amount: number };

/**
 * Some sources write a discount as a line with a negative price, and returned units as a line with a negative quantity. The first
 * becomes a discount of the order, the second takes units of an earlier line with the same SKU back. Others stay as they are, so that
 * the order is rejected and reported.
 */
export function settleNegativeLines(body: Body): Body {
  if (!Array.isArray(body.lines) || !body.lines.some(isNegative)) return body;
  const lines: unknown[] = [];
  const discounts: Discount[] = [];
  for (const line of body.lines as unknown[]) {
    const discount = isPlain(line) ? discountOf(line) : undefined;
    if (discount) discounts.push(discount);
    else if (!isPlain(line) || !takeBack(line, lines)) lines.push(line);
  }
  const settled = { ...body, lines };
  return discounts.length === 0 ? settled : withDiscounts(settled, discounts);
}

function isNegative(line: unknown): boolean {
  return isPlain(line) && [line.price, line.quantity].some((value) => numberOf(value) < 0);
}

function discountOf({ price, quantity = 1, name, sku }: Line): Discount | undefined {
  if (!(numberOf(price) < 0 && numberOf(quantity) > 0)) return undefined;
  const title = [name, sku].find((text) => typeof text === "string" && text.trim() !== "");
  return {
    title: cutText((title as string | undefined) ?? "Discount", 200),
    amount: roundToCents(-numberOf(price) * numberOf(quantity)),
  };
}

function takeBack({ sku, price = 0, quantity }: Line, earlier: unknown[]): boolean {
  const units = -numberOf(quantity);
  if (!(units > 0 && Number.isInteger(units) && numberOf(price) >= 0)) return false;
  const at = earlier.findIndex((line) => isPlain(line) && line.sku === sku && numberOf(line.quantity) >= units);
  if (at === -1) return false;
  const line = earlier[at] as Line;
  const refundedQuantity = (numberOf(line.refundedQuantity) || 0) + units;
  earlier[at] = { ...line, quantity: numberOf(line.quantity) - units, refundedQuantity };
  return true;
}

/** A source may count such a line in its discount, or subtract it from its subtotal; the total shows which. */
function withDiscounts(body: Body, found: Discount[]): Body {
  const sum = roundToCents(found.reduce((total, { amount }) => total + amount, 0));
  const amounts = isPlain(body.amounts) ? body.amounts : {};
  const { subtotal, discount, discounts = [] } = amounts;
  const isWhole = addsUp(body.total, amounts);
  const listed = Array.isArray(discounts) ? [...discounts, ...found].slice(0, orderLimits.discounts) : discounts;
  const isNet = isWhole && discount === undefined;
  const settled = {
    ...amounts,
    ...(isNet ? { subtotal: roundToCents(numberOf(subtotal) + sum) } : {}),
    ...(isWhole && discount !== undefined ? {} : { discount: roundToCents((numberOf(discount) || 0) + sum) }),
    discounts: listed,
  };
  return { ...body, amounts: settled };
}

function addsUp(total: unknown, amounts: Record<string, unknown>): boolean {
  const { subtotal, discount = 0, shipping = 0, tax = 0, fees = 0, taxIncluded } = amounts;
  const parts = [subtotal, shipping, fees, taxIncluded === true ? 0 : tax].map(numberOf);
  const sum = parts.reduce((all, part) => all + part, 0) - numberOf(discount);
  // Sources round each part.
  return Math.abs(sum - numberOf(total)) <= 0.011;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

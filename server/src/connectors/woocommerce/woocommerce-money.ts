import { roundToCents } from "../../core/money.ts";
import { orderLimits } from "../../core/order-limits.ts";
import type { CanonicalAmounts } from "../canonical.ts";
import type { Json } from "../shape.ts";
import { amount, asText, filled, instantOf, line, listOf, numberOf, sumOf, unlessZero } from "../shape.ts";
import { plainText } from "../../core/html-text.ts";
import { isPaid } from "./woocommerce-statuses.ts";

export function refundedAmount(order: Json): number {
  const amounts = listOf(order.refunds).map((refund) => Math.abs(numberOf(refund.amount ?? refund.total) || 0));
  return roundToCents(amounts.reduce((sum, value) => sum + value, 0));
}

/**
 * All amounts are without tax, also in shops whose prices include it. Some extensions give discounts as negative fees. Refunds are
 * subtracted neither from the total nor from its parts: a refund may name no part.
 */
export function amountsOf(order: Json): CanonicalAmounts {
  const fees = listOf(order.fee_lines);
  const isDiscount = ({ total }: Json): boolean => numberOf(total) < 0;
  const coupons = listOf(order.coupon_lines).map(({ code, discount }) =>
    filled({ code: line(code, 100), amount: amount(discount) }),
  );
  const rebates = fees
    .filter(isDiscount)
    .map(({ name, total }) => filled({ title: line(plainText(asText(name)), 200), amount: amount(-numberOf(total)) }));
  const discounts = [...coupons, ...rebates]
    .filter((one) => Object.keys(one).length > 0)
    .slice(0, orderLimits.discounts);
  return filled({
    subtotal: sumOf(listOf(order.line_items).map(({ subtotal }) => subtotal)),
    discount: unlessZero(sumOf([order.discount_total, ...rebates.map((rebate) => rebate.amount)])),
    shipping: amount(order.shipping_total),
    tax: amount(order.total_tax),
    fees: unlessZero(sumOf(fees.filter((fee) => !isDiscount(fee)).map(({ total }) => total))),
    refunded: unlessZero(refundedAmount(order)),
    paid: isPaid(order) === undefined ? undefined : isPaid(order) ? amount(order.total) : 0,
    discounts: discounts.length === 0 ? undefined : discounts,
    taxIncluded: order.total_tax === undefined ? undefined : false,
  });
}

/** Refunded quantities by line. Items refunded after the order was completed have been shipped, so they do not count. */
export function refundedQuantities(order: Json): Map<string, number> {
  const completedAt = instantOf(order.date_completed_gmt);
  const quantities = new Map<string, number>();
  for (const refund of listOf(order.refunds)) {
    const at = instantOf(refund.date_created_gmt);
    if (completedAt !== undefined && at !== undefined && at >= completedAt) continue;
    for (const item of listOf(refund.line_items)) {
      const of = listOf(item.meta_data).find(({ key }) => key === "_refunded_item_id");
      const id = asText(of?.value);
      quantities.set(id, (quantities.get(id) ?? 0) + Math.abs(numberOf(item.quantity) || 0));
    }
  }
  return new Map([...quantities].filter(([, quantity]) => quantity > 0));
}

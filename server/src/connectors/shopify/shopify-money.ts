import { roundToCents } from "../../core/money.ts";
import type { CanonicalAmounts, CanonicalOrder } from "../canonical.ts";
import type { Json } from "../shape.ts";
import { amount, asText, currencyOf, filled, filledOrNothing, line, listOf, numberOf, objectOf } from "../shape.ts";
import { shareOf, sumOf, unlessZero } from "../shape.ts";

export function shopAmount(given: unknown): unknown {
  return objectOf(objectOf(given).shopMoney).amount;
}

/** What the order costs after edits and refunds. For a cancelled order that would be zero, so it keeps its original total. */
export function totalOf(order: Json, isCancelled: boolean): number | undefined {
  const original = shopAmount(order.totalPriceSet);
  return amount(isCancelled ? original : (shopAmount(order.currentTotalPriceSet) ?? original));
}

/**
 * The parts of `totalOf`. Shopify's subtotal is after discounts, so they are added to it; what is left is exact, even where the share of
 * a discount is rounded. `unitsOf`: the quantity of a line that counts.
 */
export function amountsOf(order: Json, isCancelled: boolean, unitsOf: (item: Json) => number): CanonicalAmounts {
  const part = (current: string, original: string): unknown =>
    isCancelled ? shopAmount(order[original]) : shopAmount(order[current]);
  const byApplication = new Map<number, number>();
  for (const item of listOf(order.lineItems)) {
    for (const { index, value } of allocationsOf(item, unitsOf(item))) {
      byApplication.set(index, roundToCents((byApplication.get(index) ?? 0) + value));
    }
  }
  const discount = sumOf([...byApplication.values()]);
  const afterDiscounts = amount(part("currentSubtotalPriceSet", "subtotalPriceSet"));
  const fees = ["currentTotalDutiesSet", "currentTotalAdditionalFeesSet", "totalTipReceivedSet"];
  // Only shown: an order is not rejected for it.
  const given = currencyOf(order.presentmentCurrencyCode);
  const currency = given !== undefined && /^[A-Z]{3}$/.test(given) ? given : undefined;
  const isForeign = currency !== undefined && currency !== order.currencyCode;
  const presentment = objectOf(order[isCancelled ? "totalPriceSet" : "currentTotalPriceSet"]).presentmentMoney;
  return filled({
    subtotal: afterDiscounts === undefined ? undefined : sumOf([afterDiscounts, discount ?? 0]),
    discount: unlessZero(discount),
    shipping: amount(part("currentShippingPriceSet", "totalShippingPriceSet")),
    tax: amount(part("currentTotalTaxSet", "totalTaxSet")),
    fees: unlessZero(sumOf(fees.map((name) => shopAmount(order[name])))),
    refunded: unlessZero(amount(shopAmount(order.totalRefundedSet))),
    paid: amount(shopAmount(order.totalReceivedSet)),
    discounts: discountsOf(order, byApplication),
    taxIncluded: typeof order.taxesIncluded === "boolean" ? order.taxesIncluded : undefined,
    presentmentCurrency: isForeign ? currency : undefined,
    presentmentTotal: isForeign ? amount(objectOf(presentment).amount) : undefined,
  });
}

/** A discount of the shipping price has no amount: the price of the shipping is after it. */
function discountsOf(order: Json, byApplication: ReadonlyMap<number, number>): CanonicalAmounts["discounts"] {
  const applications = listOf(objectOf(order.discountApplications).nodes).map(({ index, code, title }) =>
    filled({
      code: line(code, 100),
      title: line(title, 200),
      amount: unlessZero(byApplication.get(numberOf(index))),
    }),
  );
  const named = applications.filter((one) => Object.keys(one).length > 0);
  return named.length === 0 ? undefined : named;
}

/** Shopify's allocations are for all units that were ordered. */
export function allocationsOf(item: Json, units: number): { index: number; value: number }[] {
  return listOf(item.discountAllocations).map(({ allocatedAmountSet, discountApplication }) => ({
    index: numberOf(objectOf(discountApplication).index),
    value: shareOf(shopAmount(allocatedAmountSet), units, numberOf(item.quantity)) ?? 0,
  }));
}

const paying: readonly string[] = ["SALE", "CAPTURE", "AUTHORIZATION"];

export function successfulPaymentOf(order: Json): Json | undefined {
  return listOf(order.transactions).find(
    ({ kind, status, paymentId }) => paying.includes(asText(kind)) && status === "SUCCESS" && asText(paymentId) !== "",
  );
}

/** The reference is that of the first payment that succeeded. Data of cards is not requested. */
export function paymentOf(order: Json): CanonicalOrder["payment"] {
  const gateways = Array.isArray(order.paymentGatewayNames) ? order.paymentGatewayNames.map(asText) : [];
  return filledOrNothing({
    method: line(gateways.filter((name) => name !== "").join(", "), 100),
    reference: line(successfulPaymentOf(order)?.paymentId, 200),
  });
}

const riskLevels = ["low", "medium", "high"] as const;
const ofRecommendation: Record<string, (typeof riskLevels)[number]> = {
  ACCEPT: "low",
  INVESTIGATE: "medium",
  CANCEL: "high",
};

/** The highest level of all assessments and of Shopify's recommendation. */
export function riskLevelOf({ risk }: Json): (typeof riskLevels)[number] | undefined {
  const { recommendation, assessments } = objectOf(risk);
  const levels: unknown[] = listOf(assessments).map(({ riskLevel }) => asText(riskLevel).toLowerCase());
  levels.push(ofRecommendation[asText(recommendation)]);
  return riskLevels.findLast((level) => levels.includes(level));
}

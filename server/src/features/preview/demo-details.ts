import { roundToCents } from "../../core/money.ts";
import type { OrderLine } from "../orders/order.ts";
import type { OrderRequest } from "../orders/orders.schemas.ts";

type Basis = Required<Pick<OrderRequest, "total" | "tags" | "channel" | "paymentStatus" | "shippingAddress">> & {
  orderedAt: Date;
};

/** What a demo order has besides lines and address. It follows from the number of the order, so that each field occurs at a known rate. */
export function demoDetails(index: number, about: Basis) {
  const { total, tags, channel, paymentStatus, orderedAt, shippingAddress } = about;
  const every = (count: number): boolean => index % count === 0;
  const discount = every(6) ? roundToCents(total / 9) : 0;
  const [method, prefix] = payments[index % payments.length]!;
  const isPaid = paymentStatus !== "pending";
  const wished = new Date(orderedAt.getTime() + 8 * 86_400_000).toISOString().slice(0, 10);
  return {
    amounts: {
      subtotal: roundToCents(total + discount),
      ...(discount > 0 && { discount, discounts: [{ code: "WELCOME10", title: "10 % off", amount: discount }] }),
      shipping: 0,
      tax: roundToCents(total - total / 1.08),
      taxIncluded: true,
      ...(isPaid && { paid: total }),
      ...(paymentStatus === "refunded" && { refunded: total }),
    },
    ...(isPaid && { payment: { method, reference: `${prefix}-${700_000 + index}` } }),
    riskLevel: every(23) ? ("high" as const) : every(11) ? ("medium" as const) : ("low" as const),
    ...(channel === "wholesale" && { poNumber: `PO-${4_000 + index}` }),
    ...(tags.includes("gift") && { giftMessage: "Happy birthday, and enjoy your gift!" }),
    ...(every(9) && { requestedDeliveryDate: wished }),
    ...(index % 29 === 8 && paidInEuro(index, shippingAddress)),
  } satisfies Partial<OrderRequest>;
}

/** Of the orders paid in euro, three of four are billed to Germany, the others to the address they ship to. */
const paidInEuro = (index: number, shippingAddress: Basis["shippingAddress"]) => ({
  currency: "EUR",
  billingAddress: index % 4 !== 3 ? { ...berlin, name: shippingAddress.name } : shippingAddress,
});
const berlin = { address1: "Torstraße 12", city: "Berlin", zip: "10119", countryCode: "DE" };

const payments = [
  ["Visa", "ch"],
  ["PayPal", "PAYID"],
  ["Mastercard", "ch"],
  ["Apple Pay", "ap"],
] as const;

const options: Record<string, readonly [name: string, values: readonly string[]]> = {
  "MUG-BLUE": ["Size", ["8 oz", "12 oz"]],
  "TEE-BLK-M": ["Fit", ["Regular", "Slim"]],
  "LAMP-OAK": ["Plug", ["US", "EU"]],
  "BAG-CANVAS": ["Color", ["Natural", "Navy"]],
};
const engravings = ["Good morning, Nora", "For Ada", "Team Fernhollow"];

/** Options of the variant, and now and then an engraving. */
export function lineDetailsOf(index: number, sku: string): Pick<OrderLine, "options" | "properties" | "productId"> {
  const [name, values] = options[sku] ?? [];
  const isEngraved = sku === "MUG-BLUE" && index % 4 === 0;
  return {
    productId: `demo-${sku.toLowerCase()}`,
    ...(name && { options: [{ name, value: values![index % values!.length]! }] }),
    ...(isEngraved && { properties: [{ name: "Engraving", value: engravings[index % engravings.length]! }] }),
  };
}

import { Type } from "../../core/type.ts";
import { orderLimits } from "../../core/order-limits.ts";
import { linePattern, OneOf, optional, Strict } from "../../core/schema.ts";

export const riskLevels = ["low", "medium", "high"] as const;

const maxAmount = 1_000_000_000_000;

function Amount(description: string) {
  return Type.Number({ minimum: 0, maximum: maxAmount, description });
}

function Line(maxLength: number, description?: string) {
  return Type.String({ minLength: 1, maxLength, pattern: linePattern, ...(description && { description }) });
}

const Currency = Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217" });

/** What the total of an order consists of; each part is optional. */
export const amountParts = {
  subtotal: Amount("The lines at their prices, before discounts, shipping and tax"),
  discount: Amount("All discounts together, those of lines included"),
  discounts: Type.Array(
    Strict(
      optional({
        code: Line(100, "The code that the customer entered"),
        title: Line(200),
        amount: Type.Number({ minimum: 0, maximum: maxAmount }),
      }),
    ),
    { maxItems: orderLimits.discounts },
  ),
  shipping: Amount("What the customer pays for shipping"),
  tax: Amount("All taxes together"),
  taxIncluded: Type.Boolean({ description: "Whether the prices include the tax" }),
  fees: Type.Number({ minimum: -maxAmount, maximum: maxAmount, description: "Duties and other fees; may be negative" }),
  refunded: Amount("What was paid back. `total` is that of the shop, which may be before or after refunds"),
  paid: Amount("What was received, refunds not subtracted"),
  presentmentCurrency: Currency,
  presentmentTotal: Amount("The total in the currency that the customer saw"),
};

/** A day without a time zone. */
const Day = Type.String({ format: "date" });

/** Fields of an order about its money and the wishes of the customer. */
export const orderDetails = {
  amounts: Strict(optional(amountParts)),
  payment: Strict(
    optional({
      method: Line(100, "Such as Visa, PayPal or invoice"),
      reference: Line(
        200,
        "Of the payment at its provider. What may be a card number is stored as its last four digits",
      ),
    }),
  ),
  riskLevel: OneOf(riskLevels, { description: "Risk of fraud, as the shop assessed it" }),
  poNumber: Line(100, "Number of the purchase order of the customer"),
  giftMessage: Type.String({ minLength: 1, maxLength: orderLimits.noteLength, pattern: "\\S" }),
  requestedDeliveryDate: { ...Day, description: "The day that the customer chose (YYYY-MM-DD)" },
};

const NamedValues = (maxItems: number, maxLength: number, description: string) =>
  Type.Array(Strict({ name: Line(100), value: Type.String({ maxLength }) }), { maxItems, description });

/** Fields of a line beyond what is needed to ship it. */
export const lineDetails = {
  discount: Amount("Of the whole line"),
  tax: Amount("Of the whole line"),
  refundedQuantity: Type.Integer({
    minimum: 0,
    maximum: orderLimits.quantity,
    description: "Cancelled or refunded before shipping; not part of `quantity`",
  }),
  productId: Line(100, "At the shop"),
  variantId: Line(100, "At the shop"),
  options: NamedValues(orderLimits.options, 200, "Of the variant, such as Color: Blue"),
  properties: NamedValues(orderLimits.properties, 2000, "What the customer chose or wrote, such as an engraving"),
  imageUrl: Type.String({
    maxLength: 2000,
    pattern: "^https?://\\S+$",
    description: "Of a picture; the hub does not fetch it",
  }),
  requiresShipping: Type.Boolean({
    description:
      "False for downloads, gift cards and items that are picked up: no shipment contains them. Default: true",
  }),
  parentLineId: Line(64, "The line of the bundle or kit that this is a part of"),
  hsCode: Line(20, "Customs tariff number"),
  originCountry: Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166-1" }),
};

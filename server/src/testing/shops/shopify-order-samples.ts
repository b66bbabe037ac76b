import {
  automaticDiscount,
  bag,
  page,
  gid,
  line,
  lineInHub,
  discounted,
  taxed,
  fulfillmentOrder,
  payment,
  shopifyOrder,
  priced,
  inHub,
  amounts,
  codeOf,
  wrongAddress,
} from "./shopify-sample-parts.ts";
import { longListsSample } from "./shopify-long-sample.ts";
import type { ShopSample } from "./woo-order-samples.ts";

/**
 * Orders of a Shopify shop, and what each must be in the hub. The values were worked out by hand from the amounts in the shop, without
 * the connector.
 */
export type ShopifySample = ShopSample & {
  holds?: { id: number; handle: string; reason: string; reasonNotes: string }[];
};

export const shopifySamples: ShopifySample[] = [
  {
    title: "a variant with a discount code and tax",
    order: shopifyOrder(1101, {
      ...priced({ goods: 36, shipping: 5, tax: 2.25 }),
      tags: ["vip", "web"],
      note: "Please ring twice.",
      discountCodes: ["SPRING10"],
      discountApplications: page([codeOf(0, "SPRING10")]),
      totalDiscountsSet: bag(4),
      currentTotalDiscountsSet: bag(4),
      risk: { recommendation: "ACCEPT", assessments: [{ riskLevel: "LOW", provider: null, facts: [] }] },
      lineItems: page([
        line(1, "T-Shirt", 2, 20, {
          sku: "TSHIRT-BL",
          name: "T-Shirt - Blue / L",
          variantTitle: "Blue / L",
          discountAllocations: discounted([4, 0]),
          taxLines: taxed(2, 0.25),
          variant: {
            id: gid("ProductVariant", 23),
            title: "Blue / L",
            barcode: "4006381333931",
            selectedOptions: [
              { name: "Color", value: "Blue" },
              { name: "Size", value: "L" },
            ],
            inventoryItem: {
              id: gid("InventoryItem", 24),
              harmonizedSystemCode: null,
              countryCodeOfOrigin: null,
              measurement: { id: gid("InventoryItemMeasurement", 2), weight: { value: 0.2, unit: "KILOGRAMS" } },
            },
          },
        }),
      ]),
    }),
    hub: inHub(1101, {
      total: 43.25,
      tags: ["vip", "web"],
      riskLevel: "low",
      notes: [["Please ring twice.", "customer"]],
      amounts: amounts(40, 5, 2.25, 43.25, { discount: 4, discounts: [{ code: "SPRING10", amount: 4 }] }),
      lines: [
        {
          id: "1",
          sku: "TSHIRT-BL",
          name: "T-Shirt - Blue / L",
          quantity: 2,
          shippedQuantity: 0,
          price: 20,
          discount: 4,
          tax: 2.25,
          weight: { value: 0.2, unit: "kg" },
          productId: "20",
          variantId: "23",
          imageUrl: "https://cdn.example/mug.png",
          options: [
            { name: "Color", value: "Blue" },
            { name: "Size", value: "L" },
          ],
        },
      ],
    }),
  },
  {
    title: "prices with tax in them, another currency for the buyer, duties, a fee and a tip",
    order: shopifyOrder(1102, {
      ...priced({ goods: 50, shipping: 8, extra: 12, foreign: 95.4 }),
      taxesIncluded: true,
      presentmentCurrencyCode: "CAD",
      risk: { recommendation: "NONE", assessments: [{ riskLevel: "LOW", provider: null, facts: [] }] },
      totalTaxSet: bag(7.98),
      currentTotalTaxSet: bag(7.98),
      currentTotalDutiesSet: bag(6),
      currentTotalAdditionalFeesSet: bag(1.5),
      totalTipReceivedSet: bag(4.5),
      email: null,
      phone: "+1 617 555 0199",
      lineItems: page([line(2, "Mug", 2, 25)]),
    }),
    hub: inHub(1102, {
      total: 70,
      riskLevel: "low",
      customer: { id: "61", name: "Ann Lee", phone: "+1 617 555 0199" },
      amounts: amounts(50, 8, 7.98, 70, {
        taxIncluded: true,
        fees: 12,
        presentmentCurrency: "CAD",
        presentmentTotal: 95.4,
      }),
      lines: [lineInHub(2, "Mug", 2, 25)],
    }),
  },
  {
    title: "one of three units refunded before it was shipped",
    order: shopifyOrder(1103, {
      ...priced({ goods: 33, tax: 3 }),
      displayFinancialStatus: "PARTIALLY_REFUNDED",
      currentSubtotalPriceSet: bag(22),
      currentTotalTaxSet: bag(2),
      currentTotalPriceSet: bag(24),
      totalRefundedSet: bag(12),
      lineItems: page([
        line(3, "Mug", 3, 11, {
          currentQuantity: 2,
          refundableQuantity: 2,
          unfulfilledQuantity: 2,
          taxLines: taxed(3),
        }),
      ]),
    }),
    hub: inHub(1103, {
      paymentStatus: "partially_refunded",
      total: 24,
      amounts: amounts(22, 0, 2, 36, { refunded: 12 }),
      lines: [lineInHub(3, "Mug", 2, 11, { tax: 2, refundedQuantity: 1 })],
    }),
  },
  {
    title: "an engraving, a purchase order and attributes of the order",
    order: shopifyOrder(1104, {
      ...priced({ goods: 80 }),
      poNumber: "PO-4711",
      customAttributes: [
        { key: "Gift message", value: "Happy birthday!" },
        { key: "Delivery Date", value: "2026/03/20" },
        { key: "Cost Centre", value: "A-12" },
        { key: "_app", value: "hidden" },
        { key: "Card", value: "4111111111111111" },
      ],
      lineItems: page([
        line(4, "Ring", 1, 80, {
          sku: "",
          customAttributes: [
            { key: "Engraving", value: "To Ann" },
            { key: "_preview", value: "https://app.example/1.png" },
          ],
        }),
      ]),
    }),
    hub: inHub(1104, {
      total: 80,
      poNumber: "PO-4711",
      giftMessage: "Happy birthday!",
      requestedDeliveryDate: "2026-03-20",
      customFields: { cost_centre: "A-12", card: "**** 1111" },
      amounts: amounts(80, 0, 0, 80),
      lines: [
        lineInHub(4, "Ring", 1, 80, {
          sku: "Ring",
          properties: [{ name: "Engraving", value: "To Ann" }],
        }),
      ],
    }),
  },
  {
    title: "the items of a bundle",
    order: shopifyOrder(1105, {
      ...priced({ goods: 30 }),
      lineItems: page(
        [line(5, "Cup", 2, 10), line(6, "Saucer", 2, 5)].map((one) => ({
          ...one,
          lineItemGroup: {
            id: gid("LineItemGroup", 71),
            title: "Tea set",
            quantity: 1,
            variantId: null,
            variantSku: "SET",
          },
        })),
      ),
    }),
    hub: inHub(1105, {
      total: 30,
      amounts: amounts(30, 0, 0, 30),
      lines: [
        lineInHub(5, "Cup", 2, 10, { properties: [{ name: "Bundle", value: "Tea set" }] }),
        lineInHub(6, "Saucer", 2, 5, { properties: [{ name: "Bundle", value: "Tea set" }] }),
      ],
    }),
  },
  {
    title: "local pickup",
    order: shopifyOrder(1106, {
      ...priced({ goods: 12 }),
      shippingAddress: null,
      shippingLine: {
        id: gid("ShippingLine", 52),
        title: "Main store",
        code: "Main store",
        source: "shopify",
        carrierIdentifier: null,
      },
      fulfillmentOrders: page([
        fulfillmentOrder({
          deliveryMethod: { id: gid("DeliveryMethod", 2), methodType: "PICK_UP", presentedName: null },
        }),
      ]),
      lineItems: page([line(7, "Mug", 1, 12)]),
    }),
    hub: inHub(1106, {
      total: 12,
      tags: ["pickup"],
      customer: { id: "61", name: "Ann Lee", email: "ann@mail.example" },
      shippingAddress: null,
      shipping: { service: "Main store" },
      amounts: amounts(12, 0, 0, 12),
      lines: [lineInHub(7, "Mug", 1, 12, { requiresShipping: false })],
    }),
  },
  {
    title: "a gift card beside a mug, with some risk",
    order: shopifyOrder(1107, {
      ...priced({ goods: 62 }),
      risk: { recommendation: "INVESTIGATE", assessments: [] },
      paymentGatewayNames: ["gift_card", "shopify_payments"],
      transactions: [payment({ status: "FAILURE", paymentId: "c500.1" }), payment({ kind: "AUTHORIZATION" })],
      displayFinancialStatus: "AUTHORIZED",
      totalReceivedSet: bag(0),
      lineItems: page([
        line(8, "Gift card", 1, 50, {
          requiresShipping: false,
          isGiftCard: true,
          unfulfilledQuantity: 0,
          image: null,
          variant: null,
          product: null,
        }),
        line(9, "Mug", 1, 12),
      ]),
    }),
    hub: inHub(1107, {
      paymentStatus: "authorized",
      total: 62,
      riskLevel: "medium",
      payment: { method: "gift_card, shopify_payments", reference: "c501.1" },
      amounts: amounts(62, 0, 0, 0),
      lines: [
        {
          id: "8",
          sku: "GIFT CARD",
          name: "Gift card",
          quantity: 1,
          shippedQuantity: 0,
          price: 50,
          requiresShipping: false,
        },
        lineInHub(9, "Mug", 1, 12),
      ],
    }),
  },
  {
    title: "an edited order: one line removed before it was paid, another one added",
    order: shopifyOrder(1108, {
      ...priced({ goods: 12 }),
      edited: true,
      shippingAddress: null,
      billingAddress: null,
      displayFinancialStatus: "PENDING",
      fullyPaid: false,
      unpaid: true,
      transactions: [],
      paymentGatewayNames: ["manual"],
      totalReceivedSet: bag(0),
      currentTotalPriceSet: bag(20),
      currentSubtotalPriceSet: bag(20),
      lineItems: page([
        line(10, "Mug", 1, 12, { currentQuantity: 0, refundableQuantity: 0, unfulfilledQuantity: 0 }),
        line(11, "Lamp", 1, 20),
      ]),
    }),
    hub: inHub(1108, {
      status: "awaiting_payment",
      paymentStatus: "pending",
      total: 20,
      customer: { id: "61", name: "Ann Lee", email: "ann@mail.example" },
      shippingAddress: null,
      billingAddress: null,
      payment: { method: "manual" },
      amounts: amounts(20, 0, 0, 0),
      lines: [lineInHub(11, "Lamp", 1, 20)],
    }),
  },
  {
    title: "partly shipped, the rest on hold",
    order: shopifyOrder(1109, {
      ...priced({ goods: 24 }),
      displayFulfillmentStatus: "PARTIALLY_FULFILLED",
      fulfillmentOrders: page([
        fulfillmentOrder({ status: "CLOSED" }),
        fulfillmentOrder({
          status: "ON_HOLD",
          fulfillmentHolds: [wrongAddress],
          assignedLocation: { name: "Second", location: { id: gid("Location", 2) } },
        }),
      ]),
      lineItems: page([line(12, "Mug", 2, 12, { unfulfilledQuantity: 1 })]),
    }),
    holds: [wrongAddress],
    hub: inHub(1109, {
      status: "partially_shipped",
      total: 24,
      amounts: amounts(24, 0, 0, 24),
      lines: [lineInHub(12, "Mug", 2, 12, { shippedQuantity: 1 })],
      onHold: true,
    }),
  },
  {
    title: "cancelled and refunded for fraud, with two discounts",
    order: shopifyOrder(1110, {
      ...priced({ goods: 45, shipping: 0, tax: 3, foreign: 65.1 }),
      presentmentCurrencyCode: "CAD",
      cancelledAt: "2026-03-03T10:00:00Z",
      cancelReason: "FRAUD",
      displayFinancialStatus: "REFUNDED",
      currentTotalPriceSet: bag(0),
      currentSubtotalPriceSet: bag(0),
      currentTotalTaxSet: bag(0),
      totalRefundedSet: bag(48),
      risk: { recommendation: "CANCEL", assessments: [{ riskLevel: "HIGH", provider: null, facts: [] }] },
      discountApplications: page([codeOf(0, "FREESHIP", "SHIPPING_LINE"), automaticDiscount]),
      fulfillmentOrders: page([fulfillmentOrder({ status: "CLOSED" })]),
      lineItems: page([
        line(13, "Mug", 5, 10, {
          currentQuantity: 0,
          refundableQuantity: 0,
          unfulfilledQuantity: 0,
          discountAllocations: discounted([5, 1]),
          taxLines: taxed(3),
        }),
      ]),
    }),
    hub: inHub(1110, {
      status: "cancelled",
      paymentStatus: "refunded",
      total: 48,
      riskLevel: "high",
      amounts: amounts(50, 0, 3, 48, {
        discount: 5,
        refunded: 48,
        presentmentCurrency: "CAD",
        presentmentTotal: 65.1,
        discounts: [{ code: "FREESHIP" }, { title: "Loyal customers", amount: 5 }],
      }),
      lines: [lineInHub(13, "Mug", 5, 10, { discount: 5, tax: 3 })],
    }),
  },
  {
    title: "one line is collected, the other one is shipped",
    order: shopifyOrder(1111, {
      ...priced({ goods: 32 }),
      fulfillmentOrders: page([
        fulfillmentOrder({
          deliveryMethod: { id: gid("DeliveryMethod", 3), methodType: "PICK_UP", presentedName: null },
          lineItems: page([{ id: gid("FulfillmentOrderLineItem", 1), lineItem: { id: gid("LineItem", 14) } }]),
        }),
        fulfillmentOrder({
          lineItems: page([{ id: gid("FulfillmentOrderLineItem", 2), lineItem: { id: gid("LineItem", 15) } }]),
        }),
      ]),
      lineItems: page([line(14, "Mug", 1, 12), line(15, "Lamp", 1, 20)]),
    }),
    hub: inHub(1111, {
      total: 32,
      tags: ["pickup"],
      amounts: amounts(32, 0, 0, 32),
      lines: [lineInHub(14, "Mug", 1, 12, { requiresShipping: false }), lineInHub(15, "Lamp", 1, 20)],
    }),
  },
  longListsSample,
];

/** Orders as eBay's Fulfillment API answers them: amounts as texts with their currency, fields without a value missing. */

type LineItem = Record<string, unknown> & { lineItemId: string; quantity: number; lineItemCost: { value: string } };
type LineParts = {
  title: string;
  sku?: string;
  cost: number;
  quantity?: number;
  aspects?: [string, string][];
  discount?: number;
  tax?: number;
  status?: string;
} & Record<string, unknown>;

const usd = (value: number) => ({ value: value.toFixed(2), currency: "USD" });

function item(id: number, parts: LineParts): LineItem {
  const { title, sku, cost, quantity = 1, aspects, discount = 0, tax = 0, status = "NOT_STARTED", ...more } = parts;
  return {
    lineItemId: `1000${id}`,
    legacyItemId: `11055${id}`,
    ...(aspects
      ? { legacyVariationId: `55${id}`, variationAspects: aspects.map(([name, value]) => ({ name, value })) }
      : {}),
    title,
    ...(sku === undefined ? {} : { sku }),
    quantity,
    soldFormat: "FIXED_PRICE",
    listingMarketplaceId: "EBAY_US",
    purchaseMarketplaceId: "EBAY_US",
    lineItemCost: usd(cost * quantity),
    ...(discount > 0 ? { discountedLineItemCost: usd(cost * quantity - discount) } : {}),
    appliedPromotions:
      discount > 0 ? [{ promotionId: "P1", description: "10% off", discountAmount: usd(discount) }] : [],
    deliveryCost: { shippingCost: usd(4.5) },
    taxes: tax > 0 ? [{ taxType: "STATE_SALES_TAX", amount: usd(tax) }] : [],
    total: usd(cost * quantity - discount + tax + 4.5),
    lineItemFulfillmentStatus: status,
    lineItemFulfillmentInstructions: {
      minEstimatedDeliveryDate: "2026-03-20T07:00:00.000Z",
      maxEstimatedDeliveryDate: "2026-03-24T07:00:00.000Z",
      shipByDate: "2026-03-18T06:59:59.000Z",
      guaranteedDelivery: false,
    },
    properties: { buyerProtection: true },
    ...more,
  };
}

const shipTo = {
  fullName: "John Smith",
  contactAddress: {
    addressLine1: "2025 Hamilton Ave",
    city: "San Jose",
    stateOrProvince: "CA",
    postalCode: "95125",
    countryCode: "US",
  },
  primaryPhone: { phoneNumber: "408 555 0100" },
  email: "john@members.ebay.com",
};

export type EbayOrder = Record<string, unknown> & {
  orderId: string;
  lastModifiedDate: string;
  orderFulfillmentStatus: string;
  orderPaymentStatus: string;
  lineItems: LineItem[];
};

type Parts = {
  items: LineItem[];
  fulfillment?: string;
  payment?: string;
  cancel?: string;
  refund?: number;
  shipTo?: object;
  type?: string;
  converted?: [number, string];
  deliveryDiscount?: number;
  /** A payment failed before. */
  isRetried?: boolean;
} & Record<string, unknown>;

function order(id: number, parts: Parts): EbayOrder {
  const {
    items,
    fulfillment = "NOT_STARTED",
    payment = "PAID",
    cancel = "NONE_REQUESTED",
    refund,
    converted,
    ...rest
  } = parts;
  const { shipTo: address = shipTo, type = "SHIP_TO", isRetried = false, deliveryDiscount = 0, ...more } = rest;
  const sum = (read: (one: LineItem) => number): number => items.reduce((total, one) => total + read(one), 0);
  const subtotal = sum((one) => Number(one.lineItemCost.value));
  const promotions = (one: LineItem) => one.appliedPromotions as { discountAmount: { value: string } }[];
  const discount = sum((one) =>
    promotions(one).reduce((total, { discountAmount }) => total + Number(discountAmount.value), 0),
  );
  const tax = sum((one) =>
    (one.taxes as { amount: { value: string } }[]).reduce((total, { amount }) => total + Number(amount.value), 0),
  );
  const total = subtotal - discount + tax + 4.5 - deliveryDiscount;
  const day = String(id).padStart(2, "0");
  return {
    orderId: `12-3456${day}-90123`,
    legacyOrderId: `1105500${day}-1`,
    creationDate: `2026-03-${day}T09:00:00.000Z`,
    lastModifiedDate: `2026-03-${day}T10:00:00.000Z`,
    orderFulfillmentStatus: fulfillment,
    orderPaymentStatus: payment,
    sellerId: "seller1",
    buyer: { username: `buyer${id}`, taxAddress: { stateOrProvince: "CA", postalCode: "95125", countryCode: "US" } },
    pricingSummary: {
      priceSubtotal: usd(subtotal),
      ...(discount > 0 ? { priceDiscount: usd(-discount) } : {}),
      deliveryCost: usd(4.5),
      ...(deliveryDiscount > 0 ? { deliveryDiscount: usd(-deliveryDiscount) } : {}),
      ...(tax > 0 ? { tax: usd(tax) } : {}),
      total: converted
        ? { ...usd(total), convertedFromValue: converted[0].toFixed(2), convertedFromCurrency: converted[1] }
        : usd(total),
    },
    cancelStatus: { cancelState: cancel, cancelRequests: [] },
    paymentSummary: {
      totalDueSeller: usd(total),
      payments:
        payment === "PENDING"
          ? [{ paymentMethod: "EBAY", paymentReferenceId: `ref-${id}`, amount: usd(total), paymentStatus: "PENDING" }]
          : [
              ...(isRetried
                ? [
                    {
                      paymentMethod: "GIFT_CARD",
                      paymentReferenceId: `failed-${id}`,
                      amount: usd(total),
                      paymentStatus: "FAILED",
                    },
                  ]
                : []),
              {
                paymentMethod: "EBAY",
                paymentReferenceId: `ref-${id}`,
                paymentDate: `2026-03-${day}T09:00:00.000Z`,
                amount: usd(total),
                paymentStatus: "PAID",
              },
            ],
      refunds:
        refund === undefined
          ? []
          : [
              {
                refundId: "5001",
                amount: usd(refund),
                refundStatus: "REFUNDED",
                refundDate: `2026-03-${day}T12:00:00.000Z`,
              },
            ],
    },
    fulfillmentStartInstructions: [
      {
        fulfillmentInstructionsType: type,
        ebaySupportedFulfillment: false,
        ...(type === "DIGITAL"
          ? {}
          : { shippingStep: { shipTo: address, shippingCarrierCode: "USPS", shippingServiceCode: "USPSPriority" } }),
      },
    ],
    fulfillmentHrefs: [],
    lineItems: items,
    salesRecordReference: String(100 + id),
    ...more,
  };
}

const mug = { title: "Enamel mug", sku: "MUG-01", cost: 9.5 };

export function ebayOrders(): EbayOrder[] {
  return [
    order(1, {
      items: [
        item(1, {
          title: "Hoodie",
          sku: "HOOD-BLU-L",
          cost: 40,
          quantity: 2,
          aspects: [
            ["Color", "Blue"],
            ["Size", "L"],
          ],
          discount: 8,
          tax: 6.3,
        }),
        item(2, { ...mug, giftDetails: { message: "Enjoy!", senderName: "Ann", recipientEmail: "bob@example.com" } }),
      ],
      buyerCheckoutNotes: "Please leave at the door",
      isRetried: true,
    }),
    order(2, { items: [item(3, mug)], payment: "PENDING" }),
    order(3, {
      items: [item(4, { ...mug, quantity: 2, status: "FULFILLED" }), item(5, mug)],
      fulfillment: "IN_PROGRESS",
    }),
    order(4, {
      items: [item(6, { ...mug, status: "FULFILLED" })],
      fulfillment: "FULFILLED",
      deliveryDiscount: 1.5,
    }),
    order(5, { items: [item(7, mug)], cancel: "CANCELED", payment: "FULLY_REFUNDED", refund: 14 }),
    order(6, { items: [item(8, mug)], cancel: "IN_PROGRESS" }),
    order(7, { items: [item(9, { ...mug, quantity: 2 })], payment: "PARTIALLY_REFUNDED", refund: 9.5 }),
    order(8, { items: [item(10, mug)], payment: "FULLY_REFUNDED", refund: 14 }),
    order(9, {
      items: [item(11, { title: "Print at home pattern", cost: 5 })],
      type: "DIGITAL",
    }),
    order(10, {
      items: [item(12, mug)],
      converted: [12.89, "EUR"],
      shipTo: {
        ...shipTo,
        fullName: "Jörg Müller",
        companyName: "Müller GmbH",
        contactAddress: {
          addressLine1: "Hauptstraße 5",
          addressLine2: "Hinterhof",
          city: "Berlin",
          postalCode: "10115",
          countryCode: "DE",
        },
        primaryPhone: undefined,
      },
    }),
    order(11, { items: [item(13, mug)], payment: "FAILED" }),
    order(12, { items: [item(14, mug)], fulfillment: "SOMETHING_NEW" }),
  ];
}

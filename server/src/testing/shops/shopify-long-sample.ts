import {
  amounts,
  codeOf,
  fulfillmentOrder,
  gid,
  inHub,
  line,
  lineInHub,
  page,
  payment,
  priced,
  shopifyOrder,
} from "./shopify-sample-parts.ts";
import type { ShopSample } from "./woo-order-samples.ts";

/** An order whose lists are longer than what the connector reads with a page of orders. */
export const longListsSample: ShopSample = {
  title: "lists longer than a page: discounts, failed payments, and deliveries of which the last one is collected",
  order: shopifyOrder(1112, {
    ...priced({ goods: 90 }),
    discountApplications: page(Array.from({ length: 7 }, (_, at) => codeOf(at, `CODE-${at}`, "SHIPPING_LINE"))),
    transactions: [
      ...Array.from({ length: 6 }, (_, at) => payment({ status: "FAILURE", paymentId: `c510.${at}` })),
      payment({ paymentId: "c511.1" }),
    ],
    fulfillmentOrders: page([
      ...Array.from({ length: 11 }, (_, at) => fulfillmentOrder({ id: gid("FulfillmentOrder", 1200 + at) })),
      fulfillmentOrder({
        id: gid("FulfillmentOrder", 1299),
        deliveryMethod: { id: gid("DeliveryMethod", 4), methodType: "PICK_UP", presentedName: null },
        // The line is behind the first forty.
        lineItems: page(
          Array.from({ length: 41 }, (_, at) => ({
            id: gid("FulfillmentOrderLineItem", 1300 + at),
            lineItem: { id: gid("LineItem", at === 40 ? 16 : 9_000 + at) },
          })),
        ),
      }),
    ]),
    lineItems: page([line(16, "Mug", 1, 40), line(17, "Lamp", 1, 50)]),
  }),
  hub: inHub(1112, {
    total: 90,
    tags: ["pickup"],
    payment: { method: "shopify_payments", reference: "c511.1" },
    amounts: amounts(90, 0, 0, 90, {
      discounts: Array.from({ length: 7 }, (_, at) => ({ code: `CODE-${at}` })),
    }),
    lines: [lineInHub(16, "Mug", 1, 40, { requiresShipping: false }), lineInHub(17, "Lamp", 1, 50)],
  }),
};

import { meta, item, itemInHub, flatRate, taxLine, wooOrder, inHub, amounts } from "./woo-sample-parts.ts";

/**
 * Orders of a WooCommerce shop, and what each must be in the hub. The values were worked out by hand from the amounts in the shop,
 * without the connector.
 */
type Json = Record<string, unknown>;
export type ShopSample = { title: string; order: Json; hub: Json; refundDetails?: Json[] };

export const wooSettings = { statuses: { "awaiting-shipment": "ready" } };
export const wooVirtualProducts = [31];

export const wooSamples: ShopSample[] = [
  {
    title: "a variation with a coupon, tax and a payment reference",
    order: wooOrder(701, {
      customer_id: 26,
      transaction_id: "pi_3Nabc",
      discount_total: "4.00",
      shipping_total: "5.00",
      cart_tax: "2.25",
      total_tax: "2.25",
      total: "39.25",
      line_items: [
        item(1, "Hoodie - Blue, L", 2, 20, {
          product_id: 22,
          variation_id: 23,
          sku: "HOODIE-BL",
          total: "36.00",
          total_tax: "2.25",
          price: 18,
          parent_name: "Hoodie",
          meta_data: [meta("pa_color", "blue", "Color", "Blue"), meta("size", "L", "Size", "L")],
        }),
      ],
      tax_lines: [taxLine],
      shipping_lines: [flatRate("5.00")],
      coupon_lines: [
        {
          id: 74,
          code: "spring10",
          discount: "4.00",
          discount_tax: "0.00",
          meta_data: [],
          discount_type: "percent",
          nominal_amount: 10,
          free_shipping: false,
        },
      ],
    }),
    hub: inHub(701, {
      customer: { id: "26", name: "Ann Lee", email: "ann@mail.example", phone: "+1 617 555 0101" },
      total: 39.25,
      payment: { method: "Credit card", reference: "pi_3Nabc" },
      amounts: amounts(40, 5, 39.25, { discount: 4, tax: 2.25, discounts: [{ code: "spring10", amount: 4 }] }),
      lines: [
        itemInHub(1, "Hoodie - Blue, L", 2, 20, {
          sku: "HOODIE-BL",
          discount: 4,
          tax: 2.25,
          productId: "22",
          variantId: "23",
          options: [
            { name: "Color", value: "Blue" },
            { name: "Size", value: "L" },
          ],
        }),
      ],
    }),
  },
  {
    title: "cash on delivery, another address, a note and HTML in names",
    order: wooOrder(702, {
      total: "18.00",
      currency: "EUR",
      payment_method: "cod",
      payment_method_title: "Nachnahme &amp; bar",
      date_paid: null,
      date_paid_gmt: null,
      customer_note: "Please ring twice.",
      needs_payment: false,
      line_items: [item(2, "Woo Single #1 &#8211; A &amp; B", 1, 18, { sku: "", product_id: 93 })],
      shipping: {
        first_name: "Jörg",
        last_name: "Müller",
        company: "",
        address_1: "Hauptstr. 5",
        address_2: "",
        city: "Köln",
        state: "DE-NW",
        postcode: "50667",
        country: "DE",
        phone: "",
      },
    }),
    hub: inHub(702, {
      paymentStatus: "pending",
      currency: "EUR",
      total: 18,
      payment: { method: "Nachnahme & bar" },
      amounts: amounts(18, 0, 0),
      shippingAddress: {
        name: "Jörg Müller",
        address1: "Hauptstr. 5",
        city: "Köln",
        provinceCode: "DE-NW",
        zip: "50667",
        countryCode: "DE",
      },
      notes: [["Please ring twice.", "customer"]],
      lines: [itemInHub(2, "Woo Single #1 – A & B", 1, 18, { sku: "product-93", productId: "93" })],
    }),
  },
  {
    title: "a partial refund: one of three mugs, and money for the delay",
    order: wooOrder(703, {
      total: "36.00",
      total_tax: "3.00",
      cart_tax: "3.00",
      line_items: [item(3, "Mug", 3, 11, { total_tax: "3.00", subtotal_tax: "3.00" })],
      refunds: [
        { id: 7031, reason: "broken", total: "-12.00" },
        { id: 7032, reason: "", total: "-2.50" },
      ],
    }),
    refundDetails: [
      {
        id: 7031,
        date_created: "2026-03-03T05:00:00",
        date_created_gmt: "2026-03-03T10:00:00",
        amount: "12.00",
        reason: "broken",
        refunded_by: 1,
        refunded_payment: true,
        meta_data: [],
        line_items: [
          item(31, "Mug", -1, 11, {
            subtotal: "-11.00",
            total: "-11.00",
            total_tax: "-1.00",
            meta_data: [{ id: 5, key: "_refunded_item_id", value: "3" }],
          }),
        ],
        shipping_lines: [],
        tax_lines: [],
        fee_lines: [],
        _links: {},
      },
      {
        id: 7032,
        date_created: "2026-03-04T05:00:00",
        date_created_gmt: "2026-03-04T10:00:00",
        amount: "2.50",
        reason: "",
        refunded_by: 1,
        refunded_payment: false,
        meta_data: [],
        line_items: [],
        shipping_lines: [],
        tax_lines: [],
        fee_lines: [],
        _links: {},
      },
    ],
    hub: inHub(703, {
      paymentStatus: "partially_refunded",
      total: 36,
      amounts: amounts(33, 0, 36, { tax: 3, refunded: 14.5 }),
      lines: [itemInHub(3, "Mug", 2, 11, { tax: 2, refundedQuantity: 1 })],
    }),
  },
  {
    title:
      "an engraving, a purchase order, a gift message, a delivery date and a card number in a field of an extension",
    order: wooOrder(704, {
      total: "80.00",
      customer_id: 27,
      meta_data: [
        { id: 1, key: "_billing_po_number", value: "PO-4711" },
        { id: 2, key: "_gift_message", value: "Happy birthday!" },
        { id: 3, key: "delivery_date", value: "2026-03-20" },
        { id: 4, key: "Cost Centre", value: "A-12" },
        { id: 5, key: "is_vat_exempt", value: "no" },
        { id: 6, key: "Card used", value: "4111 1111 1111 1111" },
        { id: 7, key: "_hidden", value: "x" },
        { id: 8, key: "extension_data", value: { a: 1 } },
      ],
      line_items: [
        item(4, "Ring", 1, 80, {
          meta_data: [meta("Engraving", "<p>To Ann</p>"), meta("_wcpa", "secret"), meta("Ring size", "54 mm")],
        }),
      ],
    }),
    hub: inHub(704, {
      customer: { id: "27", name: "Ann Lee", email: "ann@mail.example", phone: "+1 617 555 0101" },
      total: 80,
      poNumber: "PO-4711",
      giftMessage: "Happy birthday!",
      requestedDeliveryDate: "2026-03-20",
      customFields: { cost_centre: "A-12", is_vat_exempt: "no", card_used: "**** 1111" },
      amounts: amounts(80, 0, 80),
      lines: [
        itemInHub(4, "Ring", 1, 80, {
          sku: "RING",
          properties: [
            { name: "Engraving", value: "To Ann" },
            { name: "Ring size", value: "54 mm" },
          ],
        }),
      ],
    }),
  },
  {
    title: "a bundle of two items",
    order: wooOrder(705, {
      total: "30.00",
      line_items: [
        item(50, "Set", 1, 30, { bundled_items: [51, 52], product_id: 60 }),
        item(51, "Cup", 2, 0, { bundled_by: 50, bundled_items: [] }),
        item(52, "Saucer", 2, 0, { bundled_by: 50, bundled_items: [] }),
      ],
    }),
    hub: inHub(705, {
      total: 30,
      amounts: amounts(30, 0, 30),
      lines: [
        itemInHub(50, "Set", 1, 30, { productId: "60", requiresShipping: false }),
        itemInHub(51, "Cup", 2, 0, { parentLineId: "50" }),
        itemInHub(52, "Saucer", 2, 0, { parentLineId: "50" }),
      ],
    }),
  },
  {
    title: "local pickup",
    order: wooOrder(706, {
      total: "12.00",
      line_items: [item(6, "Mug", 1, 12)],
      shipping_lines: [{ ...flatRate("0.00"), method_title: "Local pickup", method_id: "local_pickup" }],
    }),
    hub: inHub(706, {
      total: 12,
      tags: ["pickup"],
      shipping: { service: "Local pickup" },
      amounts: amounts(12, 0, 12),
      lines: [itemInHub(6, "Mug", 1, 12, { requiresShipping: false })],
    }),
  },
  {
    title: "an e-book beside a mug",
    order: wooOrder(707, {
      total: "21.00",
      line_items: [item(7, "Ebook", 1, 9, { product_id: 31 }), item(8, "Mug", 1, 12)],
    }),
    hub: inHub(707, {
      total: 21,
      amounts: amounts(21, 0, 21),
      lines: [itemInHub(7, "Ebook", 1, 9, { productId: "31", requiresShipping: false }), itemInHub(8, "Mug", 1, 12)],
    }),
  },
  {
    title: "a fee, and a discount as a negative fee",
    order: wooOrder(708, {
      total: "23.50",
      shipping_total: "4.00",
      line_items: [item(9, "Mug", 2, 10)],
      shipping_lines: [flatRate("4.00")],
      fee_lines: [
        {
          id: 81,
          name: "Gift &amp; wrap",
          tax_class: "",
          tax_status: "none",
          amount: "2.50",
          total: "2.50",
          total_tax: "0.00",
          taxes: [],
          meta_data: [],
        },
        {
          id: 82,
          name: "Loyal &amp; kind",
          tax_class: "",
          tax_status: "none",
          amount: "-3.00",
          total: "-3.00",
          total_tax: "0.00",
          taxes: [],
          meta_data: [],
        },
      ],
    }),
    hub: inHub(708, {
      total: 23.5,
      amounts: amounts(20, 4, 23.5, { fees: 2.5, discount: 3, discounts: [{ title: "Loyal & kind", amount: 3 }] }),
      lines: [itemInHub(9, "Mug", 2, 10)],
    }),
  },
  {
    title: "a status of an extension that the settings explain",
    order: wooOrder(709, {
      status: "wc-awaiting-shipment",
      total: "12.00",
      payment_method: "bacs",
      payment_method_title: "",
      line_items: [item(10, "Mug", 1, 12)],
    }),
    hub: inHub(709, {
      status: "ready",
      payment: { method: "bacs" },
      total: 12,
      amounts: amounts(12, 0, 12),
      lines: [itemInHub(10, "Mug", 1, 12)],
    }),
  },
  {
    title: "a shipped order in yen, of which one item came back later",
    order: wooOrder(710, {
      status: "completed",
      currency: "JPY",
      currency_symbol: "¥",
      total: "3000",
      date_completed: "2026-03-05T05:00:00",
      date_completed_gmt: "2026-03-05T10:00:00",
      line_items: [item(11, "Fan", 2, 1500)],
      refunds: [{ id: 7101, reason: "returned", total: "-1500" }],
    }),
    refundDetails: [
      {
        id: 7101,
        date_created: "2026-03-12T05:00:00",
        date_created_gmt: "2026-03-12T10:00:00",
        amount: "1500",
        reason: "returned",
        refunded_by: 1,
        refunded_payment: true,
        meta_data: [],
        line_items: [item(111, "Fan", -1, 1500, { meta_data: [{ id: 6, key: "_refunded_item_id", value: "11" }] })],
        shipping_lines: [],
        tax_lines: [],
        fee_lines: [],
        _links: {},
      },
    ],
    hub: inHub(710, {
      status: "shipped",
      paymentStatus: "partially_refunded",
      currency: "JPY",
      total: 3000,
      amounts: amounts(3000, 0, 3000, { refunded: 1500 }),
      lines: [itemInHub(11, "Fan", 2, 1500)],
    }),
  },
];

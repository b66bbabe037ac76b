import type { Cells, FileOfProgram } from "./file-of-program.ts";

const amazonHeader =
  "order-id,order-item-id,purchase-date,payments-date,buyer-email,buyer-name,buyer-phone-number,sku,product-name,quantity-purchased,currency,item-price,item-tax,shipping-price,shipping-tax,gift-wrap-price,gift-wrap-tax,ship-service-level,recipient-name,ship-address-1,ship-address-2,ship-address-3,ship-city,ship-state,ship-postal-code,ship-country,ship-phone-number,gift-wrap-type,gift-message-text,item-promotion-discount,item-promotion-id,ship-promotion-discount,ship-promotion-id,delivery-start-date,delivery-end-date,delivery-time-zone,delivery-Instructions,sales-channel,is-business-order,purchase-order-number,price-designation,is-iba,is-prime,verge-of-cancellation,verge-of-lateShipment".split(
    ",",
  );

const amazonRow = (number: string, item: string, cells: Cells = {}): Cells => ({
  "order-id": number,
  "order-item-id": item,
  "purchase-date": "2026-01-01T10:50:49-08:00",
  "payments-date": "2026-01-05T10:50:49-08:00",
  "buyer-email": "b@marketplace.example",
  "buyer-name": "Bob Smith",
  "buyer-phone-number": "555-123-4567",
  sku: `SKU-${item}`,
  "product-name": "Lamp",
  "quantity-purchased": "2",
  currency: "USD",
  "item-price": "40.00",
  "item-tax": "3.20",
  "shipping-price": "5.00",
  "shipping-tax": "0.40",
  "ship-service-level": "Standard",
  "recipient-name": "Bob Jones",
  "ship-address-1": "123 Main St",
  "ship-city": "Miami",
  "ship-state": "FL",
  "ship-postal-code": "33101",
  "ship-country": "US",
  "ship-phone-number": "555-123-4567",
  "sales-channel": "Amazon.com",
  "is-business-order": "false",
  ...cells,
});

const bob = {
  name: "Bob Jones",
  address1: "123 Main St",
  city: "Miami",
  provinceCode: "FL",
  zip: "33101",
  countryCode: "US",
  phone: "555-123-4567",
};
const lamp = (item: string, more: object = {}) => ({
  id: item,
  sku: `SKU-${item}`,
  name: "Lamp",
  quantity: 2,
  price: 20,
  tax: 3.2,
  ...more,
});
const amazonOrder = (number: string, item: string, more: object = {}) => ({
  number,
  paymentStatus: "paid",
  orderedAt: "2026-01-01T18:50:49.000Z",
  currency: "USD",
  amounts: { shipping: 5, tax: 3.6 },
  channel: "Amazon.com",
  customer: { name: "Bob Smith", email: "b@marketplace.example", phone: "555-123-4567" },
  shipping: { service: "Standard" },
  shippingAddress: bob,
  lines: [lamp(item)],
  ...more,
});

/** Ten orders of Amazon: amounts are those of a line, and quotation marks are text. */
export const amazonFile: FileOfProgram = {
  preset: "amazon",
  header: amazonHeader,
  delimiter: "\t",
  orders: [
    { rows: [amazonRow("A-1", "11")], order: amazonOrder("A-1", "11") },
    {
      rows: [
        amazonRow("A-2", "21"),
        amazonRow("A-2", "22", {
          "item-price": "10.00",
          "item-tax": "0.80",
          "shipping-price": "1.00",
          "shipping-tax": "0",
        }),
      ],
      order: amazonOrder("A-2", "21", {
        amounts: { shipping: 6, tax: 4.4 },
        lines: [lamp("21"), lamp("22", { price: 5, tax: 0.8 })],
      }),
    },
    {
      rows: [
        amazonRow("A-3", "31", {
          "item-promotion-discount": "-4.00",
          "item-promotion-id": "SAVE-4",
          "ship-promotion-discount": "5.00",
          "ship-promotion-id": "FREESHIP",
        }),
      ],
      order: amazonOrder("A-3", "31", {
        amounts: { shipping: 5, tax: 3.6, discount: 9, discounts: [{ code: "SAVE-4" }, { code: "FREESHIP" }] },
        lines: [lamp("31", { discount: 4 })],
      }),
    },
    {
      rows: [
        amazonRow("A-4", "41", {
          "gift-wrap-price": "3.99",
          "gift-wrap-tax": "0.32",
          "gift-wrap-type": "Red box",
          "gift-message-text": "Happy birthday!",
        }),
        amazonRow("A-4", "42", { "gift-message-text": "Love, Ann" }),
      ],
      order: amazonOrder("A-4", "41", {
        amounts: { shipping: 10, tax: 7.52, fees: 3.99 },
        giftMessage: "Happy birthday!\nLove, Ann",
        lines: [lamp("41", { properties: [{ name: "Gift wrap", value: "Red box" }] }), lamp("42")],
      }),
    },
    {
      rows: [amazonRow("A-5", "51", { "is-business-order": "true", "purchase-order-number": "PO-88" })],
      order: amazonOrder("A-5", "51", { tags: ["business"], poNumber: "PO-88" }),
    },
    {
      rows: [
        amazonRow("A-6", "61", {
          "delivery-start-date": "2026-01-20T08:00:00-08:00",
          "delivery-end-date": "2026-01-20T12:00:00-08:00",
          "delivery-time-zone": "America/Los_Angeles",
          "delivery-Instructions": "Ring twice",
        }),
      ],
      order: amazonOrder("A-6", "61", {
        requestedDeliveryDate: "2026-01-20",
        deliverBy: "2026-01-20T20:00:00.000Z",
        notes: [{ text: "Ring twice" }],
      }),
    },
    {
      // In Europe, prices include the tax.
      rows: [
        amazonRow("A-7", "71", {
          currency: "EUR",
          "item-price": "19.89",
          "item-tax": "3.45",
          "quantity-purchased": "1",
          "shipping-price": "0.00",
          "shipping-tax": "0.00",
          "ship-state": "",
          "ship-postal-code": "3001",
          "ship-country": "AT",
          "sales-channel": "Amazon.de",
        }),
      ],
      order: amazonOrder("A-7", "71", {
        currency: "EUR",
        channel: "Amazon.de",
        amounts: { shipping: 0, tax: 3.45, taxIncluded: true },
        shippingAddress: {
          name: "Bob Jones",
          address1: "123 Main St",
          city: "Miami",
          zip: "3001",
          countryCode: "AT",
          phone: "555-123-4567",
        },
        lines: [lamp("71", { quantity: 1, price: 19.89, tax: 3.45 })],
      }),
    },
    {
      rows: [amazonRow("A-8", "81", { "product-name": 'TV 55" wall "mount"', "recipient-name": '"Bob' })],
      order: amazonOrder("A-8", "81", {
        shippingAddress: { ...bob, name: '"Bob' },
        lines: [lamp("81", { name: 'TV 55" wall "mount"' })],
      }),
    },
    {
      rows: [
        amazonRow("A-9", "91", {
          "ship-city": "Orléans",
          "ship-address-2": "Floor 2",
          "ship-address-3": "Door 3",
          "payments-date": "",
        }),
      ],
      order: {
        ...amazonOrder("A-9", "91", { shippingAddress: { ...bob, city: "Orléans", address2: "Floor 2, Door 3" } }),
        paymentStatus: undefined,
      },
    },
    {
      rows: [amazonRow("A-10", "101", { "item-price": "10.01", "quantity-purchased": "3" })],
      order: amazonOrder("A-10", "101", { lines: [lamp("101", { quantity: 3, price: 3.3367 })] }),
    },
  ],
};

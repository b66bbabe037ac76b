import type { Cells, FileOfProgram } from "./file-of-program.ts";

const etsyHeader =
  "Sale Date,Item Name,Buyer,Quantity,Price,Coupon Code,Coupon Details,Discount Amount,Shipping Discount,Order Shipping,Order Sales Tax,Item Total,Currency,Transaction ID,Listing ID,Date Paid,Date Shipped,Ship Name,Ship Address1,Ship Address2,Ship City,Ship State,Ship Zipcode,Ship Country,Order ID,Variations,Order Type,Listings Type,Payment Type,InPerson Discount,InPerson Location,VAT Paid by Buyer,SKU".split(
    ",",
  );
const etsyRow = (number: string, item: string, cells: Cells = {}): Cells => ({
  "Sale Date": "08/14/25",
  "Item Name": "Fox card",
  Buyer: "jane42",
  Quantity: "2",
  Price: "5.00",
  "Order Shipping": "4.50",
  "Order Sales Tax": "0.62",
  "Item Total": "10.00",
  Currency: "USD",
  "Transaction ID": item,
  "Listing ID": "9001",
  "Date Paid": "08/14/25",
  "Ship Name": "Jane Doe",
  "Ship Address1": "1 Main St",
  "Ship City": "Austin",
  "Ship State": "TX",
  "Ship Zipcode": "78701",
  "Ship Country": "United States",
  "Order ID": number,
  "Order Type": "online",
  "Listings Type": "listing",
  "Payment Type": "online_cc",
  SKU: "FOX",
  ...cells,
});
const jane = {
  name: "Jane Doe",
  address1: "1 Main St",
  city: "Austin",
  provinceCode: "TX",
  zip: "78701",
  country: "United States",
  countryCode: "US",
};
const fox = (item: string, more: object = {}) => ({
  id: item,
  sku: "FOX",
  name: "Fox card",
  productId: "9001",
  quantity: 2,
  price: 5,
  ...more,
});
const etsyOrder = (number: string, item: string, more: object = {}) => ({
  number,
  paymentStatus: "paid",
  orderedAt: "2025-08-14T00:00:00.000Z",
  currency: "USD",
  amounts: { shipping: 4.5, tax: 0.62 },
  payment: { method: "online_cc" },
  customer: { id: "jane42", name: "Jane Doe" },
  shippingAddress: jane,
  lines: [fox(item)],
  ...more,
});

/** Ten orders of Etsy: amounts of the order are in its first row or in all of them. */
export const etsyFile: FileOfProgram = {
  preset: "etsy",
  header: etsyHeader,
  delimiter: ",",
  orders: [
    { rows: [etsyRow("3001", "1")], order: etsyOrder("3001", "1") },
    {
      rows: [etsyRow("3002", "2"), etsyRow("3002", "3", { "Order Shipping": "0.00", "Order Sales Tax": "0.00" })],
      order: etsyOrder("3002", "2", { lines: [fox("2"), fox("3")] }),
    },
    {
      rows: [etsyRow("3003", "4"), etsyRow("3003", "5")],
      order: etsyOrder("3003", "4", { lines: [fox("4"), fox("5")] }),
    },
    {
      rows: [etsyRow("3004", "6", { Variations: "Size:L,Primary color:Red,Personalization:To Ann, with love" })],
      order: etsyOrder("3004", "6", {
        lines: [
          fox("6", {
            options: [
              { name: "Size", value: "L" },
              { name: "Primary color", value: "Red" },
            ],
            properties: [{ name: "Personalization", value: "To Ann, with love" }],
          }),
        ],
      }),
    },
    {
      rows: [etsyRow("3005", "7", { SKU: "", Variations: "Style: Matte" })],
      order: etsyOrder("3005", "7", {
        lines: [fox("7", { sku: "Fox card / Matte", options: [{ name: "Style", value: "Matte" }] })],
      }),
    },
    {
      rows: [
        etsyRow("3006", "8", { "Coupon Code": "WELCOME10", "Coupon Details": "10% off", "Discount Amount": "1.00" }),
      ],
      order: etsyOrder("3006", "8", {
        amounts: {
          shipping: 4.5,
          tax: 0.62,
          discount: 1,
          discounts: [{ code: "WELCOME10", title: "10% off", amount: 1 }],
        },
        lines: [fox("8", { discount: 1 })],
      }),
    },
    {
      rows: [etsyRow("#3007", "9", { "Date Shipped": "08/15/25" })],
      order: etsyOrder("3007", "9", { status: "shipped", lines: [fox("9", { shippedQuantity: 2 })] }),
    },
    {
      rows: [
        etsyRow("3008", "10", {
          Currency: "CAD",
          "Ship State": "BC",
          "Ship Zipcode": "V2C 1A1",
          "Ship Country": "Canada",
          "Ship Address2": "Unit 2",
        }),
      ],
      order: etsyOrder("3008", "10", {
        currency: "CAD",
        shippingAddress: {
          ...jane,
          address2: "Unit 2",
          provinceCode: "BC",
          zip: "V2C 1A1",
          country: "Canada",
          countryCode: "CA",
        },
      }),
    },
    {
      rows: [etsyRow("3009", "11", { "Shipping Discount": "4.50", "Item Name": "Fox & Owl &amp; Co" })],
      order: etsyOrder("3009", "11", {
        amounts: { shipping: 4.5, tax: 0.62, discount: 4.5 },
        lines: [fox("11", { name: "Fox & Owl & Co" })],
      }),
    },
    {
      rows: [etsyRow("3010", "12", { Price: "$1,250.00", Quantity: "1", "Payment Type": "paypal", "Date Paid": "" })],
      order: {
        ...etsyOrder("3010", "12", { payment: { method: "paypal" }, lines: [fox("12", { quantity: 1, price: 1250 })] }),
        paymentStatus: undefined,
      },
    },
  ],
};

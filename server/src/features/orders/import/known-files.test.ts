import { beforeAll, describe, expect, test } from "vitest";
import {
  shopifyHeader as header,
  shopifyLine as line,
  shopifyOrder as first,
  shopifyRow as row,
} from "../../../testing/shopify-export.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

/**
 * Files as known programs write them. The headers are those of the published formats: Shopify's orders export, the order
 * report fields of Seller Central's help, ShipStation's export columns, Etsy's EtsySoldOrderItems, eBay's orders report, and
 * the two exports of WooCommerce shops. The rows are made up.
 */
const hub = await startTestHub();
let org: TestOrg;
beforeAll(async () => {
  org = await hub.org();
});

type Warned = { code: string; column: string };

async function importFile(csv: string, more: object = {}) {
  const { status, body } = await org.post("/orders/import", { csv, ...more });
  expect([status, body.errors], JSON.stringify(body)).toEqual([200, []]);
  return body;
}

const read = async (number: string) => (await org.get(`/orders/${encodeURIComponent(number)}`)).body;

describe("Shopify", () => {
  test("number, lines, address and dates of orders are read completely", async () => {
    const body = await importFile(
      [
        header,
        row({ ...first, ...line("Mug", "2", "MUG-1") }),
        row({ Name: "#1001", Email: "ann@example.com", ...line("Poster", "1") }),
        row({
          ...first,
          Name: "#1002",
          Id: "5550002",
          "Fulfillment Status": "fulfilled",
          ...line("Mug", "1", "MUG-1"),
        }),
        row({
          ...first,
          Name: "#1003",
          Id: "5550003",
          "Cancelled at": "2026-05-15 08:00:00 +0100",
          ...line("Mug", "1"),
        }),
        row({ ...first, Name: "#1004", Id: "5550004", "Financial Status": "pending", ...line("Mug", "1") }),
      ].join("\n"),
    );
    expect(body).toMatchObject({ detectedPreset: "shopify", summary: { rows: 5, orders: 4, created: 4, failed: 0 } });
    // Everything that such a file has is known; that items have no SKU is worth a word.
    expect(body.warnings.map(({ code }: Warned) => code)).toEqual(["sku_from_name"]);
    expect(await read("#1001")).toMatchObject({
      number: "#1001",
      externalId: "5550001",
      status: "new",
      paymentStatus: "paid",
      currency: "GBP",
      total: 45,
      orderedAt: "2026-05-14T10:23:45.000Z",
      tags: ["vip", "gift"],
      channel: "web",
      customer: { email: "ann@example.com" },
      shipping: { service: "Royal Mail 48" },
      shippingAddress: { name: "Ann Lee", address1: "1 High St", zip: "02108", provinceCode: "MA", countryCode: "US" },
      billingAddress: { name: "Ann Lee" },
      lines: [
        { sku: "MUG-1", name: "Mug", quantity: 2, price: 15, shippedQuantity: 0 },
        { sku: "Poster", name: "Poster", quantity: 1 },
      ],
    });
    expect(await read("#1002")).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 1 }] });
    expect((await read("#1003")).status).toBe("cancelled");
    expect((await read("#1004")).status).toBe("awaiting_payment");
  });

  test("a file that only resembles the preset can be read without one", async () => {
    const csv = "Name,Lineitem name,Lineitem quantity,Lineitem sku\nAnn,Mug,1,M\n";
    expect((await importFile(csv, { preset: "none", dryRun: true })).columns[0]).toEqual({
      column: "Name",
      field: "shippingAddress.name",
      nonEmptyRows: 1,
    });
  });
});

test("Amazon: quantities, amounts for all units, a third line of the address, tabs", async () => {
  const header =
    "order-id\torder-item-id\tpurchase-date\tpayments-date\tbuyer-email\tbuyer-name\tbuyer-phone-number\tsku\tproduct-name\tquantity-purchased\tcurrency\titem-price\titem-tax\tshipping-price\tshipping-tax\tship-service-level\trecipient-name\tship-address-1\tship-address-2\tship-address-3\tship-city\tship-state\tship-postal-code\tship-country\tship-phone-number\tdelivery-start-date\tdelivery-end-date\tdelivery-time-zone\tdelivery-Instructions";
  const row = (item: string, quantity: string, price: string): string =>
    `058-3563777-5518068\t${item}\t2026-01-01T10:50:49-08:00\t2026-01-05T10:50:49-08:00\ta@marketplace.example\tBob Smith\t555-123-4567\tSKU-${item}\tThing ${item}\t${quantity}\tUSD\t${price}\t0.00\t1.99\t0.00\tStandard\tBob Jones\t123 Main St\tFloor 2\tDoor 3\tNowhere\tFL\t55443-3221\tUS\t555-123-4567\t\t\t\tRing twice`;
  const body = await importFile([header, row("11", "3", "38.70"), row("12", "1", "2.00")].join("\n"));
  expect(body).toMatchObject({ detectedPreset: "amazon", warnings: [], summary: { orders: 1, created: 1 } });
  expect(await read("058-3563777-5518068")).toMatchObject({
    paymentStatus: "paid",
    orderedAt: "2026-01-01T18:50:49.000Z",
    customer: { name: "Bob Smith", phone: "555-123-4567" },
    shippingAddress: { name: "Bob Jones", address2: "Floor 2, Door 3", provinceCode: "FL", zip: "55443-3221" },
    shipping: { service: "Standard" },
    notes: [{ text: "Ring twice" }],
    lines: [
      { id: "11", sku: "SKU-11", quantity: 3, price: 12.9 },
      { id: "12", quantity: 1, price: 2 },
    ],
  });
});

test("ShipStation: quantity, dates and statuses", async () => {
  const header =
    "Order - Number,Order - Status,Date - Order Date,Date - Ship By Date,Item - SKU,Item - Name,Item - Qty,Item - Price,Amount - Order Total,Ship To - Name,Ship To - Address 1,Ship To - City,Ship To - State,Ship To - Postal Code,Ship To - Country,Carrier - Service Requested,Market - Store Name,Notes - From Buyer,Notes - Internal,My Field";
  const body = await importFile(
    `${header}\nSS-1,Awaiting Shipment,3/2/2026 1:05:09 PM,3/4/2026,MUG,Mug,4,9.50,38.00,Ann,1 High St,Albany,NY,12207,US,Ground,My Store,Please hurry,Fragile,x\n`,
  );
  expect(body).toMatchObject({ detectedPreset: "shipstation", columns: expect.anything() });
  expect(body.warnings).toMatchObject([
    { code: "unknown_column", column: "My Field" },
    { code: "assumed_currency", column: "Item - Price" },
  ]);
  expect(await read("SS-1")).toMatchObject({
    status: "new",
    orderedAt: "2026-03-02T13:05:09.000Z",
    shipBy: "2026-03-04T00:00:00.000Z",
    channel: "My Store",
    notes: [{ text: "Please hurry" }, { text: "Fragile" }],
    lines: [{ sku: "MUG", quantity: 4, price: 9.5 }],
  });
});

test("Etsy: two-digit years, no SKUs, dollar signs", async () => {
  const header =
    "Sale Date,Item Name,Buyer,Quantity,Price,Coupon Code,Coupon Details,Discount Amount,Shipping Discount,Order Shipping,Order Sales Tax,Item Total,Currency,Transaction ID,Listing ID,Date Paid,Date Shipped,Ship Name,Ship Address1,Ship Address2,Ship City,Ship State,Ship Zipcode,Ship Country,Order ID,Variations,Order Type,Listings Type,Payment Type,InPerson Discount,InPerson Location,VAT Paid by Buyer,SKU";
  const body = await importFile(
    [
      header,
      "08/04/25,Sunset Fox | Card,jane42,2,$5.00,,,,,$4.50,$0.62,$10.00,USD,4001,9001,08/04/25,,Jane Doe,1 Main St,,Austin,TX,78701,United States,3001,Style: Matte,online,listing,online_cc,,,,",
      "08/04/25,Sticker,jane42,1,$3.00,,,,,$0.00,$0.00,$3.00,USD,4002,9002,08/04/25,,Jane Doe,1 Main St,,Austin,TX,78701,United States,3001,,online,listing,online_cc,,,,FOX-ST",
      "08/05/25,Sticker,eve,1,$3.00,,,,,$0.00,$0.00,$3.00,USD,4003,9002,08/05/25,08/06/25,Eve,1 Main St,,Toronto,ON,M5V 2T6,Canada,3002,,online,listing,online_cc,,,,FOX-ST",
    ].join("\n"),
  );
  expect(body).toMatchObject({ detectedPreset: "etsy", summary: { orders: 2, created: 2 } });
  expect(body.warnings.map(({ code }: Warned) => code)).toEqual(["sku_from_name"]);
  expect(await read("3001")).toMatchObject({
    orderedAt: "2025-08-04T00:00:00.000Z",
    paymentStatus: "paid",
    status: "new",
    shippingAddress: { country: "United States", countryCode: "US", provinceCode: "TX" },
    lines: [
      { id: "4001", sku: "Sunset Fox | Card / Matte", quantity: 2, price: 5 },
      { id: "4002", sku: "FOX-ST" },
    ],
  });
  expect(await read("3002")).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 1 }] });
});

test("eBay: rows without data, month names, a row for the whole order", async () => {
  const header =
    "Sales Record Number,Order Number,Buyer Username,Buyer Name,Buyer Email,Buyer Note,Buyer Address 1,Buyer Address 2,Buyer City,Buyer State,Buyer Zip,Buyer Country,Ship To Name,Ship To Phone,Ship To Address 1,Ship To Address 2,Ship To City,Ship To State,Ship To Zip,Ship To Country,Item Number,Item Title,Custom Label,Sold Via Promoted Listings,Quantity,Sold For,Shipping And Handling,Total Price,Payment Method,Sale Date,Paid On Date,Ship By Date,Shipped On Date,Shipping Service,Tracking Number,Transaction ID,Variation Details";
  const about = 'joe,"Doe, Joe",j@example.com,,,,,,,,"Doe, Joe",5551234,1 Oak St,,Reno,NV,89501,United States';
  const body = await importFile(
    [
      "",
      header,
      `101,12-34567-89012,${about},,,,,,,$12.00,$69.98,,Jul-21-26,Jul-21-26,,,USPS Ground Advantage,,,`,
      `101,12-34567-89012,${about},335001,"Lamp, brass",LAMP-1,No,1,$45.99,$12.00,$57.99,Card,Jul-21-26,Jul-21-26,Jul-23-26,,USPS Ground Advantage,,2857301,`,
      `101,12-34567-89012,${about},335002,Shade,SHADE-1,No,2,$6.00,,$12.00,Card,Jul-21-26,Jul-21-26,Jul-23-26,,USPS Ground Advantage,,2857302,`,
      "",
      "3 record(s) downloaded,,,",
      "Seller ID : caledonian",
    ].join("\n"),
  );
  expect(body).toMatchObject({ detectedPreset: "ebay", summary: { rows: 3, orders: 1, created: 1 } });
  expect(await read("12-34567-89012")).toMatchObject({
    orderedAt: "2026-07-21T00:00:00.000Z",
    shipBy: "2026-07-23T00:00:00.000Z",
    customer: { name: "Doe, Joe" },
    shippingAddress: { name: "Doe, Joe", city: "Reno", countryCode: "US" },
    lines: [
      { id: "2857301", sku: "LAMP-1", quantity: 1, price: 45.99 },
      { id: "2857302", quantity: 2, price: 6 },
    ],
  });
});

test.each([
  [
    "Advanced Order Export",
    "Order Number,Order Status,Order Date,Customer Note,First Name (Billing),Last Name (Billing),Email (Billing),Phone (Billing),First Name (Shipping),Last Name (Shipping),Address 1&2 (Shipping),City (Shipping),State Code (Shipping),Postcode (Shipping),Country Code (Shipping),Payment Method Title,Order Total Amount,SKU,Item #,Item Name,Quantity,Item Cost\nW-1,Processing,2026-03-02 14:05,,Ann,Lee,a@example.com,555,Ann,Lee,1 High St,Albany,NY,12207,US,Card,19.00,MUG,1,Mug,2,9.50\n",
  ],
  [
    "Customer/Order/Coupon Export",
    "order_id,order_number,order_date,status,order_total,order_currency,billing_first_name,billing_last_name,billing_email,billing_phone,shipping_first_name,shipping_last_name,shipping_address_1,shipping_city,shipping_state,shipping_postcode,shipping_country,item_name,item_sku,item_quantity,item_total\n77,W-1,2026-03-02 14:05:00,processing,19.00,USD,Ann,Lee,a@example.com,555,Ann,Lee,1 High St,Albany,NY,12207,US,Mug,MUG,2,19.00\n",
  ],
])("WooCommerce, %s: names in two parts, words for states", async (_, csv) => {
  org = await hub.org();
  expect(await importFile(csv)).toMatchObject({ detectedPreset: "woocommerce", summary: { created: 1 } });
  expect(await read("W-1")).toMatchObject({
    status: "new",
    orderedAt: "2026-03-02T14:05:00.000Z",
    customer: { email: "a@example.com" },
    shippingAddress: { name: "Ann Lee", address1: "1 High St", provinceCode: "NY", countryCode: "US", zip: "12207" },
    lines: [{ sku: "MUG", quantity: 2, price: 9.5 }],
  });
});

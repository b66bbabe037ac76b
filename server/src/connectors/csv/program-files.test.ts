import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSheet } from "../../core/csv/sheet.ts";
import { readRecords } from "../../core/csv/sheet-records.ts";
import { filesOfPrograms } from "../../testing/order-files/all-files.ts";
import { writeFile } from "../../testing/order-files/file-of-program.ts";
import { orderPresets } from "./order-presets.ts";
import { orderSheet } from "./order-sheet.ts";

/** Further headers that the programs write: other versions, countries and reports. */
const headers: [preset: string, header: string][] = [
  [
    "shopify",
    "Name,Phone,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Accepts Marketing,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem compare-at price,Lineitem SKU,Lineitem requires shipping,Lineitem taxable,Lineitem fulfillment status,Canceled at,Payment Method,Payment Reference (deprecated),Payment References,Refunded Amount,Payment terms,Next payment due at",
  ],
  [
    "woocommerce",
    "order_id,order_number,order_number_formatted,date,status,shipping_total,shipping_tax_total,fee_total,fee_tax_total,tax_total,discount_total,order_total,refunded_total,order_currency,payment_method,shipping_method,customer_id,billing_first_name,billing_last_name,billing_company,billing_email,billing_phone,billing_address_1,billing_address_2,billing_postcode,billing_city,billing_state,billing_country,shipping_first_name,shipping_last_name,shipping_company,shipping_address_1,shipping_address_2,shipping_postcode,shipping_city,shipping_state,shipping_country,customer_note,item_id,item_product_id,item_name,item_sku,item_quantity,item_subtotal,item_subtotal_tax,item_total,item_total_tax,item_refunded,item_refunded_qty,item_meta,item_price,line_items,shipping_items,fee_items,tax_items,coupon_items,refunds,order_notes,download_permissions_granted",
  ],
  [
    "amazon",
    "order-id\torder-item-id\tpurchase-date\tpayments-date\treporting-date\tpromise-date\tdays-past-promise\tbuyer-email\tbuyer-name\tbuyer-phone-number\tsku\tproduct-name\tquantity-purchased\tquantity-shipped\tquantity-to-ship\tship-service-level\trecipient-name\tship-address-1\tship-address-2\tship-address-3\tship-city\tship-state\tship-postal-code\tship-country\tis-business-order\tpurchase-order-number\tprice-designation\tis-iba\tshipment-status\tis-sold-by-ab",
  ],
  [
    "ebay",
    "Sales record number,Order number,Buyer username,Buyer name,Buyer email,Buyer note,Buyer address 1,Buyer address 2,Buyer city,Buyer county,Buyer postcode,Buyer country,Post to name,Post to phone,Post to address 1,Post to address 2,Post to city,Post to county,Post to postcode,Post to country,Item number,Item title,Custom label,Sold via Promoted listings,Quantity,Sold for,Postage and packaging,Total price,Payment method,Sale date,Paid on date,Dispatch by date,Dispatched on date,Delivery service,Tracking number,Transaction ID,Variation details",
  ],
];

const presetNamed = (name: string) => orderPresets.find((preset) => preset.name === name)!;
/** What is sent as JSON: members that are undefined are left out. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(filesOfPrograms)("$preset", (file) => {
  test("ten orders are read field by field as the file says", async () => {
    const sheet = await openSheet(writeFile(file), orderSheet, {});
    const records = await Array.fromAsync(readRecords(sheet));
    expect(sheet.preset?.name).toBe(file.preset);
    expect(records.flatMap(({ errors }) => errors)).toEqual([]);
    expect(file.orders).toHaveLength(10);
    expect(records.map(({ request }) => sent(request))).toEqual(file.orders.map(({ order }) => sent(order)));
  });

  test("every column of its files has a field or is listed as not read", async () => {
    const own = headers.filter(([preset]) => preset === file.preset).map(([, header]) => header);
    for (const header of [file.header.join(file.delimiter), ...own]) {
      const sheet = await openSheet(`${header}\n`, orderSheet, {});
      expect(sheet.preset?.name).toBe(file.preset);
      const codes = sheet.warnings.filter(({ code }) => code === "unknown_column" || code === "duplicate_field");
      expect(codes).toEqual([]);
      const listed = Object.keys(sheet.preset!.columns).map((name) => name.toLowerCase());
      const prefixes = Object.keys(sheet.preset!.prefixes ?? {});
      const unlisted = sheet.columns.filter(
        ({ column }) => !listed.includes(column.toLowerCase()) && !prefixes.some((prefix) => column.startsWith(prefix)),
      );
      expect(unlisted).toEqual([]);
    }
  });

  test("the documentation lists the columns that are not read", async () => {
    const guide = await readFile(path.join(import.meta.dirname, "../../../../docs/imports.md"), "utf8");
    const { columns } = presetNamed(file.preset);
    const notRead = Object.keys(columns).filter((name) => columns[name] === null);
    const row = guide.split("\n").find((line) => line.startsWith(`| \`${file.preset}\``)) ?? "";
    const shown = [
      ...row
        .split("|")
        .at(-2)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, name]) => name!);
    expect(shown.toSorted()).toEqual(notRead.toSorted());
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { customFieldName as namePattern } from "../features/orders/orders.schemas.ts";
import { withoutCardNumbers } from "./card-numbers.ts";
import { customFieldName, fieldsOfAttributes } from "./shop-attributes.ts";
import { statusesOf } from "./woocommerce/woocommerce-statuses.ts";

const fieldsOf = (pairs: [name: string, value: string][]) =>
  fieldsOfAttributes(pairs.map(([name, value]) => ({ name, value })));

test.each([
  ["Cost Centre", "cost_centre"],
  ["  Größe (cm) ", "grosse_cm"],
  ["2nd name", "attribute_2nd_name"],
  ["Delivery-Date", "delivery_date"],
])("the attribute %j becomes the custom field %s", (name, field) => {
  expect(customFieldName(name)).toBe(field);
});

test("any attributes become valid custom fields, the same each time", () => {
  const attributes = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })), { maxLength: 300 });
  fc.assert(
    fc.property(attributes, (pairs) => {
      const { customFields = {} } = fieldsOf(pairs);
      const names = Object.keys(customFields);
      expect(names.filter((name) => !new RegExp(namePattern).test(name))).toEqual([]);
      expect(names.length).toBeLessThanOrEqual(100);
      expect(fieldsOf(pairs).customFields ?? {}).toEqual(customFields);
    }),
    { numRuns: 100 },
  );
});

test("attributes with the same name are numbered, and a name in another script is kept in the value", () => {
  expect(
    fieldsOf([
      ["Colour", "red"],
      ["colour", "blue"],
    ]).customFields,
  ).toEqual({ colour: "red", colour_2: "blue" });
  const [[name, value]] = Object.entries(fieldsOf([["のし", "御祝"]]).customFields!) as [[string, string]];
  expect(name).toMatch(/^attribute_[0-9a-f]{12}$/);
  expect(value).toBe("のし: 御祝");
});

test("a long value is cut as a custom field and kept whole as a note", () => {
  const { customFields, notes } = fieldsOf([["Instructions", "x".repeat(1500)]]);
  expect(customFields!.instructions).toHaveLength(1000);
  expect(notes).toEqual([{ text: `Instructions: ${"x".repeat(1500)}` }]);
});

test.each([
  ["2026-03-20", "2026-03-20"],
  ["2026/03/20", "2026-03-20"],
  ["20260320", "2026-03-20"],
  ["2026-02-30", undefined],
  ["03/02/2026", undefined],
  ["next Friday", undefined],
])("the delivery date %j is read as %s", (value, day) => {
  const { requestedDeliveryDate, customFields } = fieldsOf([["Delivery date", value]]);
  expect(requestedDeliveryDate).toBe(day);
  // What is no date stays as it was written.
  expect(customFields).toEqual(day === undefined ? { delivery_date: value } : undefined);
});

test("card numbers are hidden in texts of extensions, and nothing else is", () => {
  const record = {
    id: "4111111111111111",
    transaction_id: "4111-1111-1111-1111",
    billing: { phone: "4111111111111111" },
    meta_data: [{ key: "card", value: "Visa 4111 1111 1111 1111, exp 12/29" }],
    other: [{ value: "4915112345678" }, { value: "4111111111111112" }, { value: ["5500005555555559"] }],
  };
  expect(withoutCardNumbers(record)).toEqual({
    ...record,
    transaction_id: "**** 1111",
    meta_data: [{ key: "card", value: "Visa **** 1111, exp 12/29" }],
    other: [{ value: "4915112345678" }, { value: "4111111111111112" }, { value: ["**** 5559"] }],
  });
});

test.each([
  [{ status: "picked" }, { picked: "ready" }, "ready", "pending"],
  [{ status: "wc-picked", date_paid_gmt: "2026-03-01" }, { "wc-picked": "ready" }, "ready", "paid"],
  [{ status: "picked" }, {}, "review_required", "pending"],
  [{ status: "on-hold" }, { "on-hold": "review_required" }, "review_required", "pending"],
  [{ status: "processing", date_paid_gmt: null }, { processing: "ready" }, "ready", "pending"],
  [{ status: "completed", date_paid_gmt: null }, { completed: "delivered" }, "delivered", "paid"],
  [{ status: "lost" }, { lost: "cancelled" }, "cancelled", "voided"],
  [{ status: "trash" }, { trash: "ready" }, "cancelled", "voided"],
])("WooCommerce: %j with the statuses %j is %s and %s", (order, statuses, status, payment) => {
  expect(statusesOf(order, { statuses })).toEqual({ status, payment });
});

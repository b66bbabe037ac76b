import fc from "fast-check";
import { expect, test } from "vitest";
import { openOrderFeed } from "../../../testing/order-feed.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { settleBody } from "./inbound-body.ts";

const hub = await startTestHub();

const mappings = [
  { source: "code", target: "number" },
  { source: "state", target: "status" },
  { source: "customFields.poNumber", target: "customFields.po_number" },
  { source: "customer.phone", target: "customer.phone", transforms: ["empty_to_null"] },
  { source: "total", target: "total" },
  { source: "tags", target: "tags" },
  { source: "shipBy", target: "shipBy" },
  { source: "address.fullName", target: "shippingAddress.name" },
  { source: "address.company", target: "shippingAddress.company" },
  { source: "address.streetLine2", target: "shippingAddress.address2" },
  { source: "address.city", target: "shippingAddress.city" },
  { source: "billingAddress", target: "billingAddress" },
  {
    each: "lines",
    target: "lines",
    mappings: [
      { source: "sku", target: "sku" },
      { source: "name", target: "name" },
      { source: "quantity", target: "quantity" },
      { source: "price", target: "price" },
      { source: "weight", target: "weight" },
    ],
  },
];

const line = { sku: "MUG", name: null, quantity: 2, price: null, weight: null };
const bare = {
  id: "1",
  code: "V-1",
  state: null,
  customFields: { poNumber: null },
  customer: { phone: "" },
  total: null,
  tags: ["web", null],
  shipBy: null,
  address: { fullName: "Ada Byron", company: null, streetLine2: null, city: "Albany" },
  billingAddress: null,
  lines: [line],
};

test("null in an inbound order means not given, in every field", async () => {
  const org = await hub.org();
  const records: object[] = [bare];
  const feed = await openOrderFeed(org, records);
  await feed.map(mappings);
  expect(await feed.pull()).toMatchObject({ status: "succeeded", result: { created: 1, failed: 0 } });
  const order = (await org.get("/orders/V-1")).body;
  expect(order).toMatchObject({ status: "new", total: null, tags: ["web"], billingAddress: null, customFields: {} });
  expect(order.shippingAddress).toEqual({ name: "Ada Byron", city: "Albany" });
  expect(order.customer).toEqual({});
  expect(order.lines[0]).toMatchObject({ sku: "MUG", quantity: 2 });
  expect(order.lines[0]).not.toHaveProperty("name");
  // What the shop says nothing about later is not taken back.
  records[0] = { ...bare, total: 40 };
  await feed.pull();
  records[0] = bare;
  await feed.pull();
  expect((await org.get("/orders/V-1")).body.total).toBe(40);
});

test("a record corrected by hand may have nulls, too", async () => {
  const org = await hub.org();
  const feed = await openOrderFeed(org, [{ id: "1", number: "N-1", currency: "Taler" }]);
  await feed.pull();
  const [{ id }] = (await org.get("/exceptions")).body.data;
  const raw = {
    number: "N-1",
    currency: null,
    customFields: { po: null },
    lines: [{ sku: "A", quantity: 1, name: null }],
  };
  const fixed = await org.post(`/exceptions/${id}/resolve`, { action: "edit_and_retry", record: { raw } });
  expect(fixed.body).toMatchObject({ status: "resolved" });
  expect((await org.get("/orders/N-1")).body).toMatchObject({ currency: "USD", customFields: {} });
});

test("a cell of JSON in a file may have nulls, too", async () => {
  const org = await hub.org();
  const csv = 'number,sku,custom fields\nJ-1,A,"{""po"":null,""colour"":""red""}"\n';
  expect((await org.post("/orders/import", { csv })).body).toMatchObject({ errors: [], summary: { created: 1 } });
  expect((await org.get("/orders/J-1")).body.customFields).toEqual({ colour: "red" });
});

test("a line with quantity 0 is ignored; a cancelled order with zeros is cancelled and keeps its lines", async () => {
  const org = await hub.org();
  const records: object[] = [{ ...bare, lines: [line, { ...line, sku: "GONE", quantity: 0 }] }];
  const feed = await openOrderFeed(org, records);
  await feed.map(mappings);
  expect((await feed.pull()).result).toMatchObject({ created: 1, failed: 0 });
  expect((await org.get("/orders/V-1")).body.lines).toMatchObject([{ sku: "MUG", quantity: 2 }]);
  records[0] = { ...bare, state: "cancelled", lines: [{ ...line, quantity: 0 }] };
  records[1] = { ...bare, id: "2", code: "V-2", state: "cancelled", lines: [{ ...line, quantity: 0 }] };
  expect((await feed.pull()).result).toMatchObject({ created: 1, updated: 1, failed: 0 });
  expect((await org.get("/orders/V-1")).body).toMatchObject({
    status: "cancelled",
    lines: [{ sku: "MUG", quantity: 2 }],
  });
  expect((await org.get("/orders/V-2")).body).toMatchObject({ status: "cancelled", lines: [] });
});

test("a line with a negative price is a discount, one with a negative quantity takes units back", async () => {
  const org = await hub.org();
  const mug = { sku: "MUG", quantity: 3, price: 10 };
  const off = { sku: "OFF", name: "10 % off", quantity: 1, price: -3 };
  const of = (number: string, more: object) => ({ id: number, number, lines: [mug, off], ...more });
  const feed = await openOrderFeed(org, [
    of("D-1", {}),
    // The subtotal is after the discount, or the discount is counted already.
    of("D-2", { total: 32, amounts: { subtotal: 27, shipping: 5 } }),
    of("D-3", { total: 27, amounts: { subtotal: 30, discount: 3 } }),
    of("D-4", { total: 25, amounts: { subtotal: 30, discount: 2, discounts: [{ code: "TWO", amount: 2 }] } }),
    of("D-5", { lines: [mug, { ...mug, quantity: -1 }, { ...off, quantity: null }] }),
    of("D-6", { lines: [mug, { sku: "CUP", quantity: -1, price: 4 }] }),
  ]);
  await feed.map(["number", "lines", "total", "amounts"].map((name) => ({ source: name, target: name })));
  expect(await feed.pull()).toMatchObject({ status: "completed_with_errors", result: { created: 5, failed: 1 } });
  const read = async (number: string) => (await org.get(`/orders/${number}`)).body;
  const found = { title: "10 % off", amount: 3 };
  const discounts = [found];
  expect(await read("D-1")).toMatchObject({ total: 27, amounts: { discount: 3, discounts }, lines: [mug] });
  const [net, counted, added] = await Promise.all(["D-2", "D-3", "D-4"].map(read));
  expect(net).toMatchObject({ total: 32, amounts: { subtotal: 30, discount: 3, shipping: 5, discounts } });
  expect(counted).toMatchObject({ total: 27, amounts: { subtotal: 30, discount: 3, discounts } });
  expect(added.amounts).toMatchObject({ subtotal: 30, discount: 5, discounts: [{ code: "TWO", amount: 2 }, found] });
  expect(await read("D-5")).toMatchObject({ total: 17, lines: [{ quantity: 2, refundedQuantity: 1 }] });
  expect((await org.get("/orders/D-6")).status).toBe(404);
});

test("an order without lines is an exception, and the stored order stays as it is", async () => {
  const org = await hub.org();
  const records: object[] = [bare, { ...bare, id: "2", code: "V-2", lines: [] }];
  const feed = await openOrderFeed(org, records);
  await feed.map(mappings);
  expect(await feed.pull()).toMatchObject({ status: "completed_with_errors", result: { created: 1, failed: 1 } });
  expect((await org.get("/orders/V-2")).status).toBe(404);
  const [exception] = (await org.get("/exceptions")).body.data;
  expect(exception).toMatchObject({ kind: "rejected_record", subject: { name: "2" } });
  expect(exception.reason).toContain("no lines");
  records[0] = { ...bare, lines: [{ ...line, quantity: 0 }] };
  expect((await feed.pull()).result).toMatchObject({ failed: 2 });
  expect((await org.get("/orders/V-1")).body.lines).toHaveLength(1);
});

test("in any body all nulls except that of hold are removed, and nothing else is changed", () => {
  const isFree = (value: unknown): boolean =>
    value !== null && (typeof value !== "object" || Object.values(value).every(isFree));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (given) => {
      const { hold, lines: _lines, ...rest } = settleBody({ ...given, lines: undefined });
      expect(Object.values(rest).every(isFree)).toBe(true);
      expect(hold === null).toBe(given.hold === null);
      expect(settleBody(rest)).toEqual(rest);
    }),
  );
});

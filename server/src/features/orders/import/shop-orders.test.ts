import { expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import type { ShopOrder } from "../../../testing/stand-in-data.ts";
import { startStandInShop } from "../../../testing/stand-in-shop.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

/** Orders as WooCommerce and Shopify answer them, beyond the plain ones. */
const hub = await startTestHub();

async function aShop(kind: "shopify" | "woocommerce") {
  const shop = await startStandInShop({ orders: 0 });
  afterFile(() => shop.close());
  const org = await hub.org();
  const parts = {
    shopify: { settings: { shop: "a", baseUrl: shop.url }, credentials: { accessToken: shop.token } },
    woocommerce: { settings: { url: shop.url }, credentials: { consumerKey: "ck_test", consumerSecret: shop.token } },
  }[kind];
  const bridgeId: string = (await org.post("/bridges", { name: "Shop", connector: kind, ...parts })).body.id;
  const pull = async () =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import", input: {} })).body;
  const item = (sku: string, quantity: number, more: Partial<ShopOrder["lines"][number]> = {}) => ({
    id: shop.data.newId(),
    sku,
    title: sku,
    quantity,
    price: "10.00",
    ...more,
  });
  let count = 0;
  const add = (lines: ShopOrder["lines"], values: Partial<ShopOrder> = {}) =>
    shop.data.addOrder({ number: `S-${++count}`, isPaid: true, lines, ...values });
  const read = async ({ number }: ShopOrder) => (await org.get(`/orders/${number}`)).body;
  const change = async (order: ShopOrder, values: Partial<ShopOrder>) => {
    Object.assign(order, values);
    shop.data.touch([order]);
    return await pull();
  };
  return { shop, org, pull, item, add, read, change };
}

const quantities = ({ lines }: { lines: { sku: string; quantity: number }[] }) =>
  lines.map(({ sku, quantity }) => [sku, quantity]);

test("WooCommerce: refunded items are neither shipped nor in the total", async () => {
  const { pull, item, add, read, change } = await aShop("woocommerce");
  const lines = [item("MUG", 2), item("LAMP", 1)];
  const [mug, lamp] = lines.map(({ id }) => id) as [number, number];
  const some = add(lines, {
    refunds: [{ id: 1, at: "2026-02-02T10:00:00Z", amount: "10.00", lines: [{ lineId: mug, quantity: 1 }] }],
  });
  const money = add([item("MUG", 2)], { refunds: [{ id: 2, at: "2026-02-02T10:00:00Z", amount: "5.00", lines: [] }] });
  expect((await pull()).result).toMatchObject({ created: 2, failed: 0 });
  expect(await read(some)).toMatchObject({ status: "new", paymentStatus: "partially_refunded", total: 20 });
  expect(quantities(await read(some))).toEqual([
    ["MUG", 1],
    ["LAMP", 1],
  ]);
  expect(await read(money)).toMatchObject({ paymentStatus: "partially_refunded", total: 15, lines: [{ quantity: 2 }] });
  const rest = {
    id: 3,
    at: "2026-02-03T10:00:00Z",
    amount: "20.00",
    lines: [mug, lamp].map((lineId) => ({ lineId, quantity: 1 })),
  };
  await change(some, { refunds: [...some.refunds!, rest] });
  expect(await read(some)).toMatchObject({ status: "cancelled", paymentStatus: "refunded", total: 0 });
});

test("WooCommerce: items refunded after completion count as shipped", async () => {
  const { pull, item, add, read } = await aShop("woocommerce");
  const line = item("MUG", 2);
  const order = add([line], {
    isCompleted: true,
    refunds: [{ id: 1, at: "2026-02-09T10:00:00Z", amount: "10.00", lines: [{ lineId: line.id, quantity: 1 }] }],
    more: { date_completed_gmt: "2026-02-05T10:00:00" },
  });
  await pull();
  expect(await read(order)).toMatchObject({ status: "shipped", paymentStatus: "partially_refunded", total: 10 });
  expect(quantities(await read(order))).toEqual([["MUG", 2]]);
});

test("WooCommerce: an order with a fractional quantity is rejected and can be corrected; an order without lines is reported", async () => {
  const { org, pull, item, add, read } = await aShop("woocommerce");
  const fabric = add([item("MUG", 1), item("FABRIC", 0.5)]);
  const fees = add([]);
  const fine = add([item("MUG", 1)]);
  expect(await pull()).toMatchObject({ status: "completed_with_errors", result: { created: 1, failed: 2 } });
  expect((await read(fine)).status).toBe("new");
  const { data } = (await org.get("/exceptions")).body;
  const about = (order: ShopOrder) =>
    data.find((one: { subject: { name: string } }) => one.subject.name === String(order.id));
  expect(about(fees).reason).toContain("no lines");
  const detail = (await org.get(`/exceptions/${about(fabric).id}`)).body;
  expect(detail.details.errors[0]).toMatchObject({ pointer: "/lines/1/quantity" });
});

test("WooCommerce: orders with statuses of extensions need review; cash on delivery is not paid", async () => {
  const { org, pull, item, add, read, change } = await aShop("woocommerce");
  const unpaid = { date_paid: null, date_paid_gmt: null };
  const odd = add([item("MUG", 1)], { status: "wc-partially-shipped" });
  const backorder = add([item("MUG", 1)], { status: "backordered", isPaid: false });
  const cod = add([item("MUG", 1)], { status: "processing", more: { payment_method: "cod", ...unpaid } });
  const known = add([item("MUG", 1)], { status: "wc-processing" });
  const waiting = add([item("MUG", 1)], { status: "pending", isPaid: false });
  const done = await pull();
  expect(done.result).toMatchObject({ created: 5 });
  expect(await read(odd)).toMatchObject({ status: "review_required", paymentStatus: "paid" });
  expect(await read(backorder)).toMatchObject({ status: "review_required", paymentStatus: "pending" });
  expect(await read(cod)).toMatchObject({ status: "new", paymentStatus: "pending" });
  expect(await read(known)).toMatchObject({ status: "new", paymentStatus: "paid" });
  const execution = (await org.get(`/tasks/executions/${done.id}`)).body;
  expect(JSON.stringify(execution)).toContain("wc-partially-shipped, backordered");
  // A status that is not known makes no order that waited ready to work.
  await change(waiting, { status: "awaiting-shipment" });
  expect((await read(waiting)).status).toBe("review_required");
});

test("WooCommerce: a product keeps its SKU, names are plain text, engravings are kept, bundles are not doubled", async () => {
  const { pull, item, add, read } = await aShop("woocommerce");
  const single = () =>
    item("", 1, { title: "Woo Single &#8211; A &amp; B", more: { product_id: 93, variation_id: 0 } });
  const engraved = item("RING", 1, {
    properties: [
      { key: "Engraving", value: "<p>To Ann</p>" },
      { key: "_hidden", value: "x" },
    ],
  });
  const part = item("PART", 1);
  const bundle = item("BUNDLE", 1, { more: { bundled_items: [part.id] } });
  const [one, two] = [add([single(), engraved]), add([single()])];
  const third = add([bundle, part], {
    more: { shipping_lines: [{ method_id: "local_pickup", method_title: "Local pickup" }] },
  });
  await pull();
  const [first, second] = [await read(one), await read(two)];
  expect(first.lines).toMatchObject([
    { sku: "product-93", name: "Woo Single – A & B" },
    { name: "RING (Engraving: To Ann)" },
  ]);
  expect(second.lines[0].sku).toBe("product-93");
  expect(quantities(await read(third))).toEqual([["PART", 1]]);
  expect((await read(third)).tags).toEqual(["pickup"]);
});

test("Shopify: options and notes of the buyer, the total after refunds, and items without shipping", async () => {
  const { pull, item, add, read } = await aShop("shopify");
  const shirt = item("", 1, {
    title: "T-Shirt",
    variant: "Blue / L",
    properties: [
      { key: "Engraving", value: "To Ann" },
      { key: "_app", value: "1" },
    ],
  });
  const order = add([shirt, item("CARD", 2, { title: "Gift card", variant: "Default Title", isDigital: true })], {
    more: {
      poNumber: "PO-7",
      customAttributes: [{ key: "Delivery date", value: "2026-03-01" }],
      displayFinancialStatus: "PARTIALLY_REFUNDED",
      currentTotalPriceSet: { shopMoney: { amount: "12.50" } },
    },
  });
  const ebook = add([item("EBOOK", 1, { isDigital: true })]);
  await pull();
  const made = await read(order);
  expect(made).toMatchObject({
    total: 12.5,
    paymentStatus: "partially_refunded",
    customFields: { po_number: "PO-7", not_shipped: "2 x Gift card" },
    lines: [{ sku: "T-Shirt - Blue / L", name: "T-Shirt - Blue / L (Engraving: To Ann)" }],
  });
  expect(made.lines).toHaveLength(1);
  expect(made.notes.map(({ text }: { text: string }) => text)).toEqual(["Delivery date: 2026-03-01"]);
  expect(await read(ebook)).toMatchObject({ status: "review_required", lines: [{ sku: "EBOOK" }] });
});

test("Shopify: a refunded or voided order needs review; an order without remaining items is cancelled", async () => {
  const { pull, item, add, read, change } = await aShop("shopify");
  const refunded = add([item("MUG", 1)], { isRefunded: true });
  const voided = add([item("MUG", 1)], { more: { displayFinancialStatus: "VOIDED" } });
  const emptied = add([item("MUG", 2, { removed: 2 })], { isRefunded: true });
  const waiting = add([item("MUG", 1)], { isPaid: false });
  await pull();
  expect(await read(refunded)).toMatchObject({ status: "review_required", paymentStatus: "refunded" });
  expect(await read(voided)).toMatchObject({ status: "review_required", paymentStatus: "voided" });
  expect(await read(emptied)).toMatchObject({ status: "cancelled", lines: [{ quantity: 2 }] });
  await change(waiting, { more: { displayFinancialStatus: "VOIDED" } });
  expect((await read(waiting)).status).toBe("review_required");
});

test("lines with a SKU made from their id keep it, so that a sent order has no conflict", async () => {
  const { shop, org, pull, item, add, read, change } = await aShop("woocommerce");
  const line = item("", 1, { title: "Single", more: { product_id: 93 } });
  const order = add([line]);
  await pull();
  const { id } = await read(order);
  // As an import of before has left it.
  const lines = [{ id: String(line.id), sku: `line-${line.id}`, name: "Single", quantity: 1, price: 10 }];
  await org.patch(`/orders/${id}`, { lines, status: "ready" });
  await change(order, { email: "new@mail.example" });
  expect((await read(order)).lines).toMatchObject([{ sku: `line-${line.id}`, quantity: 1 }]);
  expect((await read(order)).onHold).toBe(false);
  expect(shop.data.orders).toHaveLength(1);
});

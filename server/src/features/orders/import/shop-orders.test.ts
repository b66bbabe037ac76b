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
  return { shop, org, bridgeId, pull, item, add, read, change };
}

const quantities = ({ lines }: { lines: { sku: string; quantity: number }[] }) =>
  lines.map(({ sku, quantity }) => [sku, quantity]);

test("WooCommerce: refunded items are not shipped, and the total stays that of the shop", async () => {
  const { pull, item, add, read, change } = await aShop("woocommerce");
  const lines = [item("MUG", 2), item("LAMP", 1)];
  const [mug, lamp] = lines.map(({ id }) => id) as [number, number];
  const some = add(lines, {
    refunds: [{ id: 1, at: "2026-02-02T10:00:00Z", amount: "10.00", lines: [{ lineId: mug, quantity: 1 }] }],
  });
  const money = add([item("MUG", 2)], { refunds: [{ id: 2, at: "2026-02-02T10:00:00Z", amount: "5.00", lines: [] }] });
  expect((await pull()).result).toMatchObject({ created: 2, failed: 0 });
  expect(await read(some)).toMatchObject({
    status: "new",
    paymentStatus: "partially_refunded",
    total: 30,
    amounts: { refunded: 10 },
  });
  expect(quantities(await read(some))).toEqual([
    ["MUG", 1],
    ["LAMP", 1],
  ]);
  expect(await read(money)).toMatchObject({ paymentStatus: "partially_refunded", total: 20, lines: [{ quantity: 2 }] });
  const rest = {
    id: 3,
    at: "2026-02-03T10:00:00Z",
    amount: "20.00",
    lines: [mug, lamp].map((lineId) => ({ lineId, quantity: 1 })),
  };
  await change(some, { refunds: [...some.refunds!, rest] });
  expect(await read(some)).toMatchObject({ status: "cancelled", paymentStatus: "refunded", amounts: { refunded: 30 } });
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
  expect(await read(order)).toMatchObject({ status: "shipped", paymentStatus: "partially_refunded", total: 20 });
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
    { name: "RING", properties: [{ name: "Engraving", value: "To Ann" }] },
  ]);
  expect(second.lines[0].sku).toBe("product-93");
  const { lines, tags } = await read(third);
  expect(lines).toMatchObject([
    { sku: "BUNDLE", requiresShipping: false },
    { sku: "PART", parentLineId: String(bundle.id) },
  ]);
  expect(tags).toEqual(["pickup"]);
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
    poNumber: "PO-7",
    requestedDeliveryDate: "2026-03-01",
    lines: [
      {
        sku: "T-Shirt - Blue / L",
        name: "T-Shirt - Blue / L",
        options: [{ name: "Variant", value: "Blue / L" }],
        properties: [{ name: "Engraving", value: "To Ann" }],
      },
      { sku: "CARD", requiresShipping: false },
    ],
  });
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

test("Shopify: an order with a pickup and a parcel, and its location", async () => {
  const { org, shop, bridgeId, pull, item, add, read, change } = await aShop("shopify");
  await org.post("/tasks/execute-sync", { bridgeId, taskName: "locations.pull", input: {} });
  const { data } = (await org.get("/locations")).body as { data: { id: string; external_id: string }[] };
  const main = data.find(({ external_id: id }) => id === "1")!.id;
  const mug = item("MUG", 1);
  const lamp = item("LAMP", 1);
  const order = add([mug, lamp], {
    more: {
      fulfillmentOrders: {
        pageInfo: { hasNextPage: false },
        nodes: [deliveryOf("PICK_UP", 1, mug.id), deliveryOf("SHIPPING", 1, lamp.id)],
      },
    },
  });
  const elsewhere = add([item("MUG", 1)], { locations: 2 });
  const routed = add([item("MUG", 1)], { locations: 1 });
  expect((await pull()).result).toMatchObject({ created: 3 });
  // Only the order whose lines are delivered in different ways needs another request.
  expect(shop.requests.filter((name) => name === "POST HubOrderDeliveries")).toHaveLength(1);
  const made = await read(order);
  expect(made).toMatchObject({ status: "new", tags: ["pickup", "web"], locationId: main });
  expect(made.lines).toMatchObject([{ sku: "MUG", requiresShipping: false }, { sku: "LAMP" }]);
  expect(made.lines[1]).not.toHaveProperty("requiresShipping");
  // Two locations ship the order, or the location of the second one is not active: the hub decides.
  expect((await read(elsewhere)).locationId).toBeNull();
  // A location that was chosen here is kept.
  const other: string = (await org.post("/locations", { name: "Other" })).body.id;
  const { id } = await read(routed);
  expect((await read(routed)).locationId).toBe(main);
  await org.patch(`/orders/${id}`, { locationId: other });
  await change(routed, { email: "new@mail.example" });
  expect(await read(routed)).toMatchObject({ locationId: other, customer: { email: "new@mail.example" } });
  // So it is when the shop chooses one later.
  await org.patch(`/orders/${(await read(elsewhere)).id}`, { locationId: other });
  await change(elsewhere, { locations: 1 });
  expect((await read(elsewhere)).locationId).toBe(other);
});

function deliveryOf(methodType: string, location: number, lineId: number) {
  return {
    status: "OPEN",
    assignedLocation: { location: { id: `gid://shopify/Location/${location}` } },
    deliveryMethod: { methodType },
    lineItems: { pageInfo: {}, nodes: [{ lineItem: { id: `gid://shopify/LineItem/${lineId}` } }] },
  };
}

test("Shopify: an app with fewer scopes imports orders without what it may not read, and says so", async () => {
  const { org, shop, pull, item, add, read } = await aShop("shopify");
  shop.data.deniedFields.push("customer", "fulfillmentOrders");
  const order = add([item("MUG", 1)]);
  const done = await pull();
  expect(done).toMatchObject({ status: "succeeded", result: { created: 1 } });
  expect((await read(order)).lines).toMatchObject([{ sku: "MUG" }]);
  const log = JSON.stringify((await org.get(`/tasks/executions/${done.id}`)).body);
  expect(log).toContain("lacks the scope read_customers");
  expect(log).toContain("lacks the scope read_merchant_managed_fulfillment_orders");
  expect(log).not.toContain("read_products");
  // Without a scope for orders, nothing can be imported.
  shop.data.deniedFields.push("orders");
  expect(await pull()).toMatchObject({ status: "failed", error: { code: "forbidden" } });
});

test("Shopify: another version of the API and deprecations are reported once", async () => {
  const { org, shop, bridgeId, pull, item, add } = await aShop("shopify");
  // More than a page.
  for (let count = 0; count < 9; count++) add([item("MUG", 1)]);
  const testConnection = async () =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName: "connection.test", input: {} })).body.result;
  expect(await testConnection()).not.toHaveProperty("warnings");
  Object.assign(shop.data.headers, {
    "x-shopify-api-version": "2027-01",
    "x-shopify-api-deprecated-reason": "Order.taxLines",
  });
  expect((await testConnection()).warnings).toEqual([
    expect.stringContaining("2027-01"),
    expect.stringContaining("Order.taxLines"),
  ]);
  const { id } = await pull();
  const log = JSON.stringify((await org.get(`/tasks/executions/${id}`)).body);
  expect(log.split("served version 2027-01")).toHaveLength(2);
});

test("WooCommerce: virtual products are recognised with one request, and only if the shop permits it", async () => {
  const { org, shop, pull, item, add, read } = await aShop("woocommerce");
  shop.data.virtualProducts.push(31);
  const ebook = () => item("EBOOK", 1, { more: { product_id: 31 } });
  const mixed = add([ebook(), item("MUG", 1, { more: { product_id: 32 } })]);
  const only = add([ebook()]);
  await pull();
  expect((await read(mixed)).lines).toMatchObject([{ requiresShipping: false }, { sku: "MUG" }]);
  expect((await read(mixed)).lines[1]).not.toHaveProperty("requiresShipping");
  expect((await read(only)).status).toBe("review_required");
  expect(shop.requests.filter((name) => name === "GET /wp-json/wc/v3/products")).toHaveLength(1);
  shop.inject({ kind: "unauthorized", match: "/products", times: 5 });
  const later = add([ebook()]);
  const done = await pull();
  expect(done.status).toBe("succeeded");
  expect((await read(later)).status).toBe("new");
  expect(JSON.stringify((await org.get(`/tasks/executions/${done.id}`)).body)).toContain("virtual products");
});

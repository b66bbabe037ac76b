import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

const details = {
  amounts: {
    subtotal: 60,
    discount: 6,
    discounts: [{ code: "WELCOME10", title: "Ten percent", amount: 6 }],
    shipping: 4.9,
    tax: 10.26,
    taxIncluded: false,
    fees: -1,
    refunded: 5,
    paid: 68.16,
    presentmentCurrency: "CHF",
    presentmentTotal: 65.5,
  },
  payment: { method: "PayPal", reference: "PAYID-4711" },
  riskLevel: "medium",
  poNumber: "PO-2026-88",
  giftMessage: "Happy birthday, Ann!\nYours, Bo",
  requestedDeliveryDate: "2026-12-24",
  customer: { id: "cust-77", name: "Ann Example", email: "ann@example.com" },
};
const lines = [
  {
    id: "shirt",
    sku: "SHIRT-BL-L",
    name: "T-shirt",
    quantity: 2,
    price: 25,
    discount: 5,
    tax: 8,
    refundedQuantity: 1,
    productId: "9001",
    variantId: "9001-7",
    options: [
      { name: "Color", value: "Blue" },
      { name: "Size", value: "L" },
    ],
    properties: [{ name: "Engraving", value: "<b>To Ann</b>" }],
    imageUrl: "https://cdn.example.com/shirt.png?v=1",
    requiresShipping: true,
    hsCode: "6109.10",
    originCountry: "PT",
    weight: { value: 200, unit: "g" },
  },
  { id: "book", sku: "EBOOK-1", name: "E-book", quantity: 1, price: 10, requiresShipping: false },
];

test("an order keeps all details of its shop", async () => {
  const created = await org.post("/orders", { number: "D-1", ...details, lines });
  expect(created.status).toBe(201);
  const order = (await org.get("/orders/D-1")).body;
  expect(order).toMatchObject(details);
  expect(order.lines).toEqual(lines.map((line) => ({ ...line, shippedQuantity: 0 })));
  expect(order.total).toBe(68.16);
  const listed = (await org.get("/orders?search=D-1")).body.data[0];
  expect(listed).toMatchObject(details);
});

test("an order without details has empty ones", async () => {
  const { body } = await org.post("/orders", { number: "D-2" });
  expect(body).toMatchObject({
    amounts: {},
    payment: {},
    riskLevel: null,
    poNumber: null,
    giftMessage: null,
    requestedDeliveryDate: null,
    total: null,
  });
});

test("details are patched member by member, removed by null, and listed in the timeline", async () => {
  await org.post("/orders", { number: "D-3", ...details, lines });
  const { body } = await org.patch("/orders/D-3", {
    amounts: { refunded: 10, fees: null },
    payment: { method: "invoice" },
    riskLevel: null,
    poNumber: "PO-2",
    requestedDeliveryDate: null,
  });
  const { fees: _fees, ...rest } = details.amounts;
  expect(body).toMatchObject({
    amounts: { ...rest, refunded: 10 },
    payment: { method: "invoice", reference: "PAYID-4711" },
    riskLevel: null,
    poNumber: "PO-2",
    requestedDeliveryDate: null,
    giftMessage: details.giftMessage,
  });
  expect(body.amounts).not.toHaveProperty("fees");
  const { data } = (await org.get("/orders/D-3/timeline")).body;
  const paths = data.flatMap(({ changes = [] }: { changes?: { path: string }[] }) => changes.map(({ path }) => path));
  expect(paths).toEqual(expect.arrayContaining(["/amounts", "/payment", "/riskLevel", "/poNumber"]));
});

test.each([
  ["amounts with an unknown part", { amounts: { sum: 1 } }, "/amounts/sum"],
  ["a negative shipping price", { amounts: { shipping: -1 } }, "/amounts/shipping"],
  ["an unknown currency", { amounts: { presentmentCurrency: "ABC" } }, "/amounts/presentmentCurrency"],
  ["an unknown risk level", { riskLevel: "certain" }, "/riskLevel"],
  ["a day that does not exist", { requestedDeliveryDate: "2026-02-30" }, "/requestedDeliveryDate"],
  ["an empty gift message", { giftMessage: " \n" }, "/giftMessage"],
  ["a picture that is a script", { lines: [{ ...lines[0], imageUrl: "javascript:alert(1)" }] }, "/lines/0/imageUrl"],
  ["a country that is no code", { lines: [{ ...lines[0], originCountry: "Portugal" }] }, "/lines/0/originCountry"],
  [
    "a property without a name",
    { lines: [{ ...lines[0], properties: [{ value: "x" }] }] },
    "/lines/0/properties/0/name",
  ],
  ["3,001 lines", { lines: Array.from({ length: 3_001 }, () => ({ sku: "A", quantity: 1 })) }, "/lines"],
])("%s is refused with its place", async (_, body, pointer) => {
  const { status, body: problem } = await org.post("/orders", body);
  expect([status, problem.errors?.map((error: { pointer: string }) => error.pointer)]).toEqual([
    400,
    expect.arrayContaining([pointer]),
  ]);
});

test("an order may have 3,000 lines", async () => {
  const many = Array.from({ length: 3_000 }, (_, i) => ({ sku: `SKU-${i}`, quantity: 1, price: 0.01 }));
  const { status } = await org.post("/orders", { number: "D-LONG", lines: many });
  expect(status).toBe(201);
  const order = (await org.get("/orders/D-LONG")).body;
  expect([order.lines.length, order.total]).toEqual([3_000, 30]);
  expect((await org.get("/orders?search=SKU-2999")).body.data[0]?.number).toBe("D-LONG");
});

test.each([
  ["the lines", { lines: [{ sku: "A", quantity: 3, price: 1.1 }] }, 3.3],
  ["lines with discount and tax", { lines: [{ sku: "A", quantity: 2, price: 10, discount: 3, tax: 1.7 }] }, 18.7],
  ["a subtotal without prices", { amounts: { subtotal: 20, shipping: 5 }, lines: [{ sku: "A", quantity: 1 }] }, 25],
  ["tax that the prices include", { amounts: { subtotal: 20, tax: 3, taxIncluded: true } }, 20],
  ["a discount above all prices", { amounts: { subtotal: 20, discount: 30 } }, 0],
  [
    "a line without a price",
    {
      lines: [
        { sku: "A", quantity: 1, price: 5 },
        { sku: "B", quantity: 1 },
      ],
    },
    null,
  ],
  ["parts, with a total that differs", { amounts: { subtotal: 20 }, total: 99 }, 99],
])("the total of an order follows from %s", async (_, body, total) => {
  expect((await org.post("/orders", body)).body.total).toBe(total);
});

test("a total that follows from its parts follows their changes, a given one stays", async () => {
  const [line] = [{ id: "a", sku: "A", quantity: 2, price: 10 }];
  await org.post("/orders", { number: "T-1", lines: [line] });
  expect((await org.patch("/orders/T-1", { amounts: { shipping: 4 } })).body.total).toBe(24);
  expect((await org.patch("/orders/T-1", { lines: [{ ...line, quantity: 1 }] })).body.total).toBe(14);
  expect((await org.patch("/orders/T-1", { total: 12 })).body.total).toBe(12);
  expect((await org.patch("/orders/T-1", { amounts: { shipping: 5 } })).body.total).toBe(12);
  expect((await org.patch("/orders/T-1", { total: null })).body.total).toBeNull();
});

test.each([
  ["a total that follows from its parts", undefined, 18.5, 20.5],
  ["a total that the source gave", 30, 20, 20],
])("%s and its subtotal change with the lines, by a patch as by edit_lines", async (_, total, changed, shipped) => {
  const number = () => `T-${crypto.randomUUID()}`;
  const lines = [
    { id: "a", sku: "A", quantity: 2, price: 10 },
    { id: "b", sku: "B", quantity: 1, price: 5 },
  ];
  const given = { lines, amounts: { subtotal: 25, discount: 1, tax: 4.5 }, status: "ready", ...(total && { total }) };
  const [patched, edited] = [number(), number()];
  for (const each of [patched, edited]) await org.post("/orders", { number: each, ...given });
  await org.patch(`/orders/${patched}`, { lines: [{ ...lines[0], quantity: 1 }, lines[1]] });
  await run(edited, { type: "edit_lines", params: { quantities: [{ line: "A", quantity: 1 }] } });
  for (const each of [patched, edited]) {
    const { body } = await org.get(`/orders/${each}`);
    expect(body).toMatchObject({ total: changed, amounts: { subtotal: 15, discount: 1, tax: 4.5 } });
    expect((await org.patch(`/orders/${each}`, { amounts: { shipping: 2 } })).body.total).toBe(shipped);
  }
});

test("properties of the same name stay when another one is changed", async () => {
  const pair = (name: string, value: string) => ({ name, value });
  const properties = [pair("Engraving", "Ann"), pair("Color", "red"), pair("Engraving", "Bo")];
  const number = `P-${crypto.randomUUID()}`;
  await org.post("/orders", { number, status: "ready", lines: [{ sku: "RING", quantity: 1, properties }] });
  const change = async (name: string, value: string | null) => {
    await run(number, { type: "edit_lines", params: { change: [{ line: "RING", properties: [{ name, value }] }] } });
    return (await org.get(`/orders/${number}`)).body.lines[0].properties;
  };
  expect(await change("Color", "blue")).toEqual([properties[0], pair("Color", "blue"), properties[2]]);
  expect(await change("Engraving", "Cy")).toEqual([pair("Engraving", "Cy"), pair("Color", "blue")]);
  expect(await change("Engraving", null)).toEqual([pair("Color", "blue")]);
  expect(await change("Size", "L")).toEqual([pair("Color", "blue"), pair("Size", "L")]);
});

test("the customer's id and the gift message are personal data", async () => {
  await org.post("/orders", { number: "M-1", ...details });
  await org.patch("/orders/M-1", { giftMessage: "Only for Ann", customer: { id: "cust-78" } });
  const viewer = await org.withRole("viewer");
  for (const path of ["/orders/M-1", "/orders?search=M-1", "/orders/M-1/timeline"]) {
    const seen = await viewer.get(path);
    expect(seen.status).toBe(200);
    for (const secret of ["birthday", "Only for Ann", "cust-77", "cust-78"]) expect(seen.text).not.toContain(secret);
    expect((await org.get(path)).text).toMatch(/birthday|Only for Ann/);
  }
  const writer = await org.withScopes(["orders:read", "orders:write"]);
  const back = await writer.patch("/orders/M-1", { giftMessage: "***" });
  expect([back.status, back.body.errors?.[0]]).toEqual([
    400,
    expect.objectContaining({ pointer: "/giftMessage", code: "masked_value" }),
  ]);
  // The same text again is a change for a caller who may not read it: an unchanged version would confirm a guess.
  const { version } = (await org.get("/orders/M-1")).body;
  expect((await writer.patch("/orders/M-1", { giftMessage: "Only for Ann" })).body.version).toBe(version + 1);
  const asked = await (
    await org.withScopes(["orders:read", "operations:read"])
  ).post("/operations/preflight", {
    order_ids: ["M-1"],
    actions: [
      {
        type: "add_tags",
        params: { tags: ["x"] },
        when: { path: "giftMessage", op: "contains", value: "Ann" },
      },
    ],
  });
  expect([asked.status, asked.body.errors?.[0]?.code]).toEqual([400, "pii_scope_required"]);
});

test("orders are found by purchase order, payment reference and customer id", async () => {
  const viewer = await org.withRole("viewer");
  await org.post("/orders", {
    number: "S-1",
    poNumber: "PO-SEARCH-9",
    payment: { reference: "ch_3Nfind" },
    customer: { id: "gid-4242" },
    billingAddress: { name: "Bella Billing" },
  });
  const numbers = async (client: Pick<typeof org, "get">, text: string) =>
    (await client.get(`/orders?search=${encodeURIComponent(text)}`)).body.data.map((o: { number: string }) => o.number);
  for (const text of ["PO-SEARCH-9", "search-9", "ch_3Nfind", "gid-4242", "bella"]) {
    expect([text, await numbers(org, text)]).toEqual([text, ["S-1"]]);
  }
  expect(await numbers(viewer, "gid-4242")).toEqual([]);
  expect(await numbers(viewer, "bella")).toEqual([]);
});

test.each([
  ["4111 1111 1111 1111", "**** 1111"],
  ["Visa 5500-0000-0000-0004, approved", "Visa **** 0004, approved"],
  ["378282246310005", "**** 0005"],
  ["4111 1111 1111 1112", "4111 1111 1111 1112"],
  ["PAYID-7XM33141E", "PAYID-7XM33141E"],
  ["20261118000000000000017", "20261118000000000000017"],
])("a payment reference %s is stored as %s", async (reference, stored) => {
  expect((await org.post("/orders", { payment: { reference } })).body.payment).toEqual({ reference: stored });
});

const run = async (order: string, ...actions: object[]) =>
  (await org.post("/operations/run", { order_ids: [order], actions })).body;

test("lines that require no shipping are in no shipment and do not keep an order open", async () => {
  await org.post("/orders", { number: "N-1", status: "ready", paymentStatus: "paid", lines });
  await run("N-1", { type: "mark_shipped", params: { tracking_number: "1Z1" } });
  const order = (await org.get("/orders/N-1")).body;
  expect([order.status, order.shipments[0].lines]).toEqual(["shipped", [{ lineId: "shirt", quantity: 2 }]]);
  expect(order.lines.map((line: { shippedQuantity: number }) => line.shippedQuantity)).toEqual([2, 0]);

  await org.post("/orders", { number: "N-2", status: "ready", paymentStatus: "paid", lines });
  const refused = await run("N-2", { type: "mark_shipped", params: { line_items: [{ id: "book", quantity: 1 }] } });
  expect(refused.results[0].error).toMatchObject({ code: "not_shippable" });
});

test("an order of downloads is marked as shipped without a shipment", async () => {
  await org.post("/orders", { number: "N-3", status: "ready", paymentStatus: "paid", lines: [lines[1]] });
  await run("N-3", { type: "mark_shipped" });
  expect((await org.get("/orders/N-3")).body).toMatchObject({ status: "shipped", shipments: [] });
});

test("conditions read money, risk, options and properties", async () => {
  await org.post("/orders", { number: "C-1", ...details, lines });
  const paths = [
    { path: "amounts.shipping", op: "lt", value: 5 },
    { path: "amounts.discounts.code", op: "eq", value: "welcome10" },
    { path: "payment.method", op: "eq", value: "paypal" },
    { path: "riskLevel", op: "in", value: ["medium", "high"] },
    { path: "poNumber", op: "not_empty" },
    { path: "requestedDeliveryDate", op: "lte", value: "2026-12-24" },
    { path: "lines.options.value", op: "eq", value: "Blue" },
    { path: "lines.properties.value", op: "contains", value: "ann" },
    { path: "lines.requiresShipping", op: "eq", value: false },
    { path: "lines.refundedQuantity", op: "gt", value: 0 },
    { path: "totalWeight.g", op: "eq", value: 400 },
  ];
  for (const when of paths) {
    const answer = await org.post("/operations/preflight", {
      order_ids: ["C-1"],
      actions: [{ type: "add_tags", params: { tags: ["hit"] }, when }],
    });
    expect([when.path, answer.status]).toEqual([when.path, 200]);
    expect([when.path, answer.body.summary.ok]).toEqual([when.path, 1]);
  }
});

test("a split keeps the money with the original and the parts of a kit with their parent", async () => {
  const kit = [
    { id: "kit", sku: "KIT", quantity: 1, price: 30, requiresShipping: false },
    { id: "part", sku: "PART", quantity: 2, price: 0, parentLineId: "kit" },
    { id: "mug", sku: "MUG", quantity: 1, price: 8 },
  ];
  await org.post("/orders", { number: "K-1", status: "ready", amounts: { paid: 38 }, lines: kit });
  await run("K-1", { type: "duplicate" });
  const [copy] = (await org.get("/orders?search=K-1-1")).body.data;
  const parent = copy.lines.find(({ sku }: { sku: string }) => sku === "KIT");
  expect(copy.lines.find(({ sku }: { sku: string }) => sku === "PART").parentLineId).toBe(parent.id);
  expect(parent.id).not.toBe("kit");
  expect(copy.amounts).toEqual({});

  await run("K-1", { type: "split", params: { by: "items", line_items: [{ id: "part", quantity: 2 }] } });
  const child = (await org.get("/orders/K-1-2")).body;
  expect(child.amounts).toEqual({});
  expect(child.lines[0]).not.toHaveProperty("parentLineId");
  expect((await org.get("/orders/K-1")).body.amounts).toEqual({ paid: 38 });
});

test("a run that changes details is undone", async () => {
  await org.post("/orders", { number: "U-1", status: "ready", lines: [{ id: "a", sku: "A", quantity: 2, price: 10 }] });
  const before = (await org.get("/orders/U-1")).body;
  const { id } = await run("U-1", {
    type: "edit_lines",
    params: { add: [{ ...lines[0], id: undefined, sku: "NEW" }] },
  });
  const after = (await org.get("/orders/U-1")).body;
  expect(after.lines[1]).toMatchObject({ sku: "NEW", options: lines[0]!.options });
  await org.post(`/operations/runs/${id}/undo`, {});
  const { version: _v, updatedAt: _u, ...undone } = (await org.get("/orders/U-1")).body;
  expect(before).toMatchObject(undone);
});

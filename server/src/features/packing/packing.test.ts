import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

type Client = Pick<typeof org, "get" | "post" | "patch">;
const lines = [
  { id: "mug", sku: "MUG-01", name: "Enamel mug", quantity: 2, weight: { value: 300, unit: "g" } },
  { id: "throw", sku: "THROW-GR", variantId: "4411", quantity: 1, weight: { value: 1, unit: "kg" } },
  { id: "card", sku: "GIFT-50", quantity: 1, requiresShipping: false },
];
const anOrder = async (more: object = {}) =>
  (await org.post("/orders", { number: `P-${randomUUID()}`, status: "ready", lines, ...more })).body;
const open = async (code: string, by: Client = org, more: object = {}) =>
  await by.post("/packing/scans", { code, ...more });
const scan = async (sessionId: string, code: string, by: Client = org) =>
  await by.post("/packing/scans", { code, sessionId });
const startPacking = async (more: object = {}) => {
  const order = await anOrder(more);
  const { body } = await open(order.number);
  return { order, id: body.session.id as string };
};
const countsOf = ({ items }: { items: { sku: string; packed: number; needed: number }[] }) =>
  Object.fromEntries(items.map(({ sku, packed, needed }) => [sku, `${packed}/${needed}`]));
const eventsOf = async (id: string) => {
  const { status, text, body } = await org.get(`/audit?objectId=${id}`);
  expect(status, text).toBe(200);
  return (body.data as { type: string; data: object }[]).toReversed();
};

test("an order is opened by its number and packed scan by scan; every scan is an event, the timeline has one entry", async () => {
  const { order, id } = await startPacking();
  const first = await scan(id, "mug-01");
  expect(first.body).toMatchObject({ outcome: "counted", lineId: "mug", session: { packedCount: 1, neededCount: 3 } });
  await scan(id, "MUG-01");
  const incomplete = await org.post(`/packing/sessions/${id}/confirm`, {});
  expect(incomplete.body).toMatchObject({ code: "packing_incomplete", detail: "Packed: 0 of 1 THROW-GR." });
  const last = await scan(id, "4411");
  expect(last.body.session).toMatchObject({ isComplete: true, expectedWeight: { value: 1600, unit: "g" } });
  expect(countsOf(last.body.session)).toEqual({ "MUG-01": "2/2", "THROW-GR": "1/1" });
  const packed = await org.post(`/packing/sessions/${id}/confirm`, {});
  expect(packed.body).toMatchObject({ status: "packed", labelRunId: null, packedCount: 3 });
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
    "packing.started",
    "packing.scanned",
    "packing.scanned",
    "packing.scanned",
    "packing.packed",
  ]);
  const timeline = (await org.get(`/orders/${order.id}/timeline`)).body.data;
  expect(timeline.map(({ kind }: { kind: string }) => kind)).toEqual(["packed", "created"]);
  expect(timeline[0].changes).toEqual([{ path: "/packed", from: null, to: "2 × MUG-01, 1 × THROW-GR" }]);
  expect((await org.get(`/orders/${order.id}/last-changes`)).body.data).toEqual([]);
  expect((await org.get("/packing/stats")).body).toMatchObject({ packedToday: 1, averageSeconds: expect.any(Number) });
  expect((await scan(id, "MUG-01")).body).toMatchObject({
    code: "invalid_state",
    detail: expect.stringContaining("ended"),
  });
});

test("wrong, surplus and unneeded items are refused with what is needed, count nothing and are events", async () => {
  const { id } = await startPacking();
  const wrong = await scan(id, "TEAPOT");
  expect(wrong.body).toMatchObject({
    status: 409,
    code: "wrong_item",
    detail: "TEAPOT is not in this order. It needs MUG-01, THROW-GR.",
    needed: ["MUG-01", "THROW-GR"],
  });
  await scan(id, "THROW-GR");
  expect((await scan(id, "THROW-GR")).body).toMatchObject({
    code: "too_many_items",
    detail: "All 1 of THROW-GR are packed.",
  });
  expect((await scan(id, "GIFT-50")).body).toMatchObject({
    code: "item_not_needed",
    detail: "GIFT-50 does not ship: it is not part of this package.",
  });
  expect(countsOf((await org.get(`/packing/sessions/${id}`)).body)).toEqual({ "MUG-01": "0/2", "THROW-GR": "1/1" });
  const rejected = (await eventsOf(id)).filter(({ type }) => type === "packing.scan_rejected");
  expect(rejected.map(({ data }) => data)).toMatchObject([
    { code: "TEAPOT", reason: "wrong_item" },
    { code: "THROW-GR", reason: "too_many_items" },
    { code: "GIFT-50", reason: "item_not_needed" },
  ]);
});

test("items are counted by hand within what is needed, and the last count is undone", async () => {
  const { id } = await startPacking();
  const byHand = (body: object) => org.post(`/packing/sessions/${id}/items`, body);
  expect((await byHand({ lineId: "mug", quantity: 3 })).body).toMatchObject({ code: "too_many_items" });
  expect((await byHand({ lineId: "card" })).body.code).toBe("item_not_needed");
  expect((await byHand({ lineId: "nothing" })).body.code).toBe("wrong_item");
  expect(countsOf((await byHand({ lineId: "mug", quantity: 2 })).body)["MUG-01"]).toBe("2/2");
  await scan(id, "THROW-GR");
  const undo = () => org.post(`/packing/sessions/${id}/undo`);
  expect(countsOf((await undo()).body)).toEqual({ "MUG-01": "2/2", "THROW-GR": "0/1" });
  expect(countsOf((await undo()).body)).toEqual({ "MUG-01": "0/2", "THROW-GR": "0/1" });
  expect((await undo()).body).toMatchObject({ status: 409, code: "invalid_state" });
});

test("what cannot be shipped is not opened: cancelled, held, shipped, new, unknown", async () => {
  const detailOf = async (code: string) => {
    const { status, body } = await open(code);
    return `${status} ${body.code} ${body.detail}`;
  };
  const cancelled = await anOrder();
  await org.patch(`/orders/${cancelled.id}`, { status: "cancelled" });
  expect(await detailOf(cancelled.number)).toMatch(/^409 invalid_state .*cancelled/);
  const held = await anOrder();
  await org.post("/operations/run", {
    order_ids: [held.id],
    actions: [{ type: "hold", params: { reason: "operator" } }],
  });
  expect(await detailOf(held.number)).toMatch(/^409 invalid_state .*on hold \(operator\)/);
  expect(await detailOf((await anOrder({ status: "new" })).number)).toMatch(/^409 invalid_state .*is new/);
  const shipped = await anOrder();
  const trackingNumber = `1Z${randomUUID()}`;
  const mark = { type: "mark_shipped", params: { tracking_number: trackingNumber } };
  await org.post("/operations/run", { order_ids: [shipped.id], actions: [mark] });
  expect(await detailOf(shipped.number)).toMatch(/^409 invalid_state .*shipped already/);
  // A tracking number names its order.
  expect(await detailOf(trackingNumber)).toContain(shipped.number);
  expect(await detailOf("P-NONE")).toBe("404 order_not_found No order has the number or tracking number P-NONE.");
  const { order, id } = await startPacking();
  await scan(id, "MUG-01");
  await org.patch(`/orders/${order.id}`, { status: "cancelled" });
  expect((await scan(id, "MUG-01")).body).toMatchObject({
    code: "invalid_state",
    detail: expect.stringContaining("cancelled"),
  });
});

test("an order is packed by one packer: the other hears who and since when, and may take over with the counts kept", async () => {
  const { order, id } = await startPacking();
  const ann = await org.withRole("operator");
  const looked = await open(order.number, ann);
  // Nothing was scanned yet, so nothing is claimed.
  expect(looked.body).toMatchObject({ outcome: "resumed", session: { id, packer: { id: ann.userId } } });
  await scan(id, "MUG-01", ann);
  const refused = await open(order.number);
  expect(refused.body).toMatchObject({
    status: 409,
    code: "packing_in_progress",
    sessionId: id,
    packer: { type: "user", id: ann.userId },
    since: expect.any(String),
  });
  expect((await scan(id, "MUG-01")).body.code).toBe("packing_in_progress");
  const taken = await open(order.number, org, { takeOver: true, station: "Station 2" });
  expect(taken.body.session).toMatchObject({ id, station: "Station 2", packedCount: 1 });
  expect((await scan(id, "MUG-01", ann)).body.code).toBe("packing_in_progress");
  const elsewhere = await open(order.number, org, { station: "Station 3" });
  expect(elsewhere.body).toMatchObject({
    code: "packing_in_progress",
    detail: expect.stringContaining("at Station 2"),
  });
  expect((await eventsOf(id)).map(({ type }) => type).filter((type) => type.endsWith("taken_over"))).toHaveLength(2);
});

test("scanning another order switches, and the first one is resumed later", async () => {
  const [first, second] = [await startPacking(), await anOrder()];
  await scan(first.id, "MUG-01");
  const switched = await scan(first.id, second.number.toLowerCase().replace("p-", "P-"));
  expect(switched.body).toMatchObject({ outcome: "opened", session: { orderNumber: second.number, packedCount: 0 } });
  const back = await scan(switched.body.session.id, first.order.number);
  expect(back.body).toMatchObject({ outcome: "resumed", session: { id: first.id, packedCount: 1 } });
  const list = (await org.get("/packing/sessions?status=open&limit=100")).body.data as { id: string }[];
  expect(list.map(({ id }) => id)).toEqual(expect.arrayContaining([first.id, switched.body.session.id]));
});

test("concurrent scans count each unit once and never more than needed; a repeated request counts once", async () => {
  const { order, id } = await startPacking();
  const scans = await Promise.all(Array.from({ length: 8 }, () => scan(id, "MUG-01")));
  expect(scans.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409, 409, 409, 409, 409]);
  const key = { headers: { "idempotency-key": randomUUID() } };
  const repeated = [1, 2, 3].map(() => org.post("/packing/scans", { code: "THROW-GR", sessionId: id }, key));
  const answers = (await Promise.all(repeated)).map(({ status, body }) => body.code ?? status);
  expect(answers.filter((one) => one !== "idempotency_key_in_use")).toContain(200);
  expect(answers).not.toContain("too_many_items");
  expect((await org.get(`/packing/sessions/${id}`)).body).toMatchObject({ packedCount: 3, isComplete: true });
  const wrongKey = { headers: { "idempotency-key": randomUUID() } };
  for (const _ of [1, 2]) await org.post("/packing/scans", { code: "TEAPOT", sessionId: id }, wrongKey);
  const types = (await eventsOf(id)).map(({ type, data }) => `${type} ${(data as { code?: string }).code ?? ""}`);
  expect(types.filter((type) => type === "packing.scan_rejected TEAPOT")).toHaveLength(1);
  const ends = await Promise.all([1, 2].map(() => org.post(`/packing/sessions/${id}/confirm`, {})));
  expect(ends.map(({ status }) => status)).toEqual([200, 200]);
  expect((await eventsOf(id)).filter(({ type }) => type === "packing.packed")).toHaveLength(1);
  // Ten stations open one order at once: there is one session.
  const another = await anOrder();
  const opened = await Promise.all(Array.from({ length: 10 }, () => open(another.number)));
  expect(new Set(opened.map(({ body }) => body.session.id)).size).toBe(1);
  expect(order.number).not.toBe(another.number);
});

test("two packers who switch to each other's order at once do not block each other", async () => {
  const [a, b] = [await startPacking(), await startPacking()];
  const ann = await org.withRole("operator");
  await open(b.order.number, ann, { takeOver: true });
  const pairs = Array.from({ length: 5 }, () => [scan(a.id, b.order.number), scan(b.id, a.order.number, ann)]);
  const answers = await Promise.all(pairs.flat());
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
});

test("box and weight are set with a version check, and bad values are refused with their field", async () => {
  const { id } = await startPacking();
  const box = {
    name: "Box L",
    dimensions: { length: 16, width: 12, height: 10, unit: "in" },
    weight: { value: 400, unit: "g" },
  };
  const set = await org.patch(`/packing/sessions/${id}`, { box });
  expect(set.body).toMatchObject({ box, weight: null, expectedWeight: { value: 2000, unit: "g" } });
  await org.patch(`/packing/sessions/${id}`, { weight: { value: 2.35, unit: "lb" } });
  const stale = await org.patch(
    `/packing/sessions/${id}`,
    { weight: null },
    { headers: { "if-match": `"${set.body.version}"` } },
  );
  expect(stale.status).toBe(412);
  const bad = await org.patch(`/packing/sessions/${id}`, { weight: { value: -1, unit: "stone" } });
  expect(bad.status).toBe(400);
  expect(bad.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    expect.arrayContaining(["/weight/value", "/weight/unit"]),
  );
});

test("a line that is reduced while it is packed has to be taken out before the order can be finished", async () => {
  const { order, id } = await startPacking();
  for (const code of ["MUG-01", "THROW-GR", "MUG-01"]) await scan(id, code);
  const edited = order.lines.map((line: { id: string; quantity: number }) =>
    line.id === "mug" ? { ...line, quantity: 1 } : line,
  );
  const patched = await org.patch(`/orders/${order.id}`, {
    lines: edited.map(({ shippedQuantity: _shipped, ...line }: { shippedQuantity: number }) => line),
  });
  expect(patched.status).toBe(200);
  const refused = await org.post(`/packing/sessions/${id}/confirm`, {});
  expect(refused.body).toMatchObject({ code: "packing_incomplete", detail: "Packed: 2 of 1 MUG-01." });
  await org.post(`/packing/sessions/${id}/undo`);
  expect((await org.post(`/packing/sessions/${id}/confirm`, {})).body.status).toBe("packed");
});

test("other organizations find neither order nor session, and viewers scan nothing", async () => {
  const { order, id } = await startPacking();
  const rival = await hub.org();
  expect((await open(order.number, rival)).status).toBe(404);
  expect((await open(order.id, rival)).status).toBe(404);
  expect((await scan(id, "MUG-01", rival)).body.code).toBe("packing_session_not_found");
  const viewer = await org.withRole("viewer");
  expect((await viewer.get(`/packing/sessions/${id}`)).status).toBe(200);
  for (const path of ["scans", `sessions/${id}/undo`, `sessions/${id}/confirm`, `sessions/${id}/cancel`]) {
    expect((await viewer.post(`/packing/${path}`, path === "scans" ? { code: "x" } : undefined)).status).toBe(403);
  }
  expect((await org.get(`/packing/sessions/${id}`)).body.packedCount).toBe(0);
});

test("the example of the manual opens an order", async () => {
  const manual = readFileSync(new URL("../../../../docs/packing.md", import.meta.url), "utf8");
  const example = /```json scan-order\n([\s\S]*?)```/.exec(manual)![1]!;
  await anOrder({ number: "ORD-1001" });
  const { body } = await org.post("/packing/scans", JSON.parse(example));
  expect(body).toMatchObject({ outcome: "opened", session: { orderNumber: "ORD-1001", station: "Station 3" } });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();
const clerk = await org.withScopes(["operations:run", "operations:read", "orders:read", "orders:write"]);

type Step = { verdict?: string; status?: string; error?: { code: string }; changes?: unknown[]; warning?: object };
const anOrder = async (more: object = {}) => (await org.post("/orders", { status: "ready", ...more })).body;
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const run = async (id: string, type: string, params: object, who: TestClient = org) =>
  (await who.post("/operations/run", { order_ids: [id], actions: [{ type, params }] })).body;
const mistakesOf = async (type: string, params: object) =>
  (await org.post("/operations/pipelines", { name: "P", actions: [{ type, params }] })).body.errors;

describe("templates in params", () => {
  test("templates in notes, tags and custom fields are filled in from each order, in preflight and run", async () => {
    const order = await anOrder({
      channel: "web",
      customFields: { "erp.batch": "W10" },
      lines: [{ sku: "MUG", quantity: 2 }],
      total: 12.5,
      shippingAddress: { city: "Albany" },
    });
    const actions = [
      {
        type: "add_note",
        params: { text: "{{order.number}}: {{ lines[0].quantity }} x {{lines[0].sku}} to {{shippingAddress.city}}" },
      },
      { type: "add_tags", params: { tags: ["from-{{channel}}", "{{customFields['erp.batch']}}", "W10"] } },
      { type: "set_custom_field", params: { key: "paid", value: "{{total}}" } },
      { type: "set_custom_field", params: { key: "label", value: "{{total}} {{currency}}" } },
      { type: "hold", params: { note: "Ask about {{number}}" } },
    ];
    const request = { order_ids: [order.id], actions };
    const report = (await org.post("/operations/preflight", request)).body;
    expect(report.verdict).toBe("ready");
    await org.post("/operations/run", request);
    const after = await read(order.id);
    expect(after).toMatchObject({
      notes: [{ text: `${order.number}: 2 x MUG to Albany` }],
      tags: ["from-web", "W10"],
      customFields: { paid: 12.5, label: "12.5 USD" },
      holds: [{ note: `Ask about ${order.number}` }],
    });
    const told = report.orders[0].steps.map((step: Step) => step.changes);
    expect(told[1]).toEqual([{ path: "/tags", from: [], to: after.tags }]);
  });

  test("unknown names are rejected with a suggestion when the pipeline is saved", async () => {
    expect(await mistakesOf("add_note", { text: "for {{order.numbr}}" })).toMatchObject([
      { pointer: "/actions/0/params/text", code: "unknown_field", suggestion: "number" },
    ]);
    expect(await mistakesOf("add_tags", { tags: ["a", "{{shippingAddress.contry}}"] })).toMatchObject([
      { pointer: "/actions/0/params/tags/1", code: "unknown_field", suggestion: "shippingAddress.country" },
    ]);
    expect(await mistakesOf("add_note", { text: "{{^.number}}" })).toMatchObject([{ code: "template" }]);
    expect(await mistakesOf("add_note", { text: "{{order}}" })).toMatchObject([{ code: "unknown_field" }]);
  });

  test("personal data is filled in only for callers with pii:read, under any name", async () => {
    const { id } = await anOrder({
      customer: { email: "ada@example.com" },
      shippingAddress: { name: "Ada", city: "Albany" },
    });
    for (const path of ["customer.email", "order.shippingAddress['name']", "$.shippingAddress.name", "customer"]) {
      const params = { text: `for {{${path}}}` };
      const refused = await clerk.post("/operations/preflight", {
        order_ids: [id],
        actions: [{ type: "add_note", params }],
      });
      expect(refused.body.errors, path).toMatchObject([{ code: "pii_scope_required" }]);
    }
    const allowed = await run(id, "add_note", { text: "to {{shippingAddress.city}}" }, clerk);
    expect(allowed.status).toBe("succeeded");
  });

  test("a value that is missing, no text, or not allowed fails the order, in preflight and run", async () => {
    const { id } = await anOrder({ lines: [{ sku: "MUG", quantity: 1 }], customFields: { long: "x".repeat(200) } });
    const cases: [type: string, params: object, code: string][] = [
      ["add_note", { text: "{{channel}}" }, "template_empty"],
      ["set_custom_field", { key: "a", value: "{{externalId}}" }, "template_empty"],
      ["add_note", { text: "{{lines[*].sku}}" }, "template_not_text"],
      ["add_tags", { tags: ["{{customFields.long}}"] }, "template_result"],
      ["set_custom_field", { key: "a", value: "{{lines}}" }, "template_result"],
    ];
    for (const [type, params, code] of cases) {
      const request = { order_ids: [id], actions: [{ type, params }] };
      const report = (await org.post("/operations/preflight", request)).body;
      expect(report.orders[0].steps[0].error, code).toMatchObject({ code });
      expect((await org.post("/operations/run", request)).body.results[0].error, code).toMatchObject({ code });
    }
    expect((await read(id)).version).toBe(1);
  });
});

test("the catalog for one order lists the possible actions, and the reason for each of the others", async () => {
  const held = await anOrder();
  await run(held.id, "hold", { reason: "operator" });
  type Entry = { type: string; applicable: boolean; not_applicable_reason: { code: string } | null };
  const possibilities = async (ref: string, who: TestClient = org) => {
    const { data } = (await who.get(`/operations/actions?order_id=${ref}`)).body;
    return new Map(
      (data as Entry[]).map(({ type, applicable, not_applicable_reason: reason }) => [
        type,
        reason?.code ?? applicable,
      ]),
    );
  };
  const own = await possibilities(held.number);
  expect(Object.fromEntries(own)).toMatchObject({
    hold: true,
    release_hold: true,
    mark_shipped: "on_hold",
    correct_tracking: "invalid_state",
    approve: true,
    choose_rate: "unavailable",
    send_to_fulfillment: "unavailable",
  });
  expect((await possibilities(held.id, clerk)).get("merge")).toBe("insufficient_scope");
  expect((await org.get("/operations/actions")).body.data[0]).not.toHaveProperty("possible");
  expect((await org.get("/operations/actions?order_id=nobody")).status).toBe(404);
  const stranger = await hub.org();
  expect((await stranger.get(`/operations/actions?order_id=${held.id}`)).status).toBe(404);
});

test("days are in the time zone of the organization, and so is today", async () => {
  const here = await hub.org();
  expect((await here.patch(`/organizations/${here.id}`, { timezone: "Pacific/Kiritimati" })).status).toBe(200);
  const order = (await here.post("/orders", { status: "ready" })).body;
  // Fourteen hours before UTC: the first of May begins there when it is ten in the morning of the last of April.
  const until = "2100-05-01";
  const done = await run(order.id, "hold", { until }, here);
  expect(done.results[0].steps[0].changes[0].to).toMatchObject([{ until: "2100-04-30T10:00:00.000Z" }]);
  await run(order.id, "set_dates", { ship_by: "2100-07-01" }, here);
  expect((await here.get(`/orders/${order.id}`)).body.shipBy).toBe("2100-06-30T10:00:00.000Z");
  const account = (await here.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
  const { origin, destination } = { origin: { zip: "07114" }, destination: { zip: "12207" } };
  const quote = await here.post(`/carrier-accounts/${account}/quote`, {
    origin,
    destination,
    weight: { value: 1, unit: "lb" },
  });
  const today = new Date(hub.world.clock.now().getTime() + 14 * 3_600_000).toISOString().slice(0, 10);
  expect(quote.body.shipDate).toBe(today);
  const bridge = (await here.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const schedule = await here.post("/schedules", { bridgeId: bridge, taskName: "noop", cron: "0 6 * * *" });
  expect(schedule.body.timezone).toBe("Pacific/Kiritimati");
  for (const path of ["/orders/export.csv", "/audit/export.csv"]) {
    expect((await here.get(path)).headers.get("content-disposition")).toContain(today);
  }
});

test("days in conditions, mappings and csv files are in the current time zone of the organization", async () => {
  const here = await hub.org();
  const move = async (timeZone: string) =>
    expect((await here.patch(`/organizations/${here.id}`, { timezone: timeZone })).status).toBe(200);
  await move("Pacific/Kiritimati");
  const bridgeId = (await here.post("/bridges", { name: "Files", connector: "csv" })).body.id;
  const importDay = async (number: string) => {
    const input = { csv: `Order Number,SKU,Quantity,Order Date\n${number},MUG,1,2026-05-01\n` };
    const { body } = await here.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import", input });
    expect(body.status, JSON.stringify(body)).toBe("succeeded");
    return (await here.get(`/orders/${number}`)).body;
  };
  const order = await importDay("DAY-1");
  expect(order.orderedAt).toBe("2026-04-30T10:00:00.000Z");
  const isMet = async (condition: object) => {
    const actions = [{ type: "add_tags", params: { tags: ["met"] }, when: { path: "orderedAt", ...condition } }];
    const { body } = await here.post("/operations/preflight", { order_ids: [order.id], actions });
    return body.orders[0].steps[0].verdict === "ok";
  };
  const day = { op: "eq", value: "2026-05-01" };
  const days = { op: "between", value: ["2026-05-01", "2026-05-02"] };
  expect([await isMet(day), await isMet(days)]).toEqual([true, true]);
  const mappings = [
    { target: "at", source: "day", transforms: ["date"] },
    { target: "day", source: "moment", transforms: [{ date: { to: "iso_date" } }] },
    { target: "isNew", value: true, when: { path: "moment", op: "gte", value: "2026-05-01" } },
  ];
  const sampleData = { day: "2026-05-01", moment: "2026-04-30T11:00:00Z" };
  const map = async () => (await here.post("/transformations/test", { mappings, sampleData })).body.output;
  expect(await map()).toEqual({ at: "2026-04-30T10:00:00.000Z", day: "2026-05-01", isNew: true });
  // What was compiled before the organization moved is compiled anew.
  const transformation = await here.post("/transformations", {
    name: "When it was ordered",
    bridgeId,
    taskName: "orders.import",
    direction: "inbound",
    mode: "extend",
    isActive: true,
    mappings: [{ target: "deliverBy", source: "rows[0].Order Date", transforms: ["date"] }],
  });
  expect(transformation.status, transformation.text).toBe(201);
  expect((await importDay("DAY-2")).deliverBy).toBe("2026-04-30T10:00:00.000Z");
  await move("UTC");
  expect(await importDay("DAY-3")).toMatchObject({
    orderedAt: "2026-05-01T00:00:00.000Z",
    deliverBy: "2026-05-01T00:00:00.000Z",
  });
  expect([await isMet(day), await isMet(days)]).toEqual([false, false]);
  expect(await map()).toEqual({ at: "2026-05-01T00:00:00.000Z", day: "2026-04-30" });
});

test("a corrected tracking number changes the shipment, and undo restores it unless it was corrected since", async () => {
  const { id } = await anOrder({ lines: [{ sku: "MUG", quantity: 1 }] });
  await run(id, "mark_shipped", { tracking_number: "WRONG-1", carrier: "ups" });
  const [listed] = (await read(id)).shipments;
  const numberOf = async () => (await org.get(`/shipments/${listed.id}`)).body.trackingNumber;
  const again = await run(id, "mark_shipped", { tracking_number: "RIGHT-1" });
  expect(again.results[0].steps[0]).toMatchObject({ status: "no_change", warning: { code: "already_shipped" } });

  const corrected = await run(id, "correct_tracking", { tracking_number: "RIGHT-1" });
  expect([await numberOf(), (await read(id)).shipments[0].trackingNumber]).toEqual(["RIGHT-1", "RIGHT-1"]);
  const undone = (await org.post(`/operations/runs/${corrected.id}/undo`, {})).body;
  expect([undone.status, await numberOf(), (await read(id)).shipments]).toEqual(["succeeded", "WRONG-1", [listed]]);

  const second = await run(id, "correct_tracking", { tracking_number: "RIGHT-2" });
  expect((await org.patch(`/shipments/${listed.id}`, { trackingNumber: "RIGHT-3" })).status).toBe(200);
  const kept = (await org.post(`/operations/runs/${second.id}/undo`, {})).body;
  expect(kept.results[0].steps[0]).toMatchObject({ status: "undo_failed", error: { code: "changed_after_run" } });
  expect(await numberOf()).toBe("RIGHT-3");
});

test("undoing a note keeps later changes of other notes", async () => {
  const { id, notes } = await anOrder({ notes: [{ text: "first" }] });
  const added = await run(id, "add_note", { text: "second" });
  const both = (await read(id)).notes as { id: string; text: string }[];
  const edited = both.map((note) => ({ id: note.id, text: note.id === notes[0].id ? "first, edited" : note.text }));
  expect((await org.patch(`/orders/${id}`, { notes: edited })).status).toBe(200);
  expect((await org.post(`/operations/runs/${added.id}/undo`, {})).body.status).toBe("succeeded");
  expect((await read(id)).notes).toMatchObject([{ text: "first, edited" }]);
});

/** More of them with ACTION_SEQUENCES. */
const sequences = Number(process.env.ACTION_SEQUENCES ?? 12);

test("the preflight reports exactly the changes of the run, and undo reverts exactly these", async () => {
  const places = await Promise.all(
    ["East", "West"].map(
      async (name) => (await org.post("/locations", { name, address: aParcel.from })).body.id as string,
    ),
  );
  await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
  const set = (await org.post("/condition-sets", { name: "out of stock" })).body.id;
  await org.post(`/condition-sets/${set}/values`, { values: ["B"] });
  const line = fc.record({
    sku: fc.constantFrom("A", "B", "C"),
    quantity: fc.integer({ min: 1, max: 5 }),
    price: fc.constantFrom(1.25, 10, 99.99),
    weight: fc.constantFrom({ value: 300, unit: "g" }, { value: 2, unit: "lb" }),
  });
  const order = fc.record({
    status: fc.constantFrom("new", "ready", "ready", "awaiting_payment"),
    channel: fc.constantFrom("web", undefined),
    locationId: fc.constantFrom(...places, undefined),
    shippingAddress: fc.constantFrom(
      aParcel.to,
      { ...aParcel.to, zip: " 122071234 " },
      { ...aParcel.to, zip: "90210" },
    ),
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    total: fc.constantFrom(100, 3.5, undefined),
    customFields: fc.constantFrom({}, { tracking: "T-1" }),
  });
  const step = fc.constantFrom(
    { type: "choose_rate", params: { max_transit_days: 3 } },
    { type: "choose_rate", params: { prefer: "fastest" } },
    { type: "edit_lines", params: { quantities: [{ line: "A", quantity: 2 }], remove: ["C"] } },
    { type: "edit_lines", params: { add: [{ sku: "GIFT", quantity: 1, price: 0 }] } },
    { type: "split", params: { by: "location", locations: [{ location_id: places[0]!, skus: ["A"] }] } },
    { type: "split", params: { by: "availability", unavailable: { condition_set: "out of stock" } } },
    { type: "validate_address", params: { mode: "validate_and_normalize", on_failure: "hold" } },
    { type: "mark_shipped", params: { tracking_number: "{{customFields.tracking}}" } },
    { type: "correct_tracking", params: { tracking_number: "T-2" } },
    { type: "add_note", params: { text: "{{number}} by {{channel}}" } },
    { type: "merge", params: { by: "ship_to" } },
  );
  const property = fc.asyncProperty(
    fc.array(order, { minLength: 1, maxLength: 4 }),
    fc.array(step, { minLength: 1, maxLength: 4 }),
    async (orders, actions) => {
      const made = (await org.post("/orders/bulk", { orders })).body.results as { id: string }[];
      const order_ids = made.map(({ id }) => id);
      const before = await Promise.all(order_ids.map(read));
      const request = { order_ids, actions, on_error: "continue" };
      const report = (await org.post("/operations/preflight", request)).body;
      expect(await Promise.all(order_ids.map(read))).toEqual(before);
      const done = (await org.post("/operations/run", request)).body;
      const promised = new Map<string, Step[]>(
        report.orders.map((one: { order_id: string; steps: Step[] }) => [one.order_id, one.steps]),
      );
      for (const { order_id, steps } of done.results as { order_id: string; steps: Step[] }[]) {
        expect(steps.map(essence)).toEqual(promised.get(order_id)!.map(essence));
      }
      const undo = await org.post(`/operations/runs/${done.id}/undo`, {});
      if (undo.status === 400) {
        expect(undo.body.code).toBe("nothing_to_undo");
        return;
      }
      const after = await Promise.all(order_ids.map(read));
      const kept = new Set(
        (undo.body.results as { order_id: string; status: string }[]).flatMap(({ order_id, status }) =>
          status === "failed" ? [order_id] : [],
        ),
      );
      for (const [i, { version: _version, updatedAt: _at, childCount: _children, ...was }] of before.entries()) {
        if (!kept.has(was.id)) expect(after[i]).toMatchObject(was);
      }
      expect([...kept]).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: sequences });
});

const generated = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** What a step does, but for ids and times that are made when it is done. */
function essence({
  verdict,
  status,
  error,
  changes,
  warning,
  ...rest
}: Step & { created_order_ids?: string[]; price?: object }) {
  const what =
    verdict ?? (status === "applied" ? (warning ? "warning" : "ok") : status === "failed" ? "blocked" : status);
  const told = { what, code: error?.code, changes, warning, price: rest.price, made: rest.created_order_ids?.length };
  return JSON.parse(JSON.stringify(told).replaceAll(generated, "made"));
}

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { runWork } from "./operations.ts";

const hub = await startTestHub();
const org = await hub.org();

async function makeOrders(count: number, fields: object = {}, by: TestOrg = org): Promise<string[]> {
  const orders = Array.from({ length: count }, () => ({ status: "ready", ...fields }));
  const { body } = await by.post("/orders/bulk", { orders });
  return body.results.map(({ id }: { id: string }) => id);
}
const tag = (...tags: string[]) => ({ type: "add_tags", params: { tags } });
const run = (order_ids: string[], actions: object[], more: object = {}) =>
  org.post("/operations/run", { order_ids, actions, ...more });
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;

describe("the catalog", () => {
  test("lists every action with its params, allowed statuses and effects", async () => {
    const { body } = await org.get("/operations/actions");
    expect(body.data.length).toBeGreaterThanOrEqual(32);
    const byType = Object.fromEntries(body.data.map((action: { type: string }) => [action.type, action]));
    expect(byType.hold).toMatchObject({ effect: "local", reversible: true, available: true });
    expect(byType.hold.params_schema.properties.reason.enum).toContain("high_risk_of_fraud");
    expect(byType.run_task).toMatchObject({ available: false, unavailable_reason: expect.stringContaining("bridge") });
  });
});

describe("a run", () => {
  test("applies the steps in sequence to each order, and records the changes", async () => {
    const [id] = (await makeOrders(1, { tags: ["old"] })) as [string];
    const { status, body } = await run([id], [tag("new"), { type: "hold", params: { reason: "operator" } }]);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: "succeeded",
      summary: { total: 1, succeeded: 1, failed: 0, skipped: 0, no_change: 0 },
    });
    expect(body.results[0].steps).toMatchObject([
      {
        index: 0,
        type: "add_tags",
        status: "applied",
        changes: [{ path: "/tags", from: ["old"], to: ["old", "new"] }],
      },
      { index: 1, type: "hold", status: "applied" },
    ]);
    expect(await read(id)).toMatchObject({ tags: ["old", "new"], onHold: true, version: 2 });
    expect((await org.get(`/operations/runs/${body.id}`)).body).toEqual(body);
  });

  test("accepts order numbers too, processes each order once, and fails only unknown names", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const { number } = await read(id);
    const { body } = await run([id, number, id, "no such order", randomUUID()], [tag("x")]);
    expect(body).toMatchObject({ status: "partially_failed", duplicates_removed: 2, order_count: 3 });
    expect(body.results.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)).toEqual([
      null,
      "order_not_found",
      "order_not_found",
    ]);
    expect(body.errors_by_code).toEqual({ order_not_found: 2 });
  });

  test("reports no_change if nothing has to change", async () => {
    const ids = await makeOrders(2, { tags: ["x"] });
    const { body } = await run(ids, [tag("x")]);
    expect(body.summary).toEqual({
      total: 2,
      succeeded: 2,
      failed: 0,
      skipped: 0,
      cancelled: 0,
      no_change: 2,
      partially_undone: 0,
    });
    expect((await read(ids[0]!)).version).toBe(1);
  });

  test("skips the remaining steps of an order after a failure, unless on_error says otherwise", async () => {
    const [shipped] = (await makeOrders(1, { status: "shipped" })) as [string];
    const steps = [tag("a"), { type: "hold", params: {} }, tag("b")];
    const stopped = (await run([shipped], steps)).body;
    expect(stopped.results[0].steps.map(({ status }: { status: string }) => status)).toEqual([
      "applied",
      "failed",
      "skipped",
    ]);
    expect(stopped.results[0]).toMatchObject({
      status: "failed",
      resume_from_step: 1,
      error: { code: "invalid_state" },
    });
    const [other] = (await makeOrders(1, { status: "shipped" })) as [string];
    const gone = (await run([other], steps, { on_error: "continue" })).body;
    expect(gone.results[0].steps.map(({ status }: { status: string }) => status)).toEqual([
      "applied",
      "failed",
      "applied",
    ]);
    expect((await read(other)).tags).toEqual(["a", "b"]);
  });

  test("rolls back all steps of a failed order when it is atomic", async () => {
    const [id] = (await makeOrders(1, { status: "shipped" })) as [string];
    const { body } = await run([id], [tag("a"), { type: "hold", params: {} }], { atomic: true });
    expect(body.results[0].steps.map(({ status }: { status: string }) => status)).toEqual(["rolled_back", "failed"]);
    expect(body.results[0].resume_from_step).toBe(0);
    expect(await read(id)).toMatchObject({ tags: [], version: 1 });
  });

  test("stops on abort_run, and lists the orders that were not processed", async () => {
    const [a, c] = await makeOrders(2);
    const [b] = await makeOrders(1, { status: "shipped" });
    const { body } = await run([a!, b!, c!], [tag("t"), { type: "hold", params: {} }], { on_error: "abort_run" });
    expect(body).toMatchObject({ status: "partially_failed", summary: { succeeded: 1, failed: 1, skipped: 1 } });
    expect((await read(c!)).version).toBe(1);
  });

  test("applies a step only if its condition is met, also with a condition set", async () => {
    const { body: set } = await org.post("/condition-sets", { name: "Islands" });
    await org.post(`/condition-sets/${set.id}/values`, { values: ["HI", "PR"] });
    const [hawaii] = await makeOrders(1, { shippingAddress: { provinceCode: "hi", countryCode: "US" } });
    const [ohio] = await makeOrders(1, { shippingAddress: { provinceCode: "OH", countryCode: "US" } });
    const when = {
      all: [
        { path: "shippingAddress.provinceCode", op: "in_set", value: "islands" },
        { path: "status", op: "eq", value: "ready" },
      ],
    };
    const { body } = await run([hawaii!, ohio!], [{ ...tag("island"), when }]);
    expect(body.results[1].steps[0]).toMatchObject({ status: "skipped", error: { code: "condition_not_met" } });
    expect((await read(hawaii!)).tags).toEqual(["island"]);
    expect((await read(ohio!)).tags).toEqual([]);
  });

  test("asserts membership in a condition set, in preflight and run, and rejects an unknown set", async () => {
    const { body: set } = await org.post("/condition-sets", { name: "Served" });
    await org.post(`/condition-sets/${set.id}/values`, { values: ["US"] });
    const [served] = await makeOrders(1, { shippingAddress: { countryCode: "US" } });
    const [other] = await makeOrders(1, { shippingAddress: { countryCode: "FR" } });
    const asserting = (value: string) => {
      const when = { any: [{ path: "shippingAddress.countryCode", op: "in_set", value }] };
      return { order_ids: [served!, other!], actions: [{ type: "assert", params: { when } }, tag("checked")] };
    };
    const preflight = (await org.post("/operations/preflight", asserting("served"))).body;
    expect(preflight).toMatchObject({ summary: { ok: 1, blocked: 1 }, errors_by_code: { assertion_failed: 1 } });
    const { body } = await org.post("/operations/run", asserting("served"));
    expect(body).toMatchObject({ status: "partially_failed", summary: { succeeded: 1, failed: 1 } });
    expect([(await read(served!)).tags, (await read(other!)).tags]).toEqual([["checked"], []]);
    for (const path of ["preflight", "run"]) {
      const refused = await org.post(`/operations/${path}`, asserting("nobody"));
      expect(refused.status).toBe(400);
      expect(refused.body.errors).toMatchObject([{ pointer: "/actions/0/params/when/any/0/value" }]);
    }
  });

  test("above 1,000 orders, or on request, is queued and processed by a worker", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const asked = await org.post(
      "/operations/run",
      { order_ids: [id], actions: [tag("later")] },
      { headers: { prefer: "respond-async" } },
    );
    expect(asked).toMatchObject({ status: 201, body: { status: "queued", results: [] } });
    const spelt = { headers: { prefer: "wait=5, Respond-Async" } };
    const again = await org.post("/operations/run", { order_ids: [id], actions: [tag("later")] }, spelt);
    expect(again.body.status).toBe("queued");
    const many = await run(await makeOrders(1_001), [tag("many")]);
    expect(many.body.status).toBe("queued");
    await workOff(hub.world, runWork);
    expect((await org.get(`/operations/runs/${many.body.id}`)).body).toMatchObject({
      status: "succeeded",
      summary: { succeeded: 1_001 },
    });
    expect((await read(id)).tags).toEqual(["later"]);
  });

  test("is created once for repeated requests with the same Idempotency-Key", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const headers = { "idempotency-key": randomUUID() };
    const body = { order_ids: [id], actions: [{ type: "add_note", params: { text: "once" } }] };
    const first = await org.post("/operations/run", body, { headers });
    const again = await org.post("/operations/run", body, { headers });
    expect(again.text).toBe(first.text);
    expect(first.body.status).toBe("succeeded");
    expect((await read(id)).notes).toHaveLength(1);
  });

  test("over the same orders as another one waits, and both are applied", async () => {
    const ids = await makeOrders(300);
    const reversed = ids.toReversed();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        run(i % 2 ? ids : reversed, [tag(`t${i}`), { type: "add_note", params: { text: `n${i}` } }]),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(["succeeded"]));
    for (const id of [ids[0]!, ids[150]!, ids[299]!]) {
      const order = await read(id);
      expect(order.tags.toSorted()).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"]);
      expect(order.notes).toHaveLength(6);
      expect(order.version).toBe(7);
    }
  });

  test("rejects an invalid pipeline as a whole, with pointers, and changes nothing", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const bad = await run(
      [id],
      [
        { type: "add_tag", params: { tags: ["x"] } },
        { type: "hold", params: { until: "2001-01-01T00:00:00Z", reson: "x" } },
        { type: "set_priority", params: { priority: "hgih" } },
        { ...tag("x"), when: { path: "status", op: "equals", value: 1 } },
        { type: "run_task", params: {} },
      ],
    );
    expect(bad.status).toBe(400);
    const byPointer = Object.fromEntries(bad.body.errors.map((error: { pointer: string }) => [error.pointer, error]));
    expect(byPointer["/actions/0/type"]).toMatchObject({ code: "unknown_action", suggestion: "add_tags" });
    expect(byPointer["/actions/1/params/reson"]).toMatchObject({ code: "unknown_field", suggestion: "reason" });
    expect(byPointer["/actions/2/params/priority"]).toMatchObject({ suggestion: "high" });
    expect(byPointer["/actions/3/when/op"]).toMatchObject({ code: "enum" });
    expect(byPointer["/actions/4/params/bridge_id"]).toMatchObject({ code: "required" });
    const past = await run([id], [{ type: "hold", params: { until: "2001-01-01T00:00:00Z" } }]);
    expect(past.body.errors).toEqual([
      expect.objectContaining({ pointer: "/actions/0/params/until", code: "date_in_past" }),
    ]);
    for (const body of [
      { order_ids: [], actions: [tag("x")] },
      { order_ids: [id], actions: [] },
      { order_ids: id, actions: [tag("x")] },
      { order_ids: Array.from({ length: 10_001 }, () => id), actions: [tag("x")] },
      { order_ids: [id], actions: Array.from({ length: 26 }, () => tag("x")) },
    ]) {
      expect((await org.post("/operations/run", body)).status).toBe(400);
    }
    expect((await read(id)).version).toBe(1);
  });

  test("cannot change orders of another organization", async () => {
    const other = await hub.org();
    const [theirs] = (await makeOrders(1, {}, other)) as [string];
    const { body } = await run([theirs], [tag("mine")]);
    expect(body.results[0].error.code).toBe("order_not_found");
    expect((await other.get(`/orders/${theirs}`)).body.tags).toEqual([]);
  });
});

describe("history", () => {
  test("lists runs newest first, with filters", async () => {
    const fresh = await hub.org();
    const ids = await makeOrders(2, {}, fresh);
    const start = (actions: object[]) => fresh.post("/operations/run", { order_ids: ids, actions });
    const first = (await start([tag("a")])).body;
    const second = (await start([{ type: "set_priority", params: { priority: "high" } }])).body;
    const list = async (query: string) =>
      (await fresh.get(`/operations/runs${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await list("")).toEqual([second.id, first.id]);
    expect(await list("?action_type=add_tags")).toEqual([first.id]);
    expect(await list("?status=failed")).toEqual([]);
    expect(await list(`?order_id=${ids[0]}`)).toEqual([second.id, first.id]);
    const { number } = (await fresh.get(`/orders/${ids[0]}`)).body;
    expect(await list(`?order_id=${number}`)).toEqual([second.id, first.id]);
    expect(await fresh.get("/operations/runs?order_id=nowhere")).toMatchObject({
      status: 404,
      body: { code: "order_not_found" },
    });
    expect((await fresh.get("/operations/runs?limit=1&page=2")).body).toMatchObject({
      data: [{ id: first.id }],
      pagination: { total: 2 },
    });
    expect((await fresh.get(`/operations/runs/${randomUUID()}`)).body).toMatchObject({
      status: 404,
      code: "operation_run_not_found",
    });
  });

  test("pages results by status and code", async () => {
    const good = await makeOrders(3);
    const bad = await makeOrders(2, { status: "delivered" });
    const { body } = await run([...good, ...bad], [{ type: "hold", params: {} }]);
    const results = `/operations/runs/${body.id}/results`;
    expect((await org.get(`${results}?status=failed`)).body.pagination.total).toBe(2);
    expect((await org.get(`${results}?code=invalid_state&limit=1`)).body.data).toHaveLength(1);
    expect((await org.get(`${results}?status=succeeded`)).body.pagination.total).toBe(3);
  });
});

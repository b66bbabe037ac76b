import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

async function makeOrders(...orders: object[]): Promise<string[]> {
  const { body } = await org.post("/orders/bulk", { orders: orders.map((fields) => ({ status: "ready", ...fields })) });
  return body.results.map(({ id }: { id: string }) => id);
}
const run = (order_ids: string[], actions: object[], more: object = {}) =>
  org.post("/operations/run", { order_ids, actions, ...more });
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const statuses = ({ body }: { body: { results: { steps: { status: string }[] }[] } }) =>
  body.results.map(({ steps }) => steps.map(({ status }) => status));
const tag = { type: "add_tags", params: { tags: ["x"] } };

describe("names of orders", () => {
  test("are case-sensitive, also within one list", async () => {
    const [id] = (await makeOrders({ number: "so-77" })) as [string];
    const { body } = await run(["so-77", "SO-77"], [tag]);
    expect(body).toMatchObject({ duplicates_removed: 0, summary: { total: 2, succeeded: 1, failed: 1 } });
    expect(body.results[1]).toMatchObject({ ref: "SO-77", order_id: null, error: { code: "order_not_found" } });
    const again = await run([id, id.toUpperCase()], [tag]);
    expect(again.body).toMatchObject({ duplicates_removed: 1, summary: { total: 1, no_change: 1 } });
  });
});

describe("`when`", () => {
  test("sees the order as in the API, and each step sees the changes of the steps before", async () => {
    const [id] = (await makeOrders({})) as [string];
    const onHold = { path: "onHold", op: "eq", value: true };
    const held = await run([id], [{ ...tag, when: onHold }, { type: "hold" }, { ...tag, when: onHold }]);
    expect(statuses(held)).toEqual([["skipped", "applied", "applied"]]);
    const archived = { type: "assert", params: { when: { path: "archived", op: "eq", value: false } } };
    expect(statuses(await run([id], [archived]))).toEqual([["no_change"]]);
  });

  test("compares times as instants, in any notation", async () => {
    const [id] = (await makeOrders({ shipBy: "2026-03-05T16:00:00Z" })) as [string];
    const since = (value: string) => ({ ...tag, when: { path: "shipBy", op: "gte", value } });
    const answer = await run([id], [since("2026-03-05T16:00:00Z"), since("2026-03-05T17:00:00+01:00")]);
    expect(statuses(answer)).toEqual([["applied", "no_change"]]);
    expect(statuses(await run([id], [since("2026-03-05T17:00:00Z")]))).toEqual([["skipped"]]);
  });

  test("with a misspelt field is rejected before anything is changed", async () => {
    const [id] = (await makeOrders({})) as [string];
    const when = { path: "staus", op: "ne", value: "ready" };
    const { status, body } = await run([id], [tag, { type: "cancel", params: { reason: "staff" }, when }]);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { pointer: "/actions/1/when/path", code: "unknown_field", suggestion: "status" },
    ]);
    expect(await read(id)).toMatchObject({ status: "ready", tags: [], version: 1 });
  });
});

describe("transitions that a run rejects", () => {
  test("are rejected by a patch too: cancelling an order at the partner, reopening a merged or shipped one", async () => {
    const fields = { customer: { email: "ada@example.com" }, lines: [{ sku: "A", quantity: 1 }] };
    const ids = await makeOrders(fields, fields, { status: "sent" }, { status: "ready", lines: fields.lines });
    await run(ids.slice(0, 2), [{ type: "merge" }]);
    await run([ids[3]!], [{ type: "mark_shipped" }]);
    const merged = (await Promise.all(ids.map(read))).find(({ mergedIntoId }) => mergedIntoId !== null);
    const moves = [
      [merged.id, "ready", "merged"],
      [ids[2]!, "cancelled", "requires_recall"],
      [ids[3]!, "ready", "already_shipped"],
    ];
    for (const [id, status, code] of moves) {
      const patched = await org.patch(`/orders/${id}`, { status });
      expect(patched.body).toMatchObject({
        status: 409,
        code: "invalid_state",
        errors: [{ pointer: "/status", code }],
      });
      expect(patched.body.errors[0].allowed).not.toContain(status);
      const set = await run([id], [{ type: "set_status", params: { status } }]);
      expect(set.body.results[0].error.code).toBe(code);
    }
    expect(await read(merged.id)).toMatchObject({ status: "cancelled" });
    expect(await read(ids[2]!)).toMatchObject({ status: "sent", version: 1 });
    await run([ids[3]!], [{ type: "mark_unshipped" }]);
    expect(await read(ids[3]!)).toMatchObject({ status: "ready", shipments: [] });
  });
});

describe("an order created from another one", () => {
  test("gets the next free number", async () => {
    const lines = [{ id: "a", sku: "A", quantity: 4, price: 1 }];
    const [id, other] = (await makeOrders({ number: "T-1", lines }, { number: "T-2", lines })) as [string, string];
    await makeOrders({ number: "T-1-1" }, { number: "T-1-2" }, { number: "T-1-4" });
    const actions = [{ type: "split", params: { by: "value", max_value: 2 } }, { type: "duplicate" }, tag];
    const { body } = await run([id, other], actions);
    expect(body).toMatchObject({ status: "succeeded", summary: { succeeded: 2 } });
    expect(await read(id)).toMatchObject({ childCount: 5, tags: ["x"], lines: [{ quantity: 2 }] });
    for (const number of ["T-1-3", "T-1-5", "T-2-1", "T-2-2"]) {
      expect((await read(number)).parentOrderId).toBe(number.startsWith("T-1") ? id : other);
    }
    expect((await org.post(`/operations/runs/${body.id}/undo`)).body).toMatchObject({ status: "succeeded" });
    expect(await read(id)).toMatchObject({ childCount: 0, lines: [{ quantity: 4 }] });
    expect((await org.get("/orders/T-1-3")).status).toBe(404);
    expect((await org.get("/orders/T-1-1")).status).toBe(200);
  });

  test("can be found by its number, even if the number of the other one is long", async () => {
    const [id] = (await makeOrders({ number: "N".repeat(99) })) as [string];
    const { body } = await run([id], [{ type: "duplicate" }]);
    const { number } = await read(body.results[0].steps[0].created_order_ids[0]);
    expect(number).toBe(`${"N".repeat(98)}-1`);
    expect((await run([number], [tag])).body).toMatchObject({ status: "succeeded" });
  });
});

test("a patch of a saved pipeline is rejected if the result could not run", async () => {
  const merging = [{ type: "merge" }];
  const { body: whole } = await org.post("/operations/pipelines", { name: "Join", actions: merging });
  const { body: single } = await org.post("/operations/pipelines", { name: "Tag", actions: [tag], atomic: true });
  const patches: [string, object][] = [
    [whole.id, { atomic: true }],
    [single.id, { actions: merging }],
  ];
  for (const [id, patch] of patches) {
    const answer = await org.patch(`/operations/pipelines/${id}`, patch);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: "/atomic", code: "not_atomic" }] });
    expect((await org.get(`/operations/pipelines/${id}`)).body.version).toBe(1);
  }
  const both = await org.patch(`/operations/pipelines/${single.id}`, { actions: merging, atomic: false });
  expect(both.body).toMatchObject({ atomic: false, version: 2 });
});

test("a preflight token covers everything that affects the run, but not the notation", async () => {
  const order_ids = await makeOrders({});
  const actions = [{ type: "hold", params: { reason: "operator", note: "n" } }];
  const { preflight_token } = (await org.post("/operations/preflight", { order_ids, actions })).body;
  for (const other of [{ atomic: true }, { on_error: "continue" }, { on_error: "abort_run" }]) {
    const { body } = await run(order_ids, actions, { preflight_token, ...other });
    expect(body).toMatchObject({ status: 400, errors: [{ code: "preflight_mismatch" }] });
  }
  const rewritten = [{ params: { note: "n", reason: "operator" }, type: "hold" }];
  const { body } = await run(order_ids, rewritten, { preflight_token, on_error: "skip_order", atomic: false });
  expect(body).toMatchObject({ status: "succeeded", preflight: { drifted_orders: [] } });
});

test("dates and carrier accounts in params are checked before any order is read", async () => {
  const [id] = (await makeOrders({})) as [string];
  const day = new Date(hub.world.clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 10);
  const held = await run([id], [{ type: "hold", params: { reason: "high_risk_of_fraud", until: day } }]);
  expect(held.body.status).toBe("succeeded");
  expect((await read(id)).holds).toMatchObject([{ until: `${day}T00:00:00.000Z` }]);
  const nobody = "019a0000-0000-7000-8000-000000000000";
  const { body } = await run(
    [id],
    [
      { type: "hold", params: { until: "2026-02-30" } },
      { type: "hold", params: { until: "2031-01-01T00:00:00" } },
    ],
  );
  expect(body.errors).toMatchObject([
    { pointer: "/actions/0/params/until", code: "format" },
    { pointer: "/actions/1/params/until", code: "format" },
  ]);
  const missing = await run([id], [{ type: "set_shipping", params: { carrier_account_id: nobody } }]);
  expect(missing.body.errors).toMatchObject([
    { pointer: "/actions/0/params/carrier_account_id", code: "carrier_account_not_found" },
  ]);
});

test("a step that is rolled back names no created orders", async () => {
  const order_ids = await makeOrders({});
  const failing = { type: "assert", params: { when: { path: "tags", op: "has_tag", value: "nobody" } } };
  const actions = [{ type: "duplicate" }, failing];
  const { body } = await run(order_ids, actions, { atomic: true });
  expect(body.results[0].steps).toMatchObject([{ status: "rolled_back" }, { status: "failed" }]);
  expect(body.results[0].steps[0].created_order_ids).toBeUndefined();
  const report = await org.post("/operations/preflight", { order_ids, actions, atomic: true });
  expect(report.body.orders[0].steps[0]).toMatchObject({ verdict: "blocked", changes: [{ path: "/childCount" }] });
  expect(report.body.orders[0].steps[0].created_order_ids).toBeUndefined();
});

test("an error after a merge explains how to exclude the merged orders", async () => {
  const fields = { customer: { email: "grace@example.com" }, lines: [{ sku: "A", quantity: 1 }] };
  const joined = await run(await makeOrders(fields, fields), [{ type: "merge" }, { type: "hold" }]);
  const refused = joined.body.results.find(({ status }: { status: string }) => status === "failed");
  expect(refused.error).toMatchObject({ code: "invalid_state", fix: expect.stringContaining("mergedIntoId") });
  const when = JSON.parse(/when: (\{.*?\})/.exec(refused.error.fix)![1]!) as object;
  const again = await run(await makeOrders(fields, fields), [{ type: "merge" }, { type: "hold", when }]);
  expect(again.body).toMatchObject({ status: "succeeded" });
  expect(statuses(again).toSorted()).toEqual([
    ["applied", "applied"],
    ["applied", "skipped"],
  ]);
});

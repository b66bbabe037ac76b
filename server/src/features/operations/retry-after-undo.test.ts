import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { runWork } from "./operations.ts";

const hub = await startTestHub();
const org = await hub.org();

async function makeOrders(...orders: object[]): Promise<string[]> {
  const { body } = await org.post("/orders/bulk", { orders: orders.map((fields) => ({ status: "ready", ...fields })) });
  return body.results.map(({ id }: { id: string }) => id);
}
const run = async (order_ids: string[], actions: object[], more: object = {}) =>
  (await org.post("/operations/run", { order_ids, actions, ...more })).body;
const retry = (id: string) => org.post(`/operations/runs/${id}/retry`);
const undo = (id: string) => org.post(`/operations/runs/${id}/undo`);
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const steps = ({ body }: { body: { results: { steps: { status: string; carried_over?: boolean }[] }[] } }) =>
  body.results[0]!.steps.map(({ status, carried_over }) => (carried_over ? `${status}, carried over` : status));

const note = { type: "add_note", params: { text: "counted" } };
const hold = { type: "hold", params: {} };
const unship = { type: "mark_unshipped" };
const asserting = (tag: string) => ({
  type: "assert",
  params: { when: { path: "tags", op: "has_tag", value: tag } },
});

describe("a retry after an undo", () => {
  test("repeats undone steps, except those that were done again since", async () => {
    const [id] = (await makeOrders({ status: "shipped" })) as [string];
    const first = await run([id], [note, hold]);
    const taken = await undo(first.id);
    expect(taken.body).toMatchObject({ status: "succeeded" });
    expect((await read(id)).notes).toEqual([]);

    const again = await retry(first.id);
    expect(steps(again)).toEqual(["applied", "failed"]);
    await run([id], [unship]);
    const last = await retry(first.id);
    expect(steps(last)).toEqual(["applied, carried over", "applied"]);
    expect(await read(id)).toMatchObject({ onHold: true, notes: [{ text: "counted" }] });
  });

  test("skips steps that an undo of the undo has restored", async () => {
    const [id] = (await makeOrders({ status: "shipped" })) as [string];
    const first = await run([id], [note, hold]);
    const taken = await undo(first.id);
    await undo(taken.body.id);
    await run([id], [unship]);
    expect(steps(await retry(first.id))).toEqual(["applied, carried over", "applied"]);
    expect((await read(id)).notes).toHaveLength(1);
  });
});

describe("an undo", () => {
  test("can be repeated after it was undone", async () => {
    const [id] = (await makeOrders({})) as [string];
    const first = await run([id], [note]);
    const taken = await undo(first.id);
    await undo(taken.body.id);
    expect((await read(id)).notes).toHaveLength(1);
    expect((await undo(first.id)).status).toBe(201);
    expect((await read(id)).notes).toHaveLength(0);
    expect((await undo(first.id)).body.code).toBe("nothing_to_undo");
  });

  test("that is repeated for the rest keeps changes that were made again by hand", async () => {
    const [id] = (await makeOrders({})) as [string];
    const tagged = { type: "add_tags", params: { tags: ["vip"] } };
    const first = await run([id], [tagged, { type: "set_priority", params: { priority: "high" } }]);
    await org.patch(`/orders/${id}`, { priority: "low" });
    expect((await undo(first.id)).body.results[0].error.code).toBe("changed_after_run");
    expect(await read(id)).toMatchObject({ tags: [], priority: "low" });

    await org.patch(`/orders/${id}`, { tags: ["vip"], priority: "high" });
    const rest = await undo(first.id);
    expect(rest.body.results[0].steps).toMatchObject([{ index: 1, status: "applied" }]);
    expect(await read(id)).toMatchObject({ tags: ["vip"], priority: "normal" });
  });

  test("works even if dates of the run are past or its condition sets were deleted", async () => {
    const [id] = (await makeOrders({})) as [string];
    const set = (await org.post("/condition-sets", { name: "short-lived" })).body;
    const until = new Date(hub.world.clock.now().getTime() + 60_000).toISOString();
    const when = { path: "channel", op: "not_in_set", value: set.id };
    const first = await run([id], [note, { type: "hold", params: { until }, when }]);
    expect(first.status).toBe("succeeded");
    expect((await org.delete(`/condition-sets/${set.id}`)).status).toBe(200);
    hub.advance(120_000);
    expect((await undo(first.id)).body).toMatchObject({ status: "succeeded" });
    expect(await read(id)).toMatchObject({ onHold: false, notes: [] });
  });
});

test("a retry is not rejected for a date that was in the future when the run was created", async () => {
  const [done, late] = (await makeOrders({}, { status: "shipped" })) as [string, string];
  const until = new Date(hub.world.clock.now().getTime() + 60_000).toISOString();
  const timed = { type: "hold", params: { until } };
  const first = await run([done, late], [timed, asserting("checked")], { on_error: "continue" });
  expect(first.summary).toMatchObject({ failed: 2 });
  hub.advance(120_000);
  await run([late], [unship]);
  await run([done, late], [{ type: "add_tags", params: { tags: ["checked"] } }]);
  const second = await retry(first.id);
  expect(second.body).toMatchObject({ status: "succeeded" });
  expect(steps(second)).toEqual(["applied, carried over", "no_change"]);
  expect(second.body.results[1].steps[0]).toMatchObject({
    status: "no_change",
    warning: { code: "hold_already_expired" },
  });
  expect((await read(late)).onHold).toBe(false);
});

describe("a run that a step stops", () => {
  test("reports orders with unprocessed steps as skipped, and a retry continues them", async () => {
    const fields = { customer: { email: "ada@example.com" }, lines: [{ sku: "A", quantity: 1 }] };
    const ids = await makeOrders({ ...fields, tags: ["ok"] }, fields);
    const guard = { ...asserting("ok"), on_error: "abort_run" };
    const first = await run(ids, [note, guard, { type: "merge" }]);
    expect(first).toMatchObject({ status: "failed", summary: { succeeded: 0, failed: 1, skipped: 1 } });
    expect(first.results[0]).toMatchObject({ status: "skipped", error: { code: "run_aborted" }, resume_from_step: 2 });
    await run([ids[1]!], [{ type: "add_tags", params: { tags: ["ok"] } }]);
    expect((await retry(first.id)).body).toMatchObject({ status: "succeeded", summary: { total: 2, succeeded: 2 } });
    expect((await Promise.all(ids.map(read))).map(({ status }) => status).toSorted()).toEqual(["cancelled", "ready"]);
  });

  test("skips orders of a retry that an earlier run has started", async () => {
    const ids = await makeOrders({ status: "shipped" }, { status: "shipped" });
    const first = await run(ids, [note, hold, { ...asserting("ok"), on_error: "abort_run" }]);
    expect(first.summary).toMatchObject({ failed: 2 });
    await run(ids, [unship]);
    const { body } = await retry(first.id);
    expect(body).toMatchObject({ status: "failed", summary: { succeeded: 0, failed: 1, skipped: 1 } });
    expect(body.results[1]).toMatchObject({ status: "skipped", error: { code: "run_aborted" }, resume_from_step: 1 });
    await run(ids, [{ type: "add_tags", params: { tags: ["ok"] } }]);
    expect((await retry(first.id)).body).toMatchObject({ status: "succeeded", summary: { total: 2 } });
  });

  test("stays stopped when another process continues it", async () => {
    const orders = Array.from({ length: 502 }, (_, i) => (i === 499 ? { status: "shipped" } : {}));
    const order_ids = await makeOrders(...orders);
    const body = { order_ids, actions: [{ ...hold, on_error: "abort_run" }] };
    const { id } = (await org.post("/operations/run", body, { headers: { prefer: "respond-async" } })).body;
    const leased = await runWork.leases.claimOneAcrossOrgs(hub.world.db, id, "somebody", [new Date()]);
    const slice = {
      owner: "somebody",
      signal: AbortSignal.abort(),
      isFresh: () => true,
      releaseSlot() {},
      shouldYield: () => true,
    };
    expect(await runWork.run(hub.world, leased!, slice)).toBe("yield");
    expect((await org.get(`/operations/runs/${id}`)).body).toMatchObject({ status: "running", summary: { failed: 1 } });
    await runWork.leases.endAllAcrossOrgs(hub.world.db);
    await workOff(hub.world, runWork);
    const { summary } = (await org.get(`/operations/runs/${id}`)).body;
    expect(summary).toMatchObject({ total: 502, succeeded: 499, failed: 1, skipped: 2 });
  });
});

describe("a retry after an order got a number that was unknown before", () => {
  test("processes the order, also in a second retry", async () => {
    const first = await run(["LATER-1"], [note, hold]);
    const [id] = (await makeOrders({ number: "LATER-1", status: "shipped" })) as [string];
    expect((await retry(first.id)).body).toMatchObject({ status: "failed", results: [{ order_id: id }] });
    await run([id], [unship]);
    expect((await retry(first.id)).body).toMatchObject({ status: "succeeded", results: [{ order_id: id }] });
    expect((await read(id)).notes).toHaveLength(1);
  });

  test("processes an order once if the run has it under its former number too", async () => {
    const [id] = (await makeOrders({ number: "OLD-1", status: "shipped" })) as [string];
    const actions = [hold, note, { type: "duplicate" }];
    const first = await run(["NEW-1", "OLD-1"], actions);
    expect(first.summary).toMatchObject({ failed: 2 });
    await run([id], [unship]);
    await org.patch(`/orders/${id}`, { number: "NEW-1" });
    const { body } = await retry(first.id);
    expect(body).toMatchObject({ order_count: 1, duplicates_removed: 1, summary: { succeeded: 1 } });
    expect(await read(id)).toMatchObject({ notes: [{ text: "counted" }], childCount: 1 });
    expect((await retry(first.id)).body).toMatchObject({ status: 400, code: "no_failed_orders" });
    expect(await read(id)).toMatchObject({ notes: [{ text: "counted" }], childCount: 1 });
  });
});

import { describe, expect, test } from "vitest";
import { change, systemContext } from "../../context.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Hold } from "./order.ts";
import { lockOrders, releaseDueHolds, updateOrders } from "./orders.ts";

const hub = await startTestHub();

function aHold(handle: string, until: string | null): Hold {
  const by = { type: "system", name: "test" } as const;
  return {
    id: handle,
    handle,
    reason: "other",
    note: null,
    until,
    source: "system",
    by,
    placedAt: "2026-01-01T00:00:00.000Z",
  };
}

async function hold(orgId: string, ids: string[], holds: Hold[]): Promise<void> {
  const ctx = systemContext(hub.world, orgId, "test");
  await change(ctx, async (tx) => {
    const orders = await lockOrders(tx, orgId, ids);
    const held = orders.map((before) => ({ before, after: { ...before, holds, version: before.version + 1 } }));
    await updateOrders(tx, ctx, held, new Set(["holds"]), ctx.clock.now().toISOString());
  });
}

const inMinutes = (minutes: number): string =>
  new Date(hub.world.clock.now().getTime() + minutes * 60_000).toISOString();

describe("a timed hold", () => {
  test("is released at its time, and other holds stay", async () => {
    const org = await hub.org();
    const { id } = (await org.post("/orders", {})).body;
    await hold(org.id, [id], [aHold("early", inMinutes(5)), aHold("late", inMinutes(60)), aHold("open", null)]);
    expect(await releaseDueHolds(hub.world)).toBe(0);
    expect((await org.get(`/orders/${id}`)).body).toMatchObject({ onHold: true, version: 2 });

    hub.advance(6 * 60_000);
    expect(await releaseDueHolds(hub.world)).toBe(1);
    const { body } = await org.get(`/orders/${id}`);
    expect(body.holds.map(({ handle }: Hold) => handle)).toEqual(["late", "open"]);
    expect(body).toMatchObject({ onHold: true, version: 3 });

    hub.advance(60 * 60_000);
    await releaseDueHolds(hub.world);
    expect((await org.get(`/orders/${id}`)).body.holds.map(({ handle }: Hold) => handle)).toEqual(["open"]);
    const events = (await org.get(`/audit?type=order.hold_released&objectId=${id}`)).body.data;
    expect(events.map(({ data }: { data: object }) => data)).toEqual([
      expect.objectContaining({ handles: ["late"], onHold: true }),
      expect.objectContaining({ handles: ["early"], onHold: true }),
    ]);
    expect(events[0].actor).toEqual({ type: "system", name: "timed holds" });
    const [entry] = (await org.get(`/orders/${id}/timeline`)).body.data;
    expect(entry).toMatchObject({ kind: "hold_released", actor: { type: "system" }, changes: [{ path: "/holds" }] });
  });

  test("is released once by several processes, in several organizations", async () => {
    const orgs = [await hub.org(), await hub.org()];
    const all: string[] = [];
    for (const org of orgs) {
      const { body } = await org.post("/orders/bulk", { orders: Array.from({ length: 250 }, () => ({})) });
      const ids = body.results.map(({ id }: { id: string }) => id);
      await hold(org.id, ids, [aHold("timed", inMinutes(1))]);
      all.push(...ids);
    }
    hub.advance(2 * 60_000);
    const node = await hub.secondNode();
    const released = await Promise.all([hub.world, node.world, hub.world, node.world].map(releaseDueHolds));
    expect(released.reduce((sum, count) => sum + count, 0)).toBe(all.length);
    for (const org of orgs) {
      expect((await org.get("/orders/counts")).body).toMatchObject({ on_hold: 0, total: 250 });
      expect((await org.get("/audit?type=order.hold_released")).body.pagination.total).toBe(250);
    }
    const rows = await hub.world.db.query("select 1 from orders where id = any($1) and version <> 3", [all]);
    expect(rows).toEqual([]);
  });

  test("waits while another transaction locks the order", async () => {
    const org = await hub.org();
    const { id } = (await org.post("/orders", {})).body;
    await hold(org.id, [id], [aHold("timed", inMinutes(1))]);
    hub.advance(2 * 60_000);
    await hub.world.db.transaction(async (tx) => {
      await lockOrders(tx, org.id, [id]);
      expect(await releaseDueHolds(hub.world)).toBe(0);
    });
    expect(await releaseDueHolds(hub.world)).toBe(1);
  });

  test("prevents shipping, and keeps the status that the order has on release", async () => {
    const org = await hub.org();
    const { id } = (await org.post("/orders", { status: "ready" })).body;
    await hold(org.id, [id], [aHold("open", null)]);
    const refused = await org.patch(`/orders/${id}`, { status: "sent" });
    expect(refused.body).toMatchObject({ status: 409, code: "invalid_state", errors: [{ code: "on_hold" }] });
    expect((await org.patch(`/orders/${id}`, { status: "review_required" })).body.status).toBe("review_required");
  });
});

describe("the timeline of an order", () => {
  test("lists who changed which field, newest first, and by which run", async () => {
    const org = await hub.org();
    const { id, number } = (await org.post("/orders", { tags: ["a"] })).body;
    hub.advance(1_000);
    await org.patch(`/orders/${id}`, { channel: "web", tags: ["a", "b"] });
    hub.advance(1_000);
    const steps = [
      { index: 0, type: "add_tags", status: "applied", changes: [{ path: "/tags", from: ["a", "b"], to: ["c"] }] },
      { index: 1, type: "set_priority", status: "no_change" },
      { index: 2, type: "hold", status: "applied", carried_over: true, changes: [] },
      { index: 3, type: "add_note", status: "failed", error: { code: "x", message: "y" } },
      { index: 4, type: "duplicate", status: "applied", created_order_ids: [id] },
    ];
    const runId = await insertRun(org.id, id, steps);
    const { body } = await org.get(`/orders/${number}/timeline`);
    const by = { type: "user", id: expect.any(String), email: "ada@example.com" };
    expect(body.data).toMatchObject([
      { id: `${runId}/4`, kind: "run_step", runId, step: 4, type: "duplicate", actor: by, changes: [] },
      { id: `${runId}/0`, kind: "run_step", runId, step: 0, type: "add_tags", actor: by, changes: steps[0]!.changes },
      {
        kind: "updated",
        actor: { type: "api_key" },
        changes: [
          { path: "/channel", from: null, to: "web" },
          { path: "/tags", from: ["a"], to: ["a", "b"] },
        ],
      },
      { kind: "created", changes: [] },
    ]);
    expect(body.pagination.total).toBe(4);
    const paged = await org.get(`/orders/${id}/timeline?limit=1&page=3`);
    expect(paged.body.data[0].kind).toBe("updated");
    expect((await (await hub.org()).get(`/orders/${id}/timeline`)).body.code).toBe("order_not_found");
  });

  test("is in chronological order, also for an undo and while the clock is stopped", async () => {
    const preview = await startTestHub({ environment: "preview" });
    const set = await preview.operator.post("/preview/clock", { now: "2027-06-07T12:00:00Z", frozen: true });
    expect(set.status).toBe(200);
    const org = await preview.org();
    const { id } = (await org.post("/orders", { tags: [] })).body;
    const tag = (type: string, name: string) => ({ type, params: { tags: [name] } });
    const actions = [tag("add_tags", "a"), tag("add_tags", "b"), tag("set_tags", "c")];
    const { body: run } = await org.post("/operations/run", { order_ids: [id], actions });
    await org.patch(`/orders/${id}`, { priority: "high" });
    await org.post(`/operations/runs/${run.id}/undo`);
    const { data } = (await org.get(`/orders/${id}/timeline`)).body;
    const told = data.map(({ kind, type, changes }: Entry) => [type ?? kind, changes[0]?.from, changes[0]?.to]);
    expect(told).toEqual([
      ["add_tags", ["a"], []],
      ["add_tags", ["a", "b"], ["a"]],
      ["set_tags", ["c"], ["a", "b"]],
      ["updated", "normal", "high"],
      ["set_tags", ["a", "b"], ["c"]],
      ["add_tags", ["a"], ["a", "b"]],
      ["add_tags", [], ["a"]],
      ["created", undefined, undefined],
    ]);
  });

  test("begins with the creation, also if a run created the order", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "S-1", lines: [{ sku: "A", quantity: 2, price: 5 }] });
    const actions = [{ type: "split", params: { by: "value", max_value: 5 } }, { type: "duplicate" }];
    const { body } = await org.post("/operations/run", { order_ids: ["S-1"], actions });
    const made: string[] = body.results[0].steps.flatMap(
      (step: { created_order_ids: string[] }) => step.created_order_ids,
    );
    expect(made).toHaveLength(2);
    for (const id of made) {
      const timeline = (await org.get(`/orders/${id}/timeline`)).body;
      expect(timeline.data).toMatchObject([{ kind: "created", actor: { type: "api_key" } }]);
    }
    await org.post(`/operations/runs/${body.id}/undo`);
    expect((await org.get(`/orders/${made[0]}/timeline`)).status).toBe(404);
  });
});

type Entry = { kind: string; type?: string; changes: { from: unknown; to: unknown }[] };

async function insertRun(orgId: string, orderId: string, steps: object[]): Promise<string> {
  const { db, clock, newId } = hub.world;
  const [runId, at] = [newId(), clock.now()];
  const by = { type: "user", id: newId(), email: "ada@example.com" };
  await db.query(
    `insert into operation_runs (id, org_id, status, actions, on_error, is_atomic, created_by, root_run_id, attempt,
       order_count, duplicates_removed, may_override, created_at)
     values ($1, $2, 'succeeded', '[]', 'continue', false, $3, $1, 1, 1, 0, false, $4)`,
    [runId, orgId, by, at],
  );
  await db.query(
    `insert into operation_results (run_id, position, ref, order_id, status, is_unchanged, todo, steps, finished_at)
     values ($1, 0, 'x', $2, 'succeeded', false, 0, $3, $4)`,
    [runId, orderId, JSON.stringify(steps), at],
  );
  return runId;
}

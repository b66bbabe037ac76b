import { beforeAll, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import type { TestClient } from "../../testing/test-client.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { runWork } from "../operations/operations.ts";
import { automationLeases } from "./automation-work.store.ts";
import { automationWork } from "./automations.ts";

const hub = await startTestHub();
let org: TestOrg;
beforeAll(async () => void (org = await hub.org()));

/** All that automations and their runs have to do, until nothing is left of it. */
async function work(): Promise<void> {
  let count: number;
  do {
    await hub.world.sealer.sealNow();
    count = (await workOff(hub.world, automationWork)) + (await workOff(hub.world, runWork));
  } while (count > 0);
}

type Action = { type: string; params?: object; when?: object };

async function pipelineOf(by: TestClient, ...actions: Action[]): Promise<string> {
  const { body } = await by.post("/operations/pipelines", { name: `P ${crypto.randomUUID()}`, actions });
  return body.id;
}

const tag = (...tags: string[]): Action => ({ type: "add_tags", params: { tags } });
const note: Action = { type: "add_note", params: { text: "seen" } };

async function automate(by: TestClient, more: object, ...actions: Action[]) {
  const pipeline_id = await pipelineOf(by, ...actions);
  const about = { name: `A ${crypto.randomUUID()}`, trigger: { types: ["order.created"] }, pipeline_id, mode: "run" };
  const { status, body } = await by.post("/automations", { ...about, ...more });
  expect(body, JSON.stringify(body)).toMatchObject({ is_active: true });
  expect(status).toBe(201);
  return body;
}

const invocationsOf = async (id: string, by: TestClient = org) =>
  (await by.get(`/automations/${id}/invocations`)).body.data;
const read = async (id: string, by: TestClient = org) => (await by.get(`/automations/${id}`)).body;
const tagsOf = async (id: string, by: TestClient = org): Promise<string[]> => (await by.get(`/orders/${id}`)).body.tags;

async function importOrders(by: TestClient, ...orders: object[]): Promise<string[]> {
  const { results } = (await by.post("/orders/bulk", { orders })).body;
  return results.map(({ id }: { id: string }) => id);
}

describe("an automation on events", () => {
  test("runs its pipeline once over the orders that meet its condition, and lists the invocation", async () => {
    const when = { path: "channel", op: "eq", value: "web" };
    const before = (await org.post("/orders", { channel: "web" })).body.id;
    const made = await automate(org, { when }, tag("from-web"));
    const [one, other] = await importOrders(org, { channel: "web" }, { channel: "phone" });
    const single = (await org.post("/orders", { channel: "web" })).body.id;
    await work();
    expect(await tagsOf(one!)).toEqual(["from-web"]);
    expect(await tagsOf(single)).toEqual(["from-web"]);
    // Neither what does not meet it, nor what was there before it.
    expect(await tagsOf(other!)).toEqual([]);
    expect(await tagsOf(before)).toEqual([]);
    const [invocation, ...more] = await invocationsOf(made.id);
    expect(more).toEqual([]);
    expect(invocation).toMatchObject({ kind: "run", order_count: 2, preflight_summary: null });
    expect(invocation.run).toMatchObject({ status: "succeeded", summary: { total: 2, succeeded: 2, failed: 0 } });
    const cause = { automation_id: made.id, depth: 1, automation_path: [made.id], scheduled_for: null };
    expect(invocation.cause).toMatchObject(cause);
    const run = (await org.get(`/operations/runs/${invocation.run.id}`)).body;
    expect(run).toMatchObject({
      cause: invocation.cause,
      created_by: { type: "system", name: `automation ${made.name}` },
    });
    expect((await org.get(`/operations/runs?automation_id=${made.id}`)).body.data).toHaveLength(1);
    expect(await read(made.id)).toMatchObject({ counters: { evaluated: 3, matched: 2, runs: 1, preflights: 0 } });

    const { data } = (await org.get("/events?types=orders.updated&limit=500")).body;
    const told = data.filter((event: { data: { runId?: string } }) => event.data.runId === invocation.run.id);
    expect(told[0].data.cause).toEqual({ automationId: made.id, depth: 1, automationPath: [made.id] });
    const numbers = [invocation.cause.from_sequence, invocation.cause.to_sequence];
    const created = (await org.get("/events?types=order.*&limit=500")).body.data;
    const between = created.filter(
      ({ sequence, type }: { sequence: string; type: string }) =>
        type.endsWith(".created") && sequence >= numbers[0] && sequence <= numbers[1],
    );
    expect(between).toHaveLength(2);
    await work();
    expect(await invocationsOf(made.id)).toHaveLength(1);
  });

  test("in preflight mode changes nothing, and stores what it would have done", async () => {
    const made = await automate(org, { mode: "preflight" }, tag("preflight"), { type: "mark_shipped", params: {} });
    const ids = await importOrders(org, { status: "ready", lines: [{ sku: "A", quantity: 1 }] }, { status: "draft" });
    await work();
    for (const id of ids) expect(await tagsOf(id)).not.toContain("preflight");
    const [invocation] = await invocationsOf(made.id);
    expect(invocation).toMatchObject({
      kind: "preflight",
      run: null,
      order_count: 2,
      preflight_summary: { orders: 2, blocked: 1 },
    });
    expect(Object.values(invocation.errors_by_code)).toEqual([1]);
    expect(await read(made.id)).toMatchObject({ mode: "preflight", counters: { preflights: 1, runs: 0 } });
  });

  test("is in preflight mode by default", async () => {
    const about = { name: "Careful", trigger: { types: ["order.*"] }, pipeline_id: await pipelineOf(org, note) };
    const { body } = await org.post("/automations", about);
    expect(body).toMatchObject({ mode: "preflight", max_orders_per_hour: 1_000, when: null, blocked_reason: null });
    await org.delete(`/automations/${body.id}`);
  });

  test("never triggers itself, and its undone runs stay undone", async () => {
    const tenant = await hub.org();
    const made = await automate(tenant, { trigger: { types: ["order.updated"] } }, note, tag("noted"));
    const { id } = (await tenant.post("/orders", {})).body;
    await tenant.patch(`/orders/${id}`, { channel: "web" });
    await work();
    const [invocation, ...more] = await invocationsOf(made.id, tenant);
    expect(more).toEqual([]);
    const undo = await tenant.post(`/operations/runs/${invocation.run.id}/undo`);
    expect(undo.body).toMatchObject({ status: "succeeded", cause: invocation.cause });
    await work();
    expect(await invocationsOf(made.id, tenant)).toHaveLength(1);
    expect(await tagsOf(id, tenant)).toEqual([]);
  });

  test("triggers others at most three levels deep, and records what was not run", async () => {
    const tenant = await hub.org();
    const link = (from: string, to: string) =>
      automate(
        tenant,
        { trigger: { types: ["order.updated"] }, when: { path: "tags", op: "has_tag", value: from } },
        tag(to),
      );
    // The last one first: in the other order they would follow one another on the same event.
    const backwards = [await link("d", "e"), await link("c", "d"), await link("b", "c"), await link("a", "b")];
    const chain = backwards.toReversed();
    const { id } = (await tenant.post("/orders", {})).body;
    await tenant.patch(`/orders/${id}`, { tags: ["a"] });
    await work();
    expect(await tagsOf(id, tenant)).toEqual(["a", "b", "c", "d"]);
    const [third] = await invocationsOf(chain[2].id, tenant);
    expect(third.cause).toMatchObject({ depth: 3, automation_path: chain.slice(0, 3).map((one) => one.id) });
    expect(await invocationsOf(chain[3].id, tenant)).toMatchObject([
      { kind: "depth_exceeded", order_count: 1, run: null },
    ]);
  });

  test("gets no events of another organization", async () => {
    const tenant = await hub.org();
    const made = await automate(tenant, {}, tag("mine"));
    const { id } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(id)).not.toContain("mine");
    expect(await invocationsOf(made.id, tenant)).toEqual([]);
  });

  test("skips orders that no longer meet filter or condition when they are processed", async () => {
    const trigger = { types: ["order.created"], filter: { channel: ["web", "shop"] } };
    const when = { path: "priority", op: "eq", value: "high" };
    const { id } = await automate(org, { trigger, when }, tag("late"));
    expect((await org.get(`/automations/${id}`)).body.trigger).toEqual(trigger);
    const about = { channel: "web", priority: "high" };
    const [stays, moves, calms] = await importOrders(org, about, about, about);
    await hub.world.sealer.sealNow();
    await workOff(hub.world, automationWork);
    await org.patch(`/orders/${moves}`, { channel: "phone" });
    await org.patch(`/orders/${calms}`, { priority: "low" });
    await work();
    const tagged = await Promise.all([stays!, moves!, calms!].map((id) => tagsOf(id)));
    expect(tagged.map((tags) => tags.includes("late"))).toEqual([true, false, false]);
  });
});

describe("an automation that is paused by the hub", () => {
  test("is paused with an event at its limit of orders per hour, and loses no events", async () => {
    const tenant = await hub.org();
    const made = await automate(tenant, { max_orders_per_hour: 3 }, tag("counted"));
    await importOrders(tenant, {}, {});
    await work();
    const late = await importOrders(tenant, {}, {});
    await work();
    expect(await read(made.id, tenant)).toMatchObject({
      is_active: false,
      paused_by: { type: "system" },
      pause_reason: { code: "hourly_limit_reached" },
    });
    for (const id of late) expect(await tagsOf(id, tenant)).toEqual([]);
    const { data } = (await tenant.get("/events?types=automation.paused")).body;
    expect(data).toMatchObject([{ subject: `automation/${made.id}`, data: { reason: "hourly_limit_reached" } }]);
    const resumed = await tenant.post(`/automations/${made.id}/resume`, { from: "last_position" });
    expect(resumed.body).toMatchObject({ is_active: true, changed: true, pause_reason: null });
    await work();
    for (const id of late) expect(await tagsOf(id, tenant)).toEqual(["counted"]);
  });

  test("is paused when the key of its owner ends, and continues under the user who resumes it", async () => {
    const { body } = await org.post("/api-keys", { name: "maker" });
    const made = await automate(hub.client(body.key), {}, tag("by-key"));
    const rotated = await org.post(`/api-keys/${body.id}/rotate`, { graceSeconds: 0 });
    expect(await read(made.id)).toMatchObject({ blocked_reason: null });
    await org.delete(`/api-keys/${rotated.body.id}`);
    expect(await read(made.id)).toMatchObject({ is_active: true, blocked_reason: { code: "owner_inactive" } });
    const { id } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(id)).not.toContain("by-key");
    expect(await read(made.id)).toMatchObject({ is_active: false, pause_reason: { code: "owner_inactive" } });
    await org.post(`/automations/${made.id}/resume`);
    const { id: later } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(later)).toContain("by-key");
    expect(await tagsOf(id)).not.toContain("by-key");
    await org.post(`/automations/${made.id}/pause`);
  });

  test("does nothing that its owner is no longer allowed to do", async () => {
    const maker = await org.withRole("operator");
    const made = await automate(maker, {}, tag("by-operator"));
    await org.patch(`/users/${maker.userId}`, { role: "viewer" });
    const { id } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(id)).not.toContain("by-operator");
    const { pause_reason } = await read(made.id);
    expect(pause_reason).toMatchObject({ code: "insufficient_scope" });
    expect(pause_reason.message).toContain("operations:run");
  });

  test("does not lend the permissions of its owner to users who change its pipeline", async () => {
    const made = await automate(org, {}, tag("as-agreed"));
    const { pipeline_id } = made;
    const writer = await org.withScopes(["operations:write", "operations:read"]);
    await org.patch(`/operations/pipelines/${pipeline_id}`, { name: `Renamed ${crypto.randomUUID()}` });
    expect(await read(made.id)).toMatchObject({ blocked_reason: null });
    await writer.patch(`/operations/pipelines/${pipeline_id}`, { actions: [tag("slipped-in")] });
    expect(await read(made.id)).toMatchObject({ blocked_reason: { code: "pipeline_changed" } });
    const { id } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(id)).not.toContain("slipped-in");
    expect(await read(made.id)).toMatchObject({ is_active: false, pause_reason: { code: "pipeline_changed" } });
    await org.post(`/automations/${made.id}/resume`, { from: "last_position" });
    await work();
    expect(await tagsOf(id)).toContain("slipped-in");
    await org.post(`/automations/${made.id}/pause`);
  });

  test("reports what its pipeline lacks", async () => {
    const location = (await org.post("/locations", { name: "Soon gone" })).body;
    const other = (await org.post("/locations", { name: "Stays" })).body;
    const made = await automate(org, {}, { type: "assign_location", params: { location_id: other.id } });
    await org.patch(`/locations/${location.id}`, { is_default: true });
    await org.delete(`/locations/${other.id}`);
    await org.post("/orders", {});
    await work();
    const { pause_reason } = await read(made.id);
    expect(pause_reason.code).toBe("validation_failed");
    expect(pause_reason.message).toContain("/actions/0/params/location_id");
  });

  test("prevents the deletion of its pipeline and its condition set", async () => {
    const set = (await org.post("/condition-sets", { name: `Zips ${crypto.randomUUID()}` })).body;
    const when = { path: "shippingAddress.zip", op: "in_set", value: set.id };
    const made = await automate(org, { when, mode: "preflight" }, note);
    const refused = await org.delete(`/operations/pipelines/${made.pipeline_id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "pipeline_in_use" } });
    const listed = (await org.get(`/automations?pipeline_id=${made.pipeline_id}`)).body.data;
    expect(listed).toMatchObject([{ id: made.id }]);
    expect((await org.delete(`/condition-sets/${set.id}`)).status).toBe(409);
    expect((await org.delete(`/automations/${made.id}`)).body).toEqual({ id: made.id, deleted: true });
    expect((await org.delete(`/operations/pipelines/${made.pipeline_id}`)).status).toBe(200);
    expect((await org.delete(`/condition-sets/${set.id}`)).status).toBe(200);
  });
});

describe("an automation on a schedule", () => {
  test("runs over the orders of its filter when it is due, and once for all missed times", async () => {
    const tenant = await hub.org();
    const ids = await importOrders(
      tenant,
      { channel: "web" },
      { channel: "web", priority: "high" },
      { channel: "phone" },
    );
    const trigger = { cron: "0 6 * * *", timezone: "America/New_York", filter: { channel: "web" } };
    const made = await automate(tenant, { trigger, when: { path: "priority", op: "eq", value: "high" } }, note);
    expect(Date.parse(made.next_run_at)).toBeGreaterThan(hub.world.clock.now().getTime());
    await work();
    expect(await invocationsOf(made.id, tenant)).toEqual([]);
    await hub.world.db.query("update automations set next_run_at = $2, due_at = $2 where id = $1", [
      made.id,
      new Date(Date.parse(made.next_run_at) - 4 * 86_400_000),
    ]);
    await work();
    const [invocation, ...more] = await invocationsOf(made.id, tenant);
    expect(more).toEqual([]);
    expect(invocation).toMatchObject({ kind: "run", order_count: 1, run: { status: "succeeded" } });
    expect(invocation.cause).toMatchObject({ from_sequence: null, depth: 1 });
    expect((await tenant.get(`/orders/${ids[1]}`)).body.notes).toHaveLength(1);
    expect((await tenant.get(`/orders/${ids[0]}`)).body.notes).toHaveLength(0);
    const { next_run_at, counters } = await read(made.id, tenant);
    expect(Date.parse(next_run_at)).toBeGreaterThan(Date.now());
    expect(counters).toMatchObject({ evaluated: 2, matched: 1, runs: 1 });
  });
});

describe("the test of an automation", () => {
  test("preflights the orders of past events in their current state, with the permissions of the caller", async () => {
    const tenant = await hub.org();
    await importOrders(tenant, { channel: "web" }, { channel: "phone" }, { channel: "web", tags: ["tried"] });
    const made = await automate(tenant, { when: { path: "channel", op: "eq", value: "web" } }, tag("tried"));
    const { status, body } = await tenant.post(`/automations/${made.id}/test`, { days: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ events: 1, evaluated: 3, matched: 2, truncated: false, verdict: "ready" });
    expect(body.summary).toMatchObject({ orders: 2, ok: 1, no_change: 1, blocked: 0 });
    expect(body.orders[0].steps[0]).toMatchObject({ type: "add_tags", verdict: "ok" });
    expect(await invocationsOf(made.id, tenant)).toEqual([]);
    expect((await tenant.post(`/automations/${made.id}/test`)).status).toBe(200);
    expect((await tenant.post(`/automations/${made.id}/test`, { days: 31 })).status).toBe(400);
  });
});

describe("when workers fail", () => {
  test("a worker that lost its lease, or is too late, does nothing", async () => {
    const tenant = await hub.org();
    const made = await automate(tenant, {}, note);
    const { id } = (await tenant.post("/orders", {})).body;
    await hub.world.sealer.sealNow();
    const claim = async (owner: string) => (await automationLeases.claimOneAcrossOrgs(hub.world.db, made.id, owner))!;
    const slice = (owner: string) => ({
      owner,
      signal: new AbortController().signal,
      isFresh: () => true,
      releaseSlot() {},
      shouldYield: () => false,
    });
    const row = await claim("dead");
    await hub.world.db.query("update automations set lease_until = now() where id = $1", [made.id]);
    await automationWork.run(hub.world, await claim("alive"), slice("alive"));
    await automationWork.run(hub.world, row, slice("dead"));
    await work();
    expect(await invocationsOf(made.id, tenant)).toHaveLength(1);
    expect((await tenant.get(`/orders/${id}`)).body.notes).toHaveLength(1);

    await tenant.post("/orders", {});
    await hub.world.sealer.sealNow();
    const before = await claim("slow");
    await tenant.post(`/automations/${made.id}/pause`);
    await automationWork.run(hub.world, before, slice("slow"));
    expect(await invocationsOf(made.id, tenant)).toHaveLength(1);
  });

  test("two concurrent nodes process each event once", async () => {
    const tenant = await hub.org();
    const made = await automate(tenant, {}, note);
    const other = await hub.secondNode({ taskSlots: 0 });
    for (let nth = 0; nth < 6; nth++) {
      await importOrders(tenant, {}, {}, {});
      await hub.world.sealer.sealNow();
      await Promise.all([workOff(hub.world, automationWork), workOff(other.world, automationWork)]);
    }
    await work();
    const invocations = await invocationsOf(made.id, tenant);
    expect(invocations.reduce((sum: number, one: { order_count: number }) => sum + one.order_count, 0)).toBe(18);
    const orders = (await tenant.get("/orders?limit=100")).body.data;
    expect(orders.map(({ notes }: { notes: unknown[] }) => notes.length)).toEqual(Array.from({ length: 18 }, () => 1));
  });
});

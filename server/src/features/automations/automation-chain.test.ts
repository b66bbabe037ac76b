import { describe, expect, test } from "vitest";
import { automationFixture, tag } from "../../testing/automation-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { runWork } from "../operations/operations.ts";
import { automationLeases } from "./automation-work.store.ts";
import { automationWork } from "./automations.ts";

const hub = await startTestHub();
const { work, automate, pipelineOf, invocationsOf, tagsOf } = automationFixture(hub);

const tagged = (name: string) => ({ path: "tags", op: "has_tag", value: name });

describe("automations on the same event", () => {
  test("run in their order, each on the result of the former", async () => {
    const org = await hub.org();
    const third = await automate(org, { when: tagged("b") }, tag("c"));
    const second = await automate(org, { when: tagged("a"), position: 1 }, tag("b"));
    const first = await automate(org, { position: 1 }, tag("a"));
    expect([first.position, second.position]).toEqual([1, 1]);
    const positions = async () =>
      Object.fromEntries(
        (await org.get("/automations")).body.data.map((one: Record<string, unknown>) => [one.id, one.position]),
      );
    expect(await positions()).toEqual({ [first.id]: 1, [second.id]: 2, [third.id]: 3 });
    const { id } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(org, id)).toEqual(["a", "b", "c"]);

    const ids = [third.id, first.id, second.id];
    const ordered = await org.call("PUT", "/automations/order", { ids });
    expect(ordered.body.data.map((one: { id: string; position: number }) => [one.id, one.position])).toEqual(
      ids.map((one, index) => [one, index + 1]),
    );
    const { id: later } = (await org.post("/orders", {})).body;
    await work();
    expect(await tagsOf(org, later)).toEqual(["a", "b"]);
    const moved = await org.patch(`/automations/${third.id}`, { position: 50 });
    expect(moved.body).toMatchObject({ position: 3, owner: third.owner });
    expect(await positions()).toEqual({ [first.id]: 1, [second.id]: 2, [third.id]: 3 });
    const events = (await org.get("/events?types=automation.updated&limit=100")).body.data;
    expect(events.length).toBeGreaterThan(3);
  });

  test("the order must name all automations of the organization, and no others", async () => {
    const org = await hub.org();
    const [one, other] = [await automate(org, {}, tag("x")), await automate(org, {}, tag("y"))];
    const foreign = await automate(await hub.org(), {}, tag("z"));
    const refused = async (ids: string[]) => (await org.call("PUT", "/automations/order", { ids })).body.errors[0];
    expect(await refused([one.id])).toMatchObject({ pointer: "/ids", code: "incomplete" });
    expect(await refused([one.id, foreign.id])).toMatchObject({ pointer: "/ids/1", code: "automation_not_found" });
    expect(await refused([one.id, other.id, one.id])).toMatchObject({ pointer: "/ids" });
    const both = [
      [one.id, other.id],
      [other.id, one.id],
    ];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => org.call("PUT", "/automations/order", { ids: both[nth % 2] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test("stop_further_rules leaves the matched orders out of later automations, for that event", async () => {
    const org = await hub.org();
    const trigger = { types: ["order.created", "order.updated"] };
    const web = { path: "channel", op: "eq", value: "web" };
    await automate(org, { trigger: { types: ["order.created"] }, when: web, stop_further_rules: true }, tag("web"));
    const preview = { trigger, mode: "preflight", stop_further_rules: true };
    await automate(org, preview, tag("never"));
    await automate(org, { trigger }, tag("rest"));
    const { results } = (await org.post("/orders/bulk", { orders: [{ channel: "web" }, { channel: "phone" }] })).body;
    const [one, other] = results.map(({ id }: { id: string }) => id);
    await work();
    // The change by the first automation is another event, which reaches the later ones.
    expect([await tagsOf(org, one), await tagsOf(org, other)]).toEqual([["web", "rest"], ["rest"]]);

    const strict = await hub.org();
    await automate(strict, { when: web, stop_further_rules: true }, tag("web"));
    await automate(strict, {}, tag("rest"));
    const { id } = (await strict.post("/orders", { channel: "web" })).body;
    const { id: phone } = (await strict.post("/orders", { channel: "phone" })).body;
    await work();
    expect([await tagsOf(strict, id), await tagsOf(strict, phone)]).toEqual([["web"], ["rest"]]);
  });

  test("a later automation waits for the run of a former one, and goes on after a crash", async () => {
    const org = await hub.org();
    const first = await automate(org, {}, tag("a"));
    const second = await automate(org, { when: tagged("a") }, tag("b"));
    const { id } = (await org.post("/orders", {})).body;
    await hub.world.sealer.sealNow();
    // The worker of the first automation dies before it commits anything.
    const dead = await automationLeases.claimOneAcrossOrgs(hub.world.db, first.id, "dead");
    expect(dead).toBeDefined();
    await workOff(hub.world, automationWork);
    expect(await invocationsOf(org, second.id)).toEqual([]);
    await hub.world.db.query("update automations set lease_until = now() where id = $1", [first.id]);
    await workOff(hub.world, automationWork);
    // The run of the first automation is queued: nothing else is claimed, also not in vain.
    expect(await invocationsOf(org, first.id)).toHaveLength(1);
    expect(await invocationsOf(org, second.id)).toEqual([]);
    expect(await workOff(hub.world, automationWork)).toBe(0);
    await workOff(hub.world, runWork);
    await work();
    expect(await tagsOf(org, id)).toEqual(["a", "b"]);
    for (const one of [first, second]) expect(await invocationsOf(org, one.id)).toHaveLength(1);
  });

  test("a paused automation, or one on other events, holds up no other", async () => {
    const org = await hub.org();
    const paused = await automate(org, {}, tag("paused"));
    const { id: bridgeId } = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body;
    const elsewhere = { types: ["task_execution.queued"] };
    const claimed = await automate(org, { trigger: elsewhere }, tag("elsewhere"));
    await automate(org, {}, tag("goes-on"));
    await org.post(`/automations/${paused.id}/pause`);
    await org.post("/tasks/execute", { bridgeId, taskName: "noop" });
    const { id } = (await org.post("/orders", {})).body;
    await hub.world.sealer.sealNow();
    await automationLeases.claimOneAcrossOrgs(hub.world.db, claimed.id, "busy");
    await work();
    expect(await tagsOf(org, id)).toEqual(["goes-on"]);
  });
});

describe("branches", () => {
  test("the first branch that an order meets runs its pipeline; a test shows the branch of each order", async () => {
    const org = await hub.org();
    const total = (op: string, value: number) => ({ path: "total", op, value });
    const [dear, medium, rest] = [
      await pipelineOf(org, tag("dear")),
      await pipelineOf(org, tag("medium")),
      await pipelineOf(org, tag("rest")),
    ];
    const branches = [
      { when: total("gte", 500), pipeline_id: dear },
      { when: total("gte", 100), pipeline_id: medium },
    ];
    const when = { path: "channel", op: "eq", value: "web" };
    const made = await automate(org, { when, branches });
    expect(made).toMatchObject({ pipeline_id: null, branches, otherwise: null, blocked_reason: null });
    const orders = [700, 200, 20].map((amount) => ({ total: amount, channel: "web" }));
    const add = async (): Promise<string[]> =>
      (await org.post("/orders/bulk", { orders: [...orders, { total: 900, channel: "phone" }] })).body.results.map(
        ({ id }: { id: string }) => id,
      );
    const ids = await add();
    await work();
    const tags = async (list: string[]) => await Promise.all(list.map((id) => tagsOf(org, id)));
    expect(await tags(ids)).toEqual([["dear"], ["medium"], [], []]);
    const invocations = await invocationsOf(org, made.id);
    expect(
      invocations.map((one: { branch: string; order_count: number }) => [one.branch, one.order_count]).toSorted(),
    ).toEqual([
      ["0", 1],
      ["1", 1],
    ]);
    const patched = await org.patch(`/automations/${made.id}`, { otherwise: rest });
    expect(patched.body).toMatchObject({ otherwise: rest, branches });
    expect(await tags(await add().then(async (list) => (await work(), list)))).toEqual([
      ["dear"],
      ["medium"],
      ["rest"],
      [],
    ]);
    const report = (await org.post(`/automations/${made.id}/test`)).body;
    expect(report).toMatchObject({
      evaluated: 8,
      matched: 6,
      summary: { orders: 6, no_change: 5, ok: 1 },
      pipeline: [],
    });
    const parts = report.branches.map((one: { branch: string; matched: number }) => [one.branch, one.matched]);
    expect(parts).toEqual([
      ["0", 2],
      ["1", 2],
      ["otherwise", 2],
    ]);
    const first = report.orders.find((one: { order_id: string }) => one.order_id === ids[1]);
    expect(first).toMatchObject({ branch: "1", verdict: "no_change" });

    for (const id of [dear, rest]) expect((await org.delete(`/operations/pipelines/${id}`)).status).toBe(409);
    expect((await org.get(`/automations?pipeline_id=${rest}`)).body.data).toMatchObject([{ id: made.id }]);
    await org.patch(`/operations/pipelines/${medium}`, { actions: [tag("slipped-in")] });
    expect((await org.get(`/automations/${made.id}`)).body).toMatchObject({
      blocked_reason: { code: "pipeline_changed" },
    });
    const plain = await org.patch(`/automations/${made.id}`, { pipeline_id: dear });
    expect(plain.body).toMatchObject({ pipeline_id: dear, branches: null, otherwise: null, blocked_reason: null });
    expect((await org.delete(`/operations/pipelines/${rest}`)).status).toBe(200);
  });

  test("an order that moves to another branch before the run is processed is skipped", async () => {
    const org = await hub.org();
    const high = { path: "priority", op: "eq", value: "high" };
    const [one, other] = [await pipelineOf(org, tag("high")), await pipelineOf(org, tag("other"))];
    await automate(org, { branches: [{ when: high, pipeline_id: one }], otherwise: other });
    const { id } = (await org.post("/orders", {})).body;
    await hub.world.sealer.sealNow();
    await workOff(hub.world, automationWork);
    await org.patch(`/orders/${id}`, { priority: "high" });
    await work();
    expect(await tagsOf(org, id)).toEqual([]);
  });

  test("a mistake in a branch is reported where it is", async () => {
    const org = await hub.org();
    const pipeline_id = await pipelineOf(org, tag("x"));
    const good = { when: { path: "total", op: "gt", value: 1 }, pipeline_id };
    const refused = async (more: object) => {
      const about = { name: "Refused", trigger: { types: ["order.created"] } };
      const { status, body } = await org.post("/automations", { ...about, ...more });
      expect(status, JSON.stringify(more)).toBe(400);
      return body.errors[0];
    };
    const wrong = { when: { any: [{ path: "totl", op: "gt", value: 1 }] }, pipeline_id };
    const when = { path: "channel", op: "eq", value: "web" };
    expect(await refused({ when, branches: [good, wrong] })).toMatchObject({
      pointer: "/branches/1/when/any/0/path",
      suggestion: "total",
    });
    expect(await refused({ branches: [wrong] })).toMatchObject({ pointer: "/branches/0/when/any/0/path" });
    expect(await refused({ when: { ...when, path: "chanel" }, branches: [good] })).toMatchObject({
      pointer: "/when/path",
    });
    const unknown = { ...good, pipeline_id: crypto.randomUUID() };
    expect(await refused({ branches: [good, unknown] })).toMatchObject({
      pointer: "/branches/1/pipeline_id",
      code: "pipeline_not_found",
    });
    expect(await refused({ branches: [good], pipeline_id })).toMatchObject({ code: "one_of" });
    expect(await refused({ pipeline_id, otherwise: pipeline_id })).toMatchObject({ pointer: "/otherwise" });
    expect(await refused({ branches: [] })).toMatchObject({ pointer: "/branches" });
  });
});

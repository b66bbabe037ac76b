import { beforeAll, describe, expect, test } from "vitest";
import { automationFixture, tag } from "../../testing/automation-fixture.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { automationWork } from "./automations.ts";
import { endOfWait } from "./wait-until.ts";

const hub = await startTestHub();
const { work, automate, pipelineOf, invocationsOf, tagsOf } = automationFixture(hub);
const minute = 60_000;
const hour = 60 * minute;

let org: TestOrg;
beforeAll(async () => void (org = await hub.org()));

const waitingFor = async (id: string, by = org) => (await by.get(`/automations/${id}/waiting`)).body.data;
const paid = { path: "paymentStatus", op: "eq", value: "paid" };
const anOrder = async (more: object = {}): Promise<string> => (await org.post("/orders", more)).body.id;

describe("an automation that waits", () => {
  test("starts its run after the time, once, also if another event comes meanwhile", async () => {
    const types = ["order.created", "order.updated"];
    const made = await automate(
      org,
      { trigger: { types }, wait: { until: "2h" }, max_orders_per_hour: 10 },
      tag("waited"),
    );
    const id = await anOrder();
    await work();
    const [waiting, ...others] = await waitingFor(made.id);
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({ order_id: id, order_number: expect.any(String), next_check_at: waiting.ends_at });
    expect(Date.parse(waiting.ends_at) - Date.parse(waiting.since)).toBe(2 * hour);
    await org.patch(`/orders/${id}`, { channel: "web" });
    hub.advance(hour);
    await work();
    expect(await tagsOf(org, id)).toEqual([]);
    expect(await waitingFor(made.id)).toMatchObject([{ since: waiting.since, ends_at: waiting.ends_at }]);
    hub.advance(hour + minute);
    const other = await hub.secondNode({ taskSlots: 0 });
    await Promise.all([workOff(hub.world, automationWork), workOff(other.world, automationWork)]);
    await other.stop();
    await work();
    expect(await tagsOf(org, id)).toEqual(["waited"]);
    expect(await waitingFor(made.id)).toEqual([]);
    const [invocation, ...more] = await invocationsOf(org, made.id);
    expect(more).toEqual([]);
    expect(invocation).toMatchObject({
      kind: "run",
      order_count: 1,
      cause: { from_sequence: null, scheduled_for: waiting.ends_at, depth: 1, automation_path: [made.id] },
    });
    await org.delete(`/automations/${made.id}`);
  });

  test("starts its run when the order meets the condition, and leaves it out when the time is over", async () => {
    const made = await automate(org, { wait: { when: paid, at_most: "1d" } }, tag("paid-now"));
    const [pays, never, already] = [await anOrder(), await anOrder(), await anOrder({ paymentStatus: "paid" })];
    await work();
    expect(await tagsOf(org, already)).toEqual(["paid-now"]);
    expect((await waitingFor(made.id)).map((one: { order_id: string }) => one.order_id).toSorted()).toEqual(
      [pays, never].toSorted(),
    );
    await org.patch(`/orders/${pays}`, { paymentStatus: "paid" });
    await work();
    expect([await tagsOf(org, pays), await tagsOf(org, never)]).toEqual([["paid-now"], []]);
    hub.advance(25 * hour);
    await work();
    expect(await waitingFor(made.id)).toEqual([]);
    expect((await invocationsOf(org, made.id))[0]).toMatchObject({
      kind: "wait_ended",
      order_count: 1,
      errors_by_code: { wait_expired: 1 },
      run: null,
    });
    await org.patch(`/orders/${never}`, { paymentStatus: "paid" });
    await work();
    expect(await tagsOf(org, never)).toEqual([]);
    await org.delete(`/automations/${made.id}`);
  });

  test("drops an order that no longer matches, and follows a date that changes", async () => {
    const wait = { until: { path: "shipBy", minus: "1d" } };
    const when = { path: "channel", op: "eq", value: "web" };
    const made = await automate(org, { when, wait }, tag("due"));
    const shipBy = (hours: number) => new Date(hub.world.clock.now().getTime() + hours * hour).toISOString();
    const at = (hours: number) => ({ channel: "web", shipBy: shipBy(hours) });
    const [stays, leaves, moves, none] = [
      await anOrder(at(72)),
      await anOrder(at(72)),
      await anOrder(at(72)),
      await anOrder({ channel: "web" }),
    ];
    await work();
    expect((await waitingFor(made.id)).map((one: { order_id: string }) => one.order_id).toSorted()).toEqual(
      [stays, leaves, moves].toSorted(),
    );
    await org.patch(`/orders/${leaves}`, { channel: "phone" });
    await org.patch(`/orders/${moves}`, { shipBy: shipBy(1) });
    await work();
    expect((await waitingFor(made.id)).map((one: { order_id: string }) => one.order_id)).toEqual([stays]);
    const tags = async () => await Promise.all([stays, leaves, moves, none].map((id) => tagsOf(org, id)));
    expect(await tags()).toEqual([[], [], ["due"], []]);
    const ended = (await invocationsOf(org, made.id)).find(({ kind }: { kind: string }) => kind === "wait_ended");
    expect(ended).toMatchObject({ order_count: 1, errors_by_code: { no_longer_matches: 1 } });
    hub.advance(49 * hour);
    await work();
    expect(await tags()).toEqual([["due"], [], ["due"], []]);
    await org.delete(`/automations/${made.id}`);
  });

  test("keeps its waiting orders over a pause, and drops them with a new start, trigger or wait", async () => {
    const made = await automate(org, { wait: { until: "1h" } }, tag("resumed"));
    const id = await anOrder();
    await work();
    await org.post(`/automations/${made.id}/pause`);
    hub.advance(2 * hour);
    await work();
    expect(await tagsOf(org, id)).toEqual([]);
    await org.post(`/automations/${made.id}/resume`, { from: "last_position" });
    await work();
    expect(await tagsOf(org, id)).toEqual(["resumed"]);
    const next = await anOrder();
    await work();
    expect(await waitingFor(made.id)).toHaveLength(1);
    await org.post(`/automations/${made.id}/pause`);
    await org.post(`/automations/${made.id}/resume`);
    expect(await waitingFor(made.id)).toEqual([]);
    for (const patch of [{ wait: { until: "3h" } }, { trigger: { types: ["order.created"] } }, { wait: null }]) {
      await org.patch(`/automations/${made.id}`, { wait: { until: "2h" } });
      await anOrder();
      await work();
      expect(await waitingFor(made.id)).toHaveLength(1);
      await org.patch(`/automations/${made.id}`, patch);
      expect(await waitingFor(made.id)).toEqual([]);
    }
    hub.advance(5 * hour);
    await work();
    expect(await tagsOf(org, next)).toEqual([]);
    await org.delete(`/automations/${made.id}`);
  });

  test("lets the automations after it go on, and stops them for its orders if it says so", async () => {
    const tenant = await hub.org();
    const [waits, stops] = [{ until: "1h" }, { stop_further_rules: true }];
    const web = { path: "channel", op: "eq", value: "web" };
    await automate(tenant, { wait: waits, when: web, ...stops }, tag("first"));
    await automate(tenant, { wait: waits }, tag("second"));
    await automate(tenant, {}, tag("third"));
    const { id } = (await tenant.post("/orders", { channel: "web" })).body;
    const { id: other } = (await tenant.post("/orders", { channel: "phone" })).body;
    await work();
    expect([await tagsOf(tenant, id), await tagsOf(tenant, other)]).toEqual([[], ["third"]]);
    hub.advance(2 * hour);
    await work();
    expect([await tagsOf(tenant, id), await tagsOf(tenant, other)]).toEqual([["first"], ["third", "second"]]);
  });

  test("takes the branch that the order meets after the wait", async () => {
    const tenant = await hub.org();
    const branches = [{ when: paid, pipeline_id: await pipelineOf(tenant, tag("is-paid")) }];
    const otherwise = await pipelineOf(tenant, { type: "hold", params: { reason: "other" } });
    const made = await automate(tenant, { branches, otherwise, wait: { until: "1d" } });
    const [pays, never] = [(await tenant.post("/orders", {})).body.id, (await tenant.post("/orders", {})).body.id];
    await work();
    await tenant.patch(`/orders/${pays}`, { paymentStatus: "paid" });
    await work();
    expect(await waitingFor(made.id, tenant)).toHaveLength(2);
    hub.advance(25 * hour);
    await work();
    expect(await tagsOf(tenant, pays)).toEqual(["is-paid"]);
    expect((await tenant.get(`/orders/${never}`)).body.onHold).toBe(true);
  });

  test("shows its waiting orders to its own organization only", async () => {
    const made = await automate(org, { wait: { until: "1h" } }, tag("x"));
    expect((await (await hub.org()).get(`/automations/${made.id}/waiting`)).status).toBe(404);
    await org.delete(`/automations/${made.id}`);
  });

  test("a wait that cannot be is rejected with the field and the rule", async () => {
    const pipeline_id = await pipelineOf(org, tag("x"));
    const refused = async (wait: object) => {
      const about = { name: "Refused", trigger: { types: ["order.created"] }, pipeline_id };
      const { status, body } = await org.post("/automations", { ...about, wait });
      expect(status, JSON.stringify(wait)).toBe(400);
      return body.errors[0];
    };
    expect(await refused({})).toMatchObject({ pointer: "/wait", code: "required" });
    expect(await refused({ until: "1h", when: paid })).toMatchObject({ pointer: "/wait", code: "one_of" });
    expect(await refused({ until: "1h", at_most: "2h" })).toMatchObject({ pointer: "/wait/at_most" });
    expect(await refused({ until: "400d" })).toMatchObject({ pointer: "/wait/until", code: "maximum" });
    expect((await refused({ until: "soon" })).pointer).toContain("/wait/until");
    expect((await refused({ until: "next 24:00" })).pointer).toContain("/wait/until");
    expect(await refused({ until: { path: "total" } })).toMatchObject({
      pointer: "/wait/until/path",
      code: "not_a_date",
    });
    expect(await refused({ until: { path: "shipby" } })).toMatchObject({ suggestion: "shipBy" });
    expect(await refused({ when: { ...paid, path: "paid" } })).toMatchObject({ pointer: "/wait/when/path" });
  });
});

describe("the end of a wait", () => {
  const since = new Date("2026-03-28T14:30:00Z");
  const endOf = (until: NonNullable<Parameters<typeof endOfWait>[0]["until"]>, order = {}, zone = "Europe/Berlin") =>
    endOfWait({ until }, since, order, zone)?.toISOString();

  test("is so long after the event, or the next time of day in the zone, also when clocks change", () => {
    expect(endOf("90m")).toBe("2026-03-28T16:00:00.000Z");
    expect(endOf("1w")).toBe("2026-04-04T14:30:00.000Z");
    // 15:30 in Berlin.
    expect(endOf("next 16:00")).toBe("2026-03-28T15:00:00.000Z");
    // The next day is in summer time.
    expect(endOf("next 15:30")).toBe("2026-03-29T13:30:00.000Z");
    // 02:30 does not exist on that day.
    expect(endOf("next 02:30")).toBe("2026-03-29T01:30:00.000Z");
    expect(endOf("next 16:00", {}, "America/New_York")).toBe("2026-03-28T20:00:00.000Z");
  });

  test("is at a date of the order, earlier or later; a day is its beginning in the zone", () => {
    const order = { shipBy: "2026-04-01T10:00:00Z", requestedDeliveryDate: "2026-04-02" };
    expect(endOf({ path: "shipBy", minus: "4h" }, order)).toBe("2026-04-01T06:00:00.000Z");
    expect(endOf({ path: "shipBy", plus: "1d" }, order)).toBe("2026-04-02T10:00:00.000Z");
    expect(endOf({ path: "requestedDeliveryDate" }, order)).toBe("2026-04-01T22:00:00.000Z");
    expect(endOf({ path: "deliverBy" }, order)).toBeUndefined();
  });
});

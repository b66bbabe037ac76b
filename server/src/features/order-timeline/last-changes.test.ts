import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
type LastChange = {
  field: string;
  kind: string;
  runId?: string;
  step?: number;
  type?: string;
  actor: { type: string; id: string };
};
const lastChangesOf = async (id: string): Promise<Map<string, LastChange>> => {
  const { data } = (await org.get(`/orders/${id}/last-changes`)).body as { data: LastChange[] };
  return new Map(data.map((one) => [one.field, one]));
};

test("each field names its last change: a user, a step of a run, or an undo", async () => {
  const ann = await org.withRole("operator");
  const { body: order } = await org.post("/orders", { priority: "normal", tags: ["first"] });
  expect((await org.get(`/orders/${order.number}/last-changes`)).body).toMatchObject({
    data: [],
    origin: { kind: "created" },
  });
  await ann.patch(`/orders/${order.id}`, { priority: "low", channel: "web" });
  const actions = [
    { type: "add_note", params: { text: "hello" } },
    { type: "set_priority", params: { priority: "high" } },
    { type: "add_tags", params: { tags: ["vip"] } },
  ];
  const { body: run } = await org.post("/operations/run", { order_ids: [order.id], actions });
  const lastChanges = await lastChangesOf(order.id);
  expect([...lastChanges.keys()].toSorted()).toEqual(["channel", "notes", "priority", "tags"]);
  expect(lastChanges.get("channel")).toMatchObject({ kind: "updated", actor: { type: "user", id: ann.userId } });
  expect(lastChanges.get("priority")).toMatchObject({ kind: "run_step", runId: run.id, step: 1, type: "set_priority" });
  expect(lastChanges.get("tags")).toMatchObject({ runId: run.id, step: 2, actor: { type: "api_key" } });
  const { body: undone } = await org.post(`/operations/runs/${run.id}/undo`);
  expect((await lastChangesOf(order.id)).get("priority")).toMatchObject({ runId: undone.id });
  await ann.patch(`/orders/${order.id}`, { tags: ["last"] });
  expect((await lastChangesOf(order.id)).get("tags")).toMatchObject({ kind: "updated" });
});

test("the last changes name the actor and contain no personal data", async () => {
  const { body: order } = await org.post("/orders", { customer: { name: "Ada Byron" } });
  await org.patch(`/orders/${order.id}`, { customer: { name: "Grace Hopper" } });
  const reader = await org.withScopes(["orders:read"]);
  const { status, text } = await reader.get(`/orders/${order.id}/last-changes`);
  expect(status).toBe(200);
  expect(text).toContain('"field":"customer"');
  expect(text).not.toMatch(/Byron|Hopper/);
});

import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
type Blame = {
  field: string;
  kind: string;
  runId?: string;
  step?: number;
  type?: string;
  actor: { type: string; id: string };
};
const blameOf = async (id: string): Promise<Map<string, Blame>> => {
  const { data } = (await org.get(`/orders/${id}/blame`)).body as { data: Blame[] };
  return new Map(data.map((one) => [one.field, one]));
};

test("each field names who changed it last, by hand or by which step of which run; an undo is the last one then", async () => {
  const ann = await org.withRole("operator");
  const { body: order } = await org.post("/orders", { priority: "normal", tags: ["first"] });
  expect((await org.get(`/orders/${order.number}/blame`)).body).toMatchObject({
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
  const blame = await blameOf(order.id);
  expect([...blame.keys()].toSorted()).toEqual(["channel", "notes", "priority", "tags"]);
  expect(blame.get("channel")).toMatchObject({ kind: "patched", actor: { type: "user", id: ann.userId } });
  expect(blame.get("priority")).toMatchObject({ kind: "run_step", runId: run.id, step: 1, type: "set_priority" });
  expect(blame.get("tags")).toMatchObject({ runId: run.id, step: 2, actor: { type: "api_key" } });
  const { body: undone } = await org.post(`/operations/runs/${run.id}/undo`);
  expect((await blameOf(order.id)).get("priority")).toMatchObject({ runId: undone.id });
  await ann.patch(`/orders/${order.id}`, { tags: ["last"] });
  expect((await blameOf(order.id)).get("tags")).toMatchObject({ kind: "patched" });
});

test("tells whom to ask, not what was there: no personal data are in it", async () => {
  const { body: order } = await org.post("/orders", { customer: { name: "Ada Byron" } });
  await org.patch(`/orders/${order.id}`, { customer: { name: "Grace Hopper" } });
  const reader = await org.withScopes(["orders:read"]);
  const { status, text } = await reader.get(`/orders/${order.id}/blame`);
  expect(status).toBe(200);
  expect(text).toContain('"field":"customer"');
  expect(text).not.toMatch(/Byron|Hopper/);
});

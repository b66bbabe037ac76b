import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

async function anOrder(fields: object = {}): Promise<string> {
  return (await org.post("/orders", { status: "ready", ...fields })).body.id;
}
const run = async (order_ids: string[], actions: object[]) =>
  (await org.post("/operations/run", { order_ids, actions })).body;
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const groupsOf = async (id: string) => (await org.get(`/operations/runs/${id}/result-groups`)).body.data;

const tag = { type: "add_tags", params: { tags: ["sale"] } };
const urgent = { type: "set_priority", params: { priority: "urgent" } };
const colour = { type: "set_custom_field", params: { key: "colour", value: "red" } };

test("a partial undo is reported as such, with what is left and the reason", async () => {
  const [whole, part] = [await anOrder(), await anOrder()];
  const done = await run([whole, part], [tag, urgent]);
  await org.patch(`/orders/${part}`, { priority: "low" });
  const { body: promised } = await org.post(`/operations/runs/${done.id}/undo/preflight`);
  expect(promised.summary).toMatchObject({ reversible: 1, partially_reversible: 1, irreversible: 0 });
  const { body: undone } = await org.post(`/operations/runs/${done.id}/undo`);
  expect(undone).toMatchObject({
    status: "succeeded",
    summary: { succeeded: 2, failed: 0, no_change: 0, partially_undone: 1 },
    errors_by_code: {},
    results: [
      { status: "succeeded", error: null },
      {
        status: "succeeded",
        error: { code: "changed_after_run" },
        resume_from_step: null,
        steps: [
          { index: 1, status: "undo_failed" },
          { index: 0, status: "applied" },
        ],
      },
    ],
  });
  expect(await read(part)).toMatchObject({ tags: [], priority: "low" });
  expect((await org.get(`/operations/runs/${undone.id}?results_limit=0`)).body.summary.partially_undone).toBe(1);
  expect(await groupsOf(undone.id)).toMatchObject([
    { status: "succeeded", code: "changed_after_run", step: 1, type: "set_priority", count: 1, retryable: false },
  ]);
  expect((await org.get(`/operations/runs/${undone.id}/results?code=changed_after_run`)).body.data).toHaveLength(1);
  expect((await org.get(`/orders?lastRunFailed=true&ids=${part}`)).body.data).toEqual([]);
  const listed = (await org.get("/operations/runs?limit=1")).body.data[0];
  expect(listed).toMatchObject({ id: undone.id, summary: { succeeded: 2, partially_undone: 1 } });
  const types = (await org.get(`/audit?objectId=${undone.id}`)).body.data.map(({ type }: { type: string }) => type);
  expect(types).toContain("operation_run.succeeded");
});

test("each step that was not undone is named; an order without any undone step has failed", async () => {
  // The second order had the tag before: the run did nothing to it that could be taken back now.
  const orders = [await anOrder(), await anOrder({ tags: ["sale"] })];
  const done = await run(orders, [tag, urgent, colour]);
  for (const id of orders) await org.patch(`/orders/${id}`, { priority: "low", customFields: { colour: "blue" } });
  const { body: undone } = await org.post(`/operations/runs/${done.id}/undo`);
  expect(undone).toMatchObject({
    status: "partially_failed",
    summary: { succeeded: 1, failed: 1, partially_undone: 1 },
  });
  const groups = (await groupsOf(undone.id)) as { status: string; step: number; count: number; retryable: boolean }[];
  expect(groups.map(({ status, step, count, retryable }) => [status, step, count, retryable])).toEqual(
    expect.arrayContaining([
      ["succeeded", 1, 1, false],
      ["succeeded", 2, 1, false],
      ["failed", 2, 1, false],
    ]),
  );
  expect(groups).toHaveLength(3);
});

test("the rest of a partial undo can be undone by another one", async () => {
  const id = await anOrder();
  const done = await run([id], [tag, urgent]);
  await org.patch(`/orders/${id}`, { priority: "low" });
  expect((await org.post(`/operations/runs/${done.id}/undo`)).body.summary.partially_undone).toBe(1);
  await org.patch(`/orders/${id}`, { priority: "urgent" });
  expect((await org.post(`/operations/runs/${done.id}/undo`)).body).toMatchObject({
    status: "succeeded",
    summary: { partially_undone: 0 },
  });
  expect(await read(id)).toMatchObject({ tags: [], priority: "normal" });
});

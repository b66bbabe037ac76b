import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { runWork } from "./operations.ts";

test("10,000 orders x 5 actions: 3 % fail, are corrected and retried, everything is undone, and every order is as before", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const orders = Array.from({ length: 10_000 }, (_, i) => ({
    number: `S-${i}`,
    status: i % 100 < 3 ? "shipped" : "ready",
    tags: i % 2 ? ["odd"] : [],
    customFields: { batch: i % 7 },
    lines: [{ sku: `SKU-${i % 50}`, quantity: 1 + (i % 3), price: 9.99 }],
  }));
  const made = await org.post("/orders/bulk", { orders });
  expect(made.body.summary).toEqual({ total: 10_000, created: 10_000, failed: 0 });
  const order_ids: string[] = made.body.results.map(({ id }: { id: string }) => id);
  // Everything of every order but its bookkeeping.
  const snapshot = async (): Promise<string> =>
    JSON.stringify(
      await hub.world.db.query(
        `select md5(string_agg((to_jsonb(o) - 'version' - 'updated_at' - 'search')::text, '|' order by o.id)) as digest,
                count(*) from orders o`,
      ),
    );
  const before = await snapshot();
  const work = async (path: string, body?: object) => {
    const { status, body: run } = await org.post(path, body);
    expect(status).toBe(201);
    await workOff(hub.world, runWork);
    return (await org.get(`/operations/runs/${run.id}`)).body;
  };

  const first = await work("/operations/run", {
    order_ids,
    actions: [
      { type: "add_tags", params: { tags: ["bulk", "odd"] } },
      { type: "set_priority", params: { priority: "high" } },
      { type: "hold", params: { reason: "operator", note: "bulk" } },
      { type: "add_note", params: { text: "seen" } },
      { type: "set_custom_field", params: { key: "bulk", value: true } },
    ],
  });
  expect(first).toMatchObject({
    status: "partially_failed",
    summary: { total: 10_000, succeeded: 9_700, failed: 300 },
  });
  expect(first.errors_by_code).toEqual({ invalid_state: 300 });
  const csv = await org.get(`/operations/runs/${first.id}/results.csv`);
  expect(csv.text.trim().split("\n")).toHaveLength(10_001);

  // The cause is mended by the hub's own means, so that it can be taken back as well.
  const failed = order_ids.filter((_, i) => i % 100 < 3);
  const mended = await work("/operations/run", {
    order_ids: failed,
    actions: [{ type: "mark_unshipped", params: {} }],
  });
  expect(mended.summary).toMatchObject({ succeeded: 300 });
  const retried = await work(`/operations/runs/${first.id}/retry`);
  expect(retried).toMatchObject({ order_count: 300, status: "succeeded", summary: { succeeded: 300 } });
  expect((await org.get("/orders?status=on_hold&limit=1")).body.pagination.total).toBe(10_000);
  expect((await org.post(`/operations/runs/${first.id}/retry`)).status).toBe(400);

  for (const run of [retried, mended, first]) {
    const undone = await work(`/operations/runs/${run.id}/undo`);
    expect(undone.summary.failed).toBe(0);
  }
  expect(await snapshot()).toBe(before);
  expect((await org.get("/audit/verification")).body.ok).toBe(true);
});

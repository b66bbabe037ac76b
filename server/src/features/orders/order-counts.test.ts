import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

test("orders are counted by status with the filters of the list", async () => {
  const make = (count: number, more: object) =>
    org.post("/orders/bulk", { orders: Array.from({ length: count }, () => more) });
  await make(3, { tags: ["rush"], priority: "high" });
  await make(2, { tags: ["rush"], customer: { name: "Ada Byron" } });
  await make(4, {});
  const { data } = (await org.get("/orders?tag=rush&priority=high")).body;
  await org.post("/operations/run", {
    order_ids: [data[0].id],
    actions: [{ type: "hold", params: { reason: "high_risk_of_fraud" } }],
  });
  await org.post("/operations/run", {
    order_ids: [data[1].id],
    actions: [{ type: "cancel", params: { reason: "other" } }],
  });
  const counts = async (query: string, client = org) => (await client.get(`/orders/counts${query}`)).body;
  expect(await counts("")).toMatchObject({ total: 9, cancelled: 1, on_hold: 1, isCapped: false });
  expect(await counts("?tag=rush")).toMatchObject({ total: 5, cancelled: 1, on_hold: 1, isCapped: false });
  expect(await counts("?tag=rush&priority=high&statusNot=cancelled")).toMatchObject({
    total: 2,
    cancelled: 0,
    on_hold: 1,
  });
  expect(await counts("?tag=nothing")).toMatchObject({ total: 0, on_hold: 0 });
  expect(await counts("?search=byron")).toMatchObject({ total: 2 });
  for (const query of ["?tag=rush", "?priority=high", "?search=byron", "?statusNot=cancelled&tagsNone=rush"]) {
    const { pagination } = (await org.get(`/orders${query}`)).body;
    expect((await counts(query)).total, query).toBe(pagination.total);
  }
  expect((await org.get("/orders/counts?nonsense=1")).status).toBe(400);
});

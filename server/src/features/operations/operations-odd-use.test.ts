import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

async function makeOrders(...orders: object[]): Promise<string[]> {
  const { body } = await org.post("/orders/bulk", { orders: orders.map((fields) => ({ status: "ready", ...fields })) });
  return body.results.map(({ id }: { id: string }) => id);
}
const run = (order_ids: string[], actions: object[], more: object = {}) =>
  org.post("/operations/run", { order_ids, actions, ...more });
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const statuses = ({ body }: { body: { results: { steps: { status: string }[] }[] } }) =>
  body.results.map(({ steps }) => steps.map(({ status }) => status));
const tag = { type: "add_tags", params: { tags: ["x"] } };

describe("names of orders", () => {
  test("are told apart by upper and lower case, also when both stand in one list", async () => {
    const [id] = (await makeOrders({ number: "so-77" })) as [string];
    const { body } = await run(["so-77", "SO-77"], [tag]);
    expect(body).toMatchObject({ duplicates_removed: 0, summary: { total: 2, succeeded: 1, failed: 1 } });
    expect(body.results[1]).toMatchObject({ ref: "SO-77", order_id: null, error: { code: "order_not_found" } });
    const again = await run([id, id.toUpperCase()], [tag]);
    expect(again.body).toMatchObject({ duplicates_removed: 1, summary: { total: 1, no_change: 1 } });
  });
});

describe("`when`", () => {
  test("sees what callers see of an order, and each step what the steps before have done", async () => {
    const [id] = (await makeOrders({})) as [string];
    const onHold = { path: "onHold", op: "eq", value: true };
    const held = await run([id], [{ ...tag, when: onHold }, { type: "hold" }, { ...tag, when: onHold }]);
    expect(statuses(held)).toEqual([["skipped", "applied", "applied"]]);
    const archived = { type: "assert", params: { when: { path: "archived", op: "eq", value: false } } };
    expect(statuses(await run([id], [archived]))).toEqual([["no_change"]]);
  });

  test("compares moments, however they are written", async () => {
    const [id] = (await makeOrders({ shipBy: "2026-03-05T16:00:00Z" })) as [string];
    const since = (value: string) => ({ ...tag, when: { path: "shipBy", op: "gte", value } });
    const answer = await run([id], [since("2026-03-05T16:00:00Z"), since("2026-03-05T17:00:00+01:00")]);
    expect(statuses(answer)).toEqual([["applied", "no_change"]]);
    expect(statuses(await run([id], [since("2026-03-05T17:00:00Z")]))).toEqual([["skipped"]]);
  });

  test("with a misspelt field is refused before anything happens", async () => {
    const [id] = (await makeOrders({})) as [string];
    const when = { path: "staus", op: "ne", value: "ready" };
    const { status, body } = await run([id], [tag, { type: "cancel", params: { reason: "staff" }, when }]);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { pointer: "/actions/1/when/path", code: "unknown_field", suggestion: "status" },
    ]);
    expect(await read(id)).toMatchObject({ status: "ready", tags: [], version: 1 });
  });
});

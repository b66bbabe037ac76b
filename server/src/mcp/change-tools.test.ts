import { describe, expect, test } from "vitest";
import type { Scope } from "../core/scopes.ts";
import { eventually } from "../testing/eventually.ts";
import { aRecord, exceptionFixture, inboxOf } from "../testing/exception-fixture.ts";
import { connectMcp } from "../testing/mcp-client.ts";
import { startStandInIssuer } from "../testing/stand-in-issuer.ts";
import type { TestOrg } from "../testing/test-hub.ts";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub();
const { db } = hub.world;
const { floor, aShop, ended } = exceptionFixture(hub);

const working: Scope[] = ["orders:read", "operations:read", "operations:run", "exceptions:read", "exceptions:write"];

async function assistant(org: TestOrg, scopes: Scope[], maxOrdersPerRun: number) {
  const { body } = await org.post("/api-keys", { name: "Assistant", scopes, agent: { maxOrdersPerRun } });
  const { call } = await connectMcp(hub.url, body.key);
  /** Both steps of a change. */
  const confirmed = async (name: string, args: Record<string, unknown>) => {
    const shown = await call(name, args);
    expect(shown.body).toMatchObject({ done: false });
    return { shown: shown.body, done: (await call(name, { ...args, confirm: shown.body.confirm })).body };
  };
  return { call, confirmed };
}

describe("runs", () => {
  const addTag = [{ type: "add_tags", params: { tags: ["x"] } }];

  test("a retry runs the failed orders again", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "A-1", status: "shipped" });
    const { confirmed } = await assistant(org, working, 10);
    const hold = [{ type: "hold", params: { reason: "operator" } }];
    const { body: run } = await org.post("/operations/run", { order_ids: ["A-1"], actions: hold });
    expect(run.summary).toMatchObject({ failed: 1 });
    await db.query("update orders set status = 'ready' where org_id = $1", [org.id]);
    const { shown, done } = await confirmed("operations_runs_retry", { id: run.id });
    expect(shown.effect).toMatchObject({ run: { id: run.id }, groups: [{ code: "invalid_state", count: 1 }] });
    expect(done).toMatchObject({ status: "succeeded", retry_of: run.id, summary: { succeeded: 1 } });
    expect((await org.get("/orders/A-1")).body.onHold).toBe(true);
  });

  test("an unfinished run is cancelled", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "A-1", status: "ready" });
    const { confirmed } = await assistant(org, working, 10);
    const headers = { prefer: "respond-async" };
    // Nothing works on queued runs here.
    const { body: run } = await org.post("/operations/run", { order_ids: ["A-1"], actions: addTag }, { headers });
    expect(run.status).toBe("queued");
    const { shown, done } = await confirmed("operations_runs_cancel", { id: run.id });
    expect(shown.effect).toMatchObject({ run: { id: run.id, status: "queued" } });
    expect(done).toMatchObject({ id: run.id, status: "cancelled" });
    expect((await org.get("/orders/A-1")).body.tags).toEqual([]);
  });
});

describe("exceptions", () => {
  test("an order that was refused is sent again", async () => {
    const { org, one, list, importing, bridgeId, run } = await aShop();
    await importing(aRecord("M-1", { status: "ready" }));
    floor.refuses.add("M-1");
    const params = { bridge_id: bridgeId, task_name: "orders.export" };
    const { results } = await run("M-1", "run_task", params);
    await ended(org, results[0].steps[0].execution_id);
    const { id } = await one();
    floor.refuses.clear();
    const { confirmed } = await assistant(org, [...working, "tasks:execute"], 1);
    const { shown, done } = await confirmed("exceptions_resolve", { id, action: "retry" });
    expect(shown.effect).toMatchObject({ action: "retry", exception: { id, kind: "push" } });
    expect(done).toMatchObject({ status: "in_progress" });
    await eventually(list, (rows) => rows.length === 0);
    expect(floor.sent).toContain("M-1");
  });

  test("a failed task is retried only if it names its orders, and not more than the key may change", async () => {
    const org = await hub.org();
    const { one, list } = inboxOf(org);
    const { body: bridge } = await org.post("/bridges", { name: "Demo", connector: "demo" });
    const failing = { bridgeId: bridge.id, taskName: "fail", input: { message: "closed" }, maxAttempts: 1 };
    const { body } = await org.post("/tasks/execute", failing);
    await ended(org, body.id);
    const { id } = await one();
    const scopes: Scope[] = [...working, "tasks:read", "tasks:execute"];
    const [small, large] = [await assistant(org, scopes, 1), await assistant(org, scopes, 2)];
    const retry = { id, action: "retry" };
    const countExecutions = async () => (await org.get("/tasks/executions")).body.pagination.total as number;

    const unnamed = await large.confirmed("exceptions_resolve", retry);
    expect(unnamed.shown.effect.task).toMatchObject({ taskName: "fail" });
    expect(unnamed.shown.effect.task.orders).toContain("not known");
    expect(unnamed.done).toMatchObject({ code: "agent_key_restricted" });
    await db.query("update task_executions set task_name = 'noop', input = $2 where id = $1", [
      body.id,
      JSON.stringify({ orderIds: ["A-1", "A-2"] }),
    ]);
    const tooMany = await small.confirmed("exceptions_resolve", retry);
    expect(tooMany.shown.effect.task).toEqual({ taskName: "noop", orders: "at most 2" });
    expect(tooMany.done).toMatchObject({ code: "too_many_orders", matched: 2, max: 1 });
    expect(await countExecutions()).toBe(1);
    const blind = await assistant(org, [...working, "tasks:execute"], 1);
    const { shown } = await blind.confirmed("exceptions_resolve", retry);
    expect(shown.effect.task.orders).toContain("tasks:read");

    const done = await large.confirmed("exceptions_resolve", retry);
    expect(done.done).toMatchObject({ status: "in_progress" });
    await eventually(list, (rows) => rows.length === 0);
    expect(await countExecutions()).toBe(2);
  });
});

test("clients that sign users in learn from the 401 where the identity provider is", async () => {
  const issuer = await startStandInIssuer({ id: "hub", secret: "unused" });
  const signing = await startTestHub({ settings: { oidc: { issuer: issuer.url, audience: "hub" } } });
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  for (const client of [signing.anonymous, signing.client("ooh_live_wrong")]) {
    const { status, headers } = await client.post("!/mcp", message);
    const [, address] = /^Bearer .*resource_metadata="([^"]+)"$/.exec(headers.get("www-authenticate")!)!;
    expect([status, address]).toEqual([401, `${signing.url}/.well-known/oauth-protected-resource/mcp`]);
    expect((await signing.anonymous.get(`!${new URL(address!).pathname}`)).body).toEqual({
      resource: `${signing.url}/mcp`,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
    });
  }
  // Without an identity provider there is nothing to name.
  const { headers } = await hub.anonymous.post("!/mcp", message);
  expect(headers.get("www-authenticate")).toBe('Bearer realm="hub", error="missing_token"');
  expect((await hub.anonymous.get("!/.well-known/oauth-protected-resource/mcp")).status).toBe(404);
});

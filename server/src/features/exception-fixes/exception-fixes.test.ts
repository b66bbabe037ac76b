import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { dyingBeforeKeeping } from "../../testing/die-before-keeping.ts";
import { eventually } from "../../testing/eventually.ts";
import { aBrokenRecord, aRecord as record, exceptionFixture } from "../../testing/exception-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();
const { db } = hub.world;
const { floor, aShop, ended } = exceptionFixture(hub);

beforeEach(() => {
  floor.refuses.clear();
  floor.sent = [];
  floor.beforeTaking = async () => {};
});

describe("an order that did not arrive", () => {
  test("is sent again by a retry and resolved when it has arrived; the run shows how its tasks ended", async () => {
    const { org, one, fix, run, list, bridgeId, importing } = await aShop();
    await importing(record("P-1", { status: "ready" }), record("P-2", { status: "ready" }));
    floor.refuses.add("P-2");
    const actions = [
      { type: "add_tags", params: { tags: ["out"] } },
      { type: "run_task", params: { bridge_id: bridgeId, task_name: "orders.export" } },
    ];
    const started = (await org.post("/operations/run", { order_ids: ["P-1", "P-2"], actions })).body;
    const executionId: string = started.results[0].steps[1].execution_id;
    expect(await ended(org, executionId)).toMatchObject({ status: "completed_with_errors" });
    const tasksOf = async () => (await org.get(`/operations/runs/${started.id}`)).body.tasks;
    expect(await tasksOf()).toMatchObject([
      {
        step: 1,
        type: "run_task",
        task_name: "orders.export",
        executions: { completed_with_errors: 1, succeeded: 0 },
        failed_orders: 1,
        unknown_orders: 0,
      },
    ]);
    const row = await one("&kind=push");
    expect(row).toMatchObject({ code: "rejected", executionId, subject: { type: "order", name: "P-2" } });
    // What the other side says may quote whom the order is for.
    const stranger = await org.withScopes(["exceptions:read"]);
    const [masked] = await list("", stranger);
    expect([row.reason, masked!.reason]).toEqual(["P-2 is not known here", "The other system rejected the request."]);
    floor.refuses.clear();
    floor.sent = [];
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    floor.beforeTaking = () => taken;
    const answers = await Promise.all([fix(row.id, "retry"), fix(row.id, "retry")]);
    expect(answers.map(({ status, body }) => [status, body.code ?? body.status]).toSorted()).toEqual([
      [200, "in_progress"],
      [409, "retry_in_progress"],
    ]);
    const many = await org.post("/exceptions/resolve", { action: "retry", filter: { kind: "push" } });
    expect(many.body.results).toMatchObject([{ id: row.id, error: { code: "retry_in_progress" } }]);
    take();
    await eventually(list, (rows) => rows.length === 0);
    expect(floor.sent).toEqual(["P-2"]);
    const retryId = answers.find(({ status }) => status === 200)!.body.executionId as string;
    expect(await ended(org, retryId)).toMatchObject({ isPartial: true, retryOf: executionId, status: "succeeded" });
    expect(await tasksOf()).toMatchObject([
      { executions: { completed_with_errors: 0, succeeded: 1 }, failed_orders: 0 },
    ]);
    expect((await run("P-1", "add_tags", { tags: ["x"] })).tasks).toEqual([]);
    const listed = (await org.get("/tasks/executions?trigger=retry")).body.data as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([retryId]);
  });

  test("whose partner refuses a recall is an exception, stays in the history, and may be left there", async () => {
    const { org, one, fix, run, order, list, bridgeId, importing } = await aShop();
    await importing(record("R-1", { status: "ready" }));
    await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
    floor.refuses.add("R-1");
    const { results, id: runId } = await run("R-1", "recall_fulfillment", { bridge_id: bridgeId });
    await ended(org, results[0].steps[0].execution_id);
    const row = await one();
    expect(row).toMatchObject({ kind: "recall", code: "rejected", message: "Shop did not give R-1 back." });
    expect((await org.get(`/operations/runs/${runId}`)).body.tasks).toMatchObject([
      { step: 0, type: "recall_fulfillment", executions: { failed: 1 }, failed_orders: 1 },
    ]);
    const timeline = (await org.get(`/orders/R-1/timeline`)).body.data as { changes?: object[] }[];
    expect(timeline.flatMap(({ changes = [] }) => changes)).toContainEqual({
      path: "/status",
      from: "sent",
      to: "ready",
      keptLocal: true,
    });
    expect((await fix(row.id, "keep_local")).body.status).toBe("resolved");
    expect(await order("R-1")).toMatchObject({ status: "sent" });
    // Asked once more, they agree: what is open by then is over.
    const again = await run("R-1", "recall_fulfillment", { bridge_id: bridgeId });
    await ended(org, again.results[0].steps[0].execution_id);
    expect(await list()).toHaveLength(1);
    floor.refuses.clear();
    const last = await fix((await one()).id, "retry");
    await ended(org, last.body.executionId);
    await eventually(list, (rows) => rows.length === 0);
    expect(await order("R-1")).toMatchObject({ status: "ready" });
  });

  test("is no exception once it has shipped and needs no recall", async () => {
    const { org, one, run, list, bridgeId, importing } = await aShop();
    await importing(record("R-2", { status: "ready" }));
    await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
    floor.refuses.add("R-2");
    const { results } = await run("R-2", "recall_fulfillment", { bridge_id: bridgeId });
    await ended(org, results[0].steps[0].execution_id);
    expect(await one()).toMatchObject({ kind: "recall" });
    await run("R-2", "mark_shipped", { tracking_number: "1Z", carrier: "ups" });
    expect(await list("&status=resolved")).toMatchObject([{ kind: "recall", resolution: "auto_resolved" }]);
  });

  test("with an unknown outcome is sent again only when the caller confirms it", async () => {
    const { org, one, fix, execute, list, importing, order } = await aShop("blind");
    await importing(record("U-1", { status: "ready" }));
    const { id: orderId } = await order("U-1");
    floor.afterTaking = () => Promise.reject(new RemoteError("cut", "The line is dead.", { mayHaveHappened: true }));
    // Named twice, it is one.
    await execute("orders.export", { orderIds: [orderId, "U-1"] });
    floor.afterTaking = async () => {};
    const row = await one();
    expect(row).toMatchObject({
      kind: "push",
      code: "outcome_unknown",
      message: expect.stringContaining("unknown whether U-1 arrived"),
    });
    const blindly = await fix(row.id, "retry");
    expect(await ended(org, blindly.body.executionId)).toMatchObject({ status: "failed" });
    expect([floor.sent, await one()]).toMatchObject([["U-1"], { id: row.id, timesSeen: 2 }]);
    const looked = await fix(row.id, "retry", { forceResend: true });
    expect(await ended(org, looked.body.executionId)).toMatchObject({ status: "succeeded" });
    await eventually(list, (rows) => rows.length === 0);
    expect(floor.sent).toEqual(["U-1", "U-1"]);
  });
});

test("a failed task is one exception, resolved when it succeeds; the fix needs the scope of the task", async () => {
  const { org, list, one, fix } = await aShop();
  const { body: bridge } = await org.post("/bridges", { name: "Demo", connector: "demo" });
  const failing = { bridgeId: bridge.id, taskName: "fail", input: { message: "closed" }, maxAttempts: 1 };
  const { body } = await org.post("/tasks/execute", failing);
  await ended(org, body.id);
  const row = await one();
  expect(row).toMatchObject({ kind: "execution", code: "demo_failure", executionId: body.id, reason: "closed" });
  const reader = await org.withScopes(["exceptions:read", "exceptions:write"]);
  const refused = await reader.post(`/exceptions/${row.id}/resolve`, { action: "retry" });
  expect([refused.status, refused.body.required]).toEqual([403, ["tasks:execute"]]);
  const wrong = await fix(row.id, "accept_source");
  expect([wrong.status, wrong.body.allowed]).toEqual([409, ["retry", "dismiss"]]);
  await db.query("update task_executions set task_name = 'noop' where id = $1", [body.id]);
  const headers = { "idempotency-key": randomUUID() };
  const retry = async () => await org.post(`/exceptions/${row.id}/resolve`, { action: "retry" }, { headers });
  const { body: started } = await retry();
  const { executionId } = started;
  expect(started).toMatchObject({ status: "in_progress", exception: { id: row.id, lastAction: { executionId } } });
  expect((await ended(org, executionId)).status).toBe("succeeded");
  expect((await retry()).body).toEqual(started);
  await eventually(list, (rows) => rows.length === 0);
  const other = await hub.org();
  const stolen = await other.post(`/exceptions/${row.id}/resolve`, { action: "dismiss" });
  expect([stolen.status, (await other.get("/exceptions?status=open,resolved,dismissed")).body.data]).toEqual([404, []]);
});

test("each fix needs the scopes of the same action elsewhere, for one and for many", async () => {
  const { org, list, importing, run, bridgeId } = await aShop();
  await importing(aBrokenRecord("A"), record("B", { status: "ready" }), record("C", { status: "ready" }));
  await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
  await importing(record("B", { status: "ready", lines: [{ sku: "MUG", quantity: 9 }] }));
  floor.refuses.add("C");
  for (const [type, params] of [
    ["run_task", { bridge_id: bridgeId, task_name: "orders.export" }],
    ["recall_fulfillment", { bridge_id: bridgeId }],
  ] as const) {
    const { results } = await run("C", type, params);
    await ended(org, results[0].steps[0].execution_id);
  }
  const before = await list();
  const taken = before.map(({ kind, availableActions }) => [
    kind,
    availableActions.map(({ action, scope }) => `${action} ${scope}`),
  ]);
  const dismissal = "dismiss exceptions:write";
  expect(Object.fromEntries(taken)).toEqual({
    rejected_record: ["retry tasks:execute", "edit_and_retry tasks:execute", dismissal],
    import_conflict: ["accept_source operations:run", "keep_local operations:run", dismissal],
    push: ["retry tasks:execute", dismissal],
    recall: ["retry tasks:execute", "keep_local operations:run", dismissal],
  });
  const narrow = await org.withScopes(["exceptions:read", "exceptions:write", "pii:read"]);
  for (const { id, availableActions } of before) {
    for (const { action, scope } of availableActions.filter((one) => one.action !== "dismiss")) {
      const { status, body } = await narrow.post(`/exceptions/${id}/resolve`, { action });
      expect([action, status, body.required]).toEqual([action, 403, [scope]]);
    }
  }
  const many = await narrow.post("/exceptions/resolve", { action: "retry", filter: { kind: "push,recall" } });
  expect(many.body.summary).toMatchObject({ matched: 2, processed: 0, failed: 2 });
  expect(many.body.results).toMatchObject([{ error: { code: "insufficient_scope" } }, { error: {} }]);
  expect(await list("", narrow)).toEqual(before);
});

test("concurrent decisions about one exception: one succeeds", async () => {
  const { org, one, fix, importing } = await aShop();
  /** Both have seen that it is open before either gets to close it. */
  const together = async (id: string, action: string) => {
    let answers: ReturnType<typeof fix>[] = [];
    await db.transaction(async (tx) => {
      await tx.query("select from exceptions where id = $1 for update", [id]);
      answers = [fix(id, action), fix(id, action)];
      await lockWaits(db, { count: 2 });
    });
    return (await Promise.all(answers)).map(({ status, body }) => [status, body.code ?? body.status]).toSorted();
  };
  await importing(aBrokenRecord("X"), record("Y", { status: "ready" }));
  expect(await together((await one()).id, "dismiss")).toEqual([
    [200, "dismissed"],
    [409, "exception_closed"],
  ]);
  await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
  await importing(record("Y", { status: "ready", lines: [{ sku: "MUG", quantity: 9 }] }));
  expect(await together((await one()).id, "keep_local")).toEqual([
    [200, "resolved"],
    [409, "exception_closed"],
  ]);
});

describe("a repeated request with the same key after the hub died", () => {
  test("gets the response of the fix, which is not applied twice", async () => {
    const { org, list, importing, run, bridgeId } = await aShop();
    const conflicting = { status: "ready", lines: [{ sku: "MUG", quantity: 9 }] };
    await importing(aBrokenRecord("A"), aBrokenRecord("D"), record("B", { status: "ready" }), record("C"));
    await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
    await importing(record("B", conflicting));
    floor.refuses.add("C");
    for (const [type, params] of [
      ["run_task", { bridge_id: bridgeId, task_name: "orders.export" }],
      ["recall_fulfillment", { bridge_id: bridgeId }],
    ] as const) {
      const { results } = await run("C", type, params);
      await ended(org, results[0].steps[0].execution_id);
    }
    const { body: demo } = await org.post("/bridges", { name: "Demo", connector: "demo" });
    const failing = { bridgeId: demo.id, taskName: "fail", input: { message: "closed" }, maxAttempts: 1 };
    await ended(org, (await org.post("/tasks/execute", failing)).body.id);

    const rows = await list();
    const wanted: [kind: string, name: string | undefined, action: string, status: string][] = [
      ["rejected_record", "A", "dismiss", "dismissed"],
      ["rejected_record", "D", "retry", "failed"],
      ["import_conflict", "B", "keep_local", "resolved"],
      ["push", "C", "retry", "in_progress"],
      ["recall", "C", "keep_local", "resolved"],
      ["execution", undefined, "retry", "in_progress"],
    ];
    for (const [kind, name, action, status] of wanted) {
      const row = rows.find((one) => one.kind === kind && (name === undefined || one.subject.name === name))!;
      const headers = { "idempotency-key": randomUUID() };
      const resolve = async () => await org.post(`/exceptions/${row.id}/resolve`, { action }, { headers });
      await dyingBeforeKeeping(db, resolve);
      const { body, headers: sent } = await resolve();
      expect([kind, body.status, sent.get("idempotency-replayed")]).toEqual([kind, status, "true"]);
      expect(body.exception).toMatchObject({
        id: row.id,
        ...(status === "in_progress" ? { lastAction: { action } } : {}),
      });
    }
    const retries = (await org.get("/tasks/executions?trigger=retry")).body.data as { taskName: string }[];
    expect(retries.map(({ taskName }) => taskName).toSorted()).toEqual(["fail", "orders.export"]);
  });

  test("for many exceptions reports those that were fixed by then; the others stay open", async () => {
    const { org, list, importing } = await aShop();
    const names = ["X", "Y"];
    await importing(...names.map((name) => record(name, { status: "ready" })));
    await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
    const changed = { status: "ready", lines: [{ sku: "MUG", quantity: 9 }] };
    await importing(...names.map((name) => record(name, changed)));
    const [later, first] = await list();
    await db.query(`create function refuse_fix() returns trigger language plpgsql as
      $$ begin raise exception 'the process is dead'; end $$`);
    await db.query(`create trigger dead before update on exceptions for each row
      when (old.id = '${later!.id}') execute function refuse_fix()`);
    const headers = { "idempotency-key": randomUUID() };
    const body = { action: "keep_local", filter: { kind: "import_conflict" } };
    const resolve = async () => await org.post("/exceptions/resolve", body, { headers });
    expect((await resolve()).status).toBe(500);
    await db.query("drop function refuse_fix cascade");
    expect((await resolve()).body).toMatchObject({
      summary: { matched: 2, processed: 1, failed: 0, remaining: 1 },
      results: [{ id: first!.id, status: "resolved" }],
    });
    expect((await list()).map(({ id }) => id)).toEqual([later!.id]);
  });
});

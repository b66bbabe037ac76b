import { beforeEach, describe, expect, test } from "vitest";
import { Type } from "../../core/type.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { PulledRecord } from "../../connectors/connector.ts";
import { pullTask, pushTask } from "../../connectors/standard-tasks.ts";
import { eventually } from "../../testing/eventually.ts";
import { installConnector } from "../../testing/scripted-connector.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import type { TestClient } from "../../testing/test-client.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";

const hub = await startTestHub();
const { db } = hub.world;
const desk = scriptLabels();

/** What the shop says next, a page at a time, and which orders the other side does not take. */
let pages: PulledRecord[][] = [];
const refuses = new Set<string>();
let sent: string[] = [];

const send = async (_call: unknown, { number }: Record<string, unknown>) => {
  if (refuses.has(number as string)) throw new RemoteError("rejected", `${String(number)} is not known here`);
  sent.push(number as string);
  return await Promise.resolve({});
};
const push = (name: "orders.export" | "orders.recall") =>
  pushTask(name, { description: "What a test says.", idempotent: true, send });
const connector = installConnector([
  pullTask("orders.import", {
    description: "What a test says.",
    isIncremental: false,
    input: Type.Object({}),
    async *pull() {
      for (const records of pages) yield await Promise.resolve({ records, cursor: null });
    },
  }),
  push("orders.export"),
  push("orders.recall"),
]);

let minute = 0;
/** Later than all that were told before. */
const record = (externalId: string, more: object = {}): PulledRecord => {
  const updatedAt = new Date(Date.UTC(2026, 1, 1, 0, ++minute)).toISOString();
  const address = { name: "Ada Xyzzy", address1: "12 Xyzzy Street", city: "Albany", zip: "12207", countryCode: "US" };
  const body = { number: externalId, shippingAddress: address, lines: [{ sku: "MUG", quantity: 2 }], ...more };
  return { externalId, updatedAt, raw: { ref: externalId, who: "Ada Xyzzy", ...more }, canonical: body };
};
const broken = (externalId: string): PulledRecord => record(externalId, { currency: "Xyzzy dollars" });

type Row = Record<string, unknown> & { id: string; code: string; kind: string; about: { name: string } };

async function aShop() {
  const org = await hub.org();
  const bridgeId: string = (await org.post("/bridges", { name: "Shop", connector })).body.id;
  const execute = async (taskName: string, input: object = {}) =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body;
  const importing = async (...records: PulledRecord[]) => {
    pages = [records];
    return await execute("orders.import");
  };
  const list = async (query = "", who: TestClient = org): Promise<Row[]> =>
    (await who.get(`/exceptions?limit=100${query}`)).body.data;
  const one = async (query = ""): Promise<Row> => {
    const rows = await list(query);
    expect(rows).toHaveLength(1);
    return (await org.get(`/exceptions/${rows[0]!.id}`)).body;
  };
  const fix = async (id: string, action: string, more: object = {}) =>
    await org.post(`/exceptions/${id}/resolve`, { action, ...more });
  const order = async (number: string) => (await org.get(`/orders/${number}`)).body;
  const run = async (number: string, type: string, params: object = {}) =>
    (await org.post("/operations/run", { order_ids: [number], actions: [{ type, params }] })).body;
  return { org, bridgeId, execute, importing, list, one, fix, order, run };
}

async function ended(org: TestOrg, id: string) {
  const look = async () => (await org.get(`/tasks/executions/${id}`)).body;
  return await eventually(look, ({ finishedAt }) => finishedAt !== null);
}

beforeEach(() => {
  refuses.clear();
  sent = [];
});

describe("a record that was not taken", () => {
  test("is one exception however often it comes, and none any more when it comes in well", async () => {
    const { importing, list, one, org } = await aShop();
    const first = await importing(record("A"), broken("B"));
    expect(first).toMatchObject({ status: "completed_with_errors", result: { created: 1, failed: 1 } });
    await importing(broken("B"));
    const row = await one();
    expect(row).toMatchObject({
      kind: "rejected_record",
      code: "validation_failed",
      status: "open",
      timesSeen: 2,
      about: { type: "record", name: "B" },
      details: { record: { externalId: "B", raw: { ref: "B" }, canonical: { currency: "Xyzzy dollars" } } },
    });
    expect((row.fixes as { action: string }[]).map(({ action }) => action)).toEqual([
      "retry",
      "edit_and_retry",
      "dismiss",
    ]);
    expect(await importing(record("B"))).toMatchObject({ status: "succeeded", result: { created: 1 } });
    expect(await list()).toEqual([]);
    expect(await one("&status=resolved")).toMatchObject({ id: row.id, resolution: "cause_gone", fixes: [] });
    // Once more wrong, it is open again, as the same exception.
    await importing(broken("B"));
    expect(await one()).toMatchObject({ id: row.id, timesSeen: 3, resolvedAt: null, resolution: null });
    await hub.world.sealer.sealNow();
    const types = (await org.get("/events?types=exception.*&limit=100")).body.data.map(
      (event: { type: string }) => event.type,
    );
    expect(types).toEqual(["exception.opened", "exception.resolved", "exception.opened"]);
  });

  test("is taken as somebody corrects it, through the same rules; what is still wrong is said", async () => {
    const { importing, one, fix, order, list } = await aShop();
    await importing(broken("C"));
    const { id } = await one();
    const still = await fix(id, "retry");
    expect([still.status, still.body]).toMatchObject([
      200,
      {
        status: "failed",
        error: { code: "validation_failed" },
        exception: { status: "open", lastFix: { action: "retry" } },
      },
    ]);
    const { canonical } = record("C", { currency: "EUR" });
    expect((await fix(id, "edit_and_retry")).body.errors[0].pointer).toBe("/record");
    expect((await fix(id, "edit_and_retry", { record: { raw: {} } })).body.errors[0].pointer).toBe("/record/raw");
    const done = await fix(id, "edit_and_retry", { record: { canonical } });
    expect(done.body).toMatchObject({ status: "resolved", exception: { resolution: "edit_and_retry" } });
    expect(await order("C")).toMatchObject({ currency: "EUR", externalId: "C" });
    expect(await list()).toEqual([]);
    const again = await fix(id, "edit_and_retry", { record: { canonical } });
    expect([again.status, again.body.code]).toEqual([409, "exception_closed"]);
  });

  test("is taken once when two correct it in the same moment", async () => {
    const { importing, one, fix, order } = await aShop();
    await importing(broken("D"));
    const { id } = await one();
    const currencies = ["EUR", "CHF", "SEK"];
    const answers = await Promise.all(
      currencies.map((currency) =>
        fix(id, "edit_and_retry", { record: { canonical: record("D", { currency }).canonical } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const winner = currencies[answers.findIndex(({ status }) => status === 200)];
    expect(await order("D")).toMatchObject({ currency: winner, version: 1 });
  });

  test("is told without naming anybody to those who may not read names", async () => {
    const { importing, org, one } = await aShop();
    await importing(broken("E"));
    const { id } = await one();
    const stranger = await org.withScopes(["exceptions:read", "exceptions:write", "tasks:execute"]);
    const seen = [
      await stranger.get("/exceptions"),
      await stranger.get(`/exceptions/${id}`),
      await stranger.post(`/exceptions/${id}/resolve`, { action: "retry" }),
    ];
    expect(seen.map(({ text }) => /xyzzy/i.test(text))).toEqual([false, false, false]);
    expect((await org.get(`/exceptions/${id}`)).text).toMatch(/Xyzzy/);
    const kept = await db.query("select from exceptions where id = $1 and exceptions::text ilike '%street%'", [id]);
    expect(kept).toEqual([]);
  });

  test("is read again by a retry of its import, and nothing else is", async () => {
    const { importing, org, list, bridgeId } = await aShop();
    const { id } = await importing(record("F"), broken("G"), broken("H"));
    const map = { lookup: { map: { "Xyzzy dollars": "USD" } } };
    const mappings = [{ source: "currency", target: "currency", transforms: [map] }];
    const mapping = {
      name: "Money",
      bridgeId,
      taskName: "orders.import",
      direction: "inbound",
      mode: "extend",
      mappings,
    };
    expect((await org.post("/transformations", mapping)).status).toBe(201);
    // Its source has nothing to say any more.
    pages = [];
    const retry = await org.post(`/tasks/executions/${id}/retry`, {});
    expect([retry.status, retry.body.isPartial, retry.body.retryOf]).toEqual([202, true, id]);
    expect(await ended(org, retry.body.id)).toMatchObject({ status: "succeeded", result: { fetched: 2, created: 2 } });
    expect(await list()).toEqual([]);
    const none = await org.post(`/tasks/executions/${id}/retry`, {});
    expect([none.status, none.body.code]).toEqual([409, "execution_not_failed"]);
  });

  test("is one of many: counted, listed by pages, and put right by a filter; what was dismissed stays so", async () => {
    const { importing, org, list } = await aShop();
    const many = Array.from({ length: 600 }, (_, i) => broken(`M-${i}`));
    expect(await importing(...many)).toMatchObject({ status: "failed" });
    const counts = (await org.get("/exceptions/counts")).body;
    expect(counts).toMatchObject({ total: 600, byKind: { rejected_record: 600, push: 0 } });
    expect(counts.groups).toMatchObject([{ kind: "rejected_record", count: 600, fixes: ["retry", "dismiss"] }]);
    const filter = { kind: "rejected_record", isTried: false };
    const dry = await org.post("/exceptions/resolve", { action: "dismiss", filter, dryRun: true });
    expect(dry.body).toEqual({
      dryRun: true,
      summary: { matched: 600, done: 0, failed: 0, remaining: 600 },
      results: [],
    });
    const tried = await org.post("/exceptions/resolve", { action: "retry", filter });
    expect(tried.body.summary).toEqual({ matched: 600, done: 0, failed: 500, remaining: 100 });
    const rest = await org.post("/exceptions/resolve", { action: "dismiss", filter });
    expect(rest.body.summary).toEqual({ matched: 100, done: 100, failed: 0, remaining: 0 });
    const others = await org.post("/exceptions/resolve", { action: "dismiss", filter: { code: "validation_failed" } });
    expect(others.body.summary).toMatchObject({ matched: 500, done: 500 });
    await importing(...many);
    expect(await list()).toEqual([]);
    // Another fault of the same record is news.
    await importing(record("M-1", { currency: "neither" }));
    expect(await list()).toMatchObject([{ about: { name: "M-1" }, timesSeen: expect.any(Number) }]);
  });
});

describe("an order that does not follow its source", () => {
  async function aSentOrder(number: string) {
    const shop = await aShop();
    await shop.importing(record(number, { status: "ready" }));
    await db.query("update orders set status = 'sent' where org_id = $1", [shop.org.id]);
    return shop;
  }
  const moved = { shippingAddress: { name: "Ada Xyzzy", address1: "1 New Road", city: "Troy", zip: "12180" } };

  test("becomes what it says when somebody accepts that, and its hold goes", async () => {
    const { importing, one, fix, order, list } = await aSentOrder("N-1");
    await importing(record("N-1", { status: "ready", ...moved }));
    const row = await one();
    expect(row).toMatchObject({
      kind: "import_conflict",
      code: "source_address_changed",
      about: { type: "order", name: "N-1" },
      details: { theirs: moved },
    });
    expect((await order("N-1")).holds).toHaveLength(1);
    expect((await fix(row.id, "accept_theirs")).body).toMatchObject({ status: "resolved" });
    expect(await order("N-1")).toMatchObject({ holds: [], shippingAddress: { city: "Troy" } });
    expect(await list("&status=resolved")).toMatchObject([{ id: row.id, resolution: "accept_theirs" }]);
  });

  test("stays as it is when somebody keeps it, and the same news complain no more", async () => {
    const { importing, one, fix, order, list } = await aSentOrder("N-2");
    await importing(record("N-2", { status: "ready", ...moved }));
    const { id } = await one();
    expect((await fix(id, "keep_ours")).body).toMatchObject({ status: "resolved" });
    expect(await order("N-2")).toMatchObject({ holds: [], shippingAddress: { city: "Albany" } });
    await importing(record("N-2", { status: "ready", ...moved }));
    expect(await list()).toEqual([]);
    expect((await order("N-2")).holds).toEqual([]);
    await importing(record("N-2", { status: "ready", shippingAddress: { ...moved.shippingAddress, zip: "12182" } }));
    expect(await one()).toMatchObject({ id, timesSeen: 2 });
  });

  test("is no exception any more when its hold is released, or its source takes it back", async () => {
    const { importing, list, run } = await aSentOrder("N-3");
    await importing(record("N-3", { status: "ready", ...moved }));
    expect(await list()).toHaveLength(1);
    await importing(record("N-3", { status: "ready" }));
    expect(await list()).toEqual([]);
    await importing(record("N-3", { status: "ready", ...moved }));
    expect(await list()).toHaveLength(1);
    await run("N-3", "release_hold", { handles: ["source_address_changed"] });
    expect(await list()).toEqual([]);
    expect(await list("&status=resolved")).toMatchObject([{ resolution: "cause_gone" }]);
  });

  test("says which rule forbids it; what has left is told of, though nothing is held", async () => {
    const { importing, one, fix, order, org, list } = await aSentOrder("N-4");
    await db.query("update orders set status = 'shipped' where org_id = $1", [org.id]);
    await importing(record("N-4", { status: "cancelled" }));
    const row = await one();
    expect(row).toMatchObject({ code: "source_cancelled", message: expect.stringContaining("has been shipped") });
    expect((await order("N-4")).holds).toEqual([]);
    const refused = await fix(row.id, "accept_theirs");
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
    expect(await list()).toHaveLength(1);
    await importing(record("N-4", { status: "ready" }));
    expect(await list()).toEqual([]);
  });
});

describe("an order that did not arrive", () => {
  test("is sent again by itself, and resolved when it has arrived; a run says how its tasks ended", async () => {
    const { org, one, fix, run, list, bridgeId, importing } = await aShop();
    await importing(record("P-1", { status: "ready" }), record("P-2", { status: "ready" }));
    refuses.add("P-2");
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
    expect(row).toMatchObject({ code: "rejected", executionId, about: { type: "order", name: "P-2" } });
    refuses.clear();
    sent = [];
    const answers = await Promise.all([fix(row.id, "retry"), fix(row.id, "retry")]);
    const statuses = answers.map(({ status }) => status).toSorted();
    // The second may come when the first has arrived already.
    expect([statuses, answers.map(({ body }) => body.code ?? body.status).toSorted()]).toEqual([
      [200, 409],
      [expect.stringMatching(/exception_closed|retry_in_progress/), "started"],
    ]);
    await eventually(list, (rows) => rows.length === 0);
    expect(sent).toEqual(["P-2"]);
    const retryId = answers.find(({ status }) => status === 200)!.body.executionId as string;
    expect(await ended(org, retryId)).toMatchObject({ isPartial: true, retryOf: executionId, status: "succeeded" });
    expect(await tasksOf()).toMatchObject([
      { executions: { completed_with_errors: 0, succeeded: 1 }, failed_orders: 0 },
    ]);
    expect((await run("P-1", "add_tags", { tags: ["x"] })).tasks).toEqual([]);
    const listed = (await org.get("/tasks/executions?trigger=retry")).body.data as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([retryId]);
  });

  test("whose partner does not give it back is told of, stays in its history, and may be left with them", async () => {
    const { org, one, fix, run, order, list, bridgeId, importing } = await aShop();
    await importing(record("R-1", { status: "ready" }));
    await db.query("update orders set status = 'sent' where org_id = $1", [org.id]);
    refuses.add("R-1");
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
      kept: true,
    });
    expect((await fix(row.id, "keep_ours")).body.status).toBe("resolved");
    expect(await order("R-1")).toMatchObject({ status: "sent" });
    // Asked once more, they agree: what is open by then is over.
    const again = await run("R-1", "recall_fulfillment", { bridge_id: bridgeId });
    await ended(org, again.results[0].steps[0].execution_id);
    expect(await list()).toHaveLength(1);
    refuses.clear();
    const last = await fix((await one()).id, "retry");
    await ended(org, last.body.executionId);
    await eventually(list, (rows) => rows.length === 0);
    expect(await order("R-1")).toMatchObject({ status: "ready" });
  });
});

test("a task that failed is told of, once for each, and over when it succeeds; nobody may do here what they may not elsewhere", async () => {
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
  const wrong = await fix(row.id, "accept_theirs");
  expect([wrong.status, wrong.body.allowed]).toEqual([409, ["retry", "dismiss"]]);
  await db.query("update task_executions set task_name = 'noop' where id = $1", [body.id]);
  const { executionId } = (await fix(row.id, "retry")).body;
  expect((await ended(org, executionId)).status).toBe("succeeded");
  await eventually(list, (rows) => rows.length === 0);
  const other = await hub.org();
  const stolen = await other.post(`/exceptions/${row.id}/resolve`, { action: "dismiss" });
  expect([stolen.status, (await other.get("/exceptions?status=open,resolved,dismissed")).body.data]).toEqual([404, []]);
});

test("a label that a carrier refused is asked for again, once of two who ask, and over when it is bought", async () => {
  const { org, one, fix, list } = await aShop();
  const { body: account } = await org.post("/carrier-accounts", { name: "Labels", carrier: "demo" });
  const refuse = { before: () => Promise.reject(new RemoteError("rejected", "No credit left.")) };
  desk.nextTurns.push(refuse);
  const first = await org.post("/shipments/labels", { ...aParcel, carrierAccountId: account.id });
  expect([first.status, first.body.code]).toEqual([409, "label_refused"]);
  const row = await one();
  expect(row).toMatchObject({ kind: "label", code: "rejected", reason: "No credit left." });
  const sold = desk.sold.size;
  const answers = await Promise.all([fix(row.id, "retry"), fix(row.id, "retry"), fix(row.id, "retry")]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  expect(desk.sold.size - sold).toBe(1);
  expect(await list()).toEqual([]);
});

test("ten thousand are counted, listed by pages and closed five hundred at a time", async () => {
  const { org, importing, one } = await aShop();
  await importing(broken("Z"));
  const { id } = await one();
  await db.query(
    `insert into exceptions select (jsonb_populate_record(x, jsonb_build_object('id', gen_random_uuid(), 'fact_key', 'many:' || n))).*
       from exceptions x, generate_series(1, 10000) n where x.id = $1`,
    [id],
  );
  expect((await org.get("/exceptions/counts")).body).toMatchObject({ total: 10_001 });
  expect((await org.get("/exceptions?limit=10&page=2")).body.pagination).toMatchObject({ total: 10_001, pages: 1_001 });
  const bulk = await org.post("/exceptions/resolve", { action: "dismiss", filter: {} });
  expect(bulk.body.summary).toEqual({ matched: 10_001, done: 500, failed: 0, remaining: 9_501 });
});

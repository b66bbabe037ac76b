import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { startWork, workOff } from "../../../queue/work.ts";
import { eventually } from "../../../testing/eventually.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { runWork } from "../operations.ts";

const hub = await startTestHub();
const { world } = hub;
const org = await hub.org();
const later = { headers: { prefer: "respond-async" } };

async function makeOrders(count: number, by: TestOrg = org): Promise<string[]> {
  const { body } = await by.post("/orders/bulk", {
    orders: Array.from({ length: count }, () => ({ status: "ready" })),
  });
  return body.results.map(({ id }: { id: string }) => id);
}
const note = { type: "add_note", params: { text: "noted" } };
const tag = { type: "add_tags", params: { tags: ["done"] } };
const read = async (id: string, by: TestOrg = org) => (await by.get(`/operations/runs/${id}`)).body;
const notesOf = async (id: string) => (await org.get(`/orders/${id}`)).body.notes;

/** All that is due, and what was put off as well. */
async function workThrough(): Promise<void> {
  const isOpen = async (): Promise<boolean> =>
    (await world.db.query("update operation_runs set due_at = now() where due_at is not null returning 1")).length > 0;
  for (let round = 0; round < 50 && (await isOpen()); round++) await workOff(world, runWork);
}

describe("a run in a request", () => {
  test("takes two commits: one with the request, one with all changes", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const body = { order_ids: [id], actions: [tag, note] };
    await org.post("/operations/run", body);
    // So that nothing of it is being sealed meanwhile.
    await org.get("/audit");
    const sent = await recordStatements(() => org.post("/operations/run", body));
    const transactions = sent.filter(({ statements }) => statements.some((text) => text.includes("operation_run")));
    expect(transactions.filter(({ isCommitted }) => isCommitted)).toHaveLength(2);
    const written = sent.filter(({ isCommitted, statements }) => !isCommitted && isWriting(statements[0]!));
    expect(written).toEqual([]);
    const count = transactions.flatMap(({ statements }) => statements).length;
    expect(count).toBeLessThanOrEqual(18);
  });

  test("finds orders by id in any case, and by number, also if the number looks like an id", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const number = randomUUID().toUpperCase();
    const numbered = (await org.post("/orders", { number, status: "ready" })).body.id;
    const order_ids = [id.toUpperCase(), number, number.toLowerCase()];
    const { results } = (await org.post("/operations/run", { order_ids, actions: [note] })).body;
    expect(results).toMatchObject([{ order_id: id }, { order_id: numbered }, { order_id: null, status: "failed" }]);
  });

  test("stores its response for the Idempotency-Key in the second commit", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const headers = { "idempotency-key": randomUUID() };
    const body = { order_ids: [id], actions: [note] };
    const sent = await recordStatements(() => org.post("/operations/run", body, { headers }));
    const kept = sent.filter(({ statements }) => statements.some((text) => text.startsWith("update idempotency_keys")));
    expect(kept.map(({ isCommitted }) => isCommitted)).toEqual([true, true]);
    expect((await org.post("/operations/run", body, { headers })).body.status).toBe("succeeded");
  });
});

type Sent = { statements: string[]; isCommitted: boolean };
const isWriting = (text: string): boolean =>
  /^\s*(insert|update|delete|with)\b/i.test(text) && /(insert into|update|delete from) \w/i.test(text);

/**
 * What the hub sends to its database meanwhile: whole transactions, and statements without one; but for what it does by itself,
 * the sealing of events and the log of requests.
 */
async function recordStatements(work: () => Promise<unknown>): Promise<Sent[]> {
  type Query = (this: pg.Client, ...args: unknown[]) => unknown;
  const prototype = pg.Client.prototype as { query: Query };
  const original = prototype.query;
  const sent: Sent[] = [];
  const open = new Map<pg.Client, Sent>();
  prototype.query = function query(...args) {
    const [given] = args as [string | { text: string }];
    const text = (typeof given === "string" ? given : given.text).trim();
    const transaction = open.get(this);
    if (text.startsWith("begin")) open.set(this, { statements: [text], isCommitted: false });
    else if (!transaction) sent.push({ statements: [text], isCommitted: false });
    else transaction.statements.push(text);
    if (transaction && (text === "commit" || text === "rollback")) {
      transaction.isCommitted = text === "commit";
      sent.push(transaction);
      open.delete(this);
    }
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return sent.filter(
    ({ statements }) => !statements.some((text) => /previous_hash|audit_heads|into request_log/.test(text)),
  );
}

test("if the last COMMIT fails, no event is recorded; the run continues and ends once", async () => {
  const [id] = (await makeOrders(1)) as [string];
  await world.db.query(`create function lose_end() returns trigger language plpgsql as $$
    begin if new.finished_at is not null then raise exception 'terminating' using errcode = '57P01'; end if; return null; end $$`);
  await world.db.query(`create constraint trigger lose_end after update on operation_runs deferrable initially deferred
    for each row execute function lose_end()`);
  const { status, body: run } = await org.post("/operations/run", { order_ids: [id], actions: [note] });
  expect([status, run.status, run.summary.succeeded]).toEqual([201, "running", 0]);
  expect(await notesOf(id)).toEqual([]);
  await world.db.query("drop trigger lose_end on operation_runs");
  await workThrough();
  expect(await read(run.id)).toMatchObject({ status: "succeeded", summary: { succeeded: 1 } });
  expect(await notesOf(id)).toHaveLength(1);
});

describe("a poisoned batch", () => {
  const damage = (id: string, notes: string) =>
    world.db.query("update orders set notes = $2::jsonb where id = $1", [id, notes]);

  test("whose action throws fails after some attempts, and the rest of the run is processed", async () => {
    const ids = await makeOrders(1_200);
    // Not a list, so that code that adds to it throws.
    await damage(ids[600]!, '{"not": "a list"}');
    const { body: run } = await org.post("/operations/run", { order_ids: ids, actions: [note] }, later);
    await workThrough();
    expect(await read(run.id)).toMatchObject({
      status: "partially_failed",
      summary: { total: 1_200, succeeded: 700, failed: 500 },
      errors_by_code: { internal_error: 500 },
    });
    expect(await notesOf(ids[599]!)).toEqual([]);
    expect([(await notesOf(ids[0]!)).length, (await notesOf(ids[1_199]!)).length]).toEqual([1, 1]);
    expect(hub.logs.some((line) => line.includes("given up") && line.includes(run.id))).toBe(true);

    await damage(ids[600]!, "[]");
    const again = (await org.post(`/operations/runs/${run.id}/retry`)).body;
    expect(again).toMatchObject({ status: "succeeded", summary: { total: 500, succeeded: 500 } });
    expect((await notesOf(ids[600]!)).length).toBe(1);
  });

  test("that failed in the request is retried by a worker, after a delay", async () => {
    const [id] = (await makeOrders(1)) as [string];
    await damage(id, '{"not": "a list"}');
    const { status, body: run } = await org.post("/operations/run", { order_ids: [id], actions: [note] });
    expect([status, run.status]).toEqual([201, "running"]);
    expect(await workOff(world, runWork)).toBe(0);
    await damage(id, "[]");
    await workThrough();
    expect(await read(run.id)).toMatchObject({ status: "succeeded", summary: { succeeded: 1 } });
    expect(await notesOf(id)).toHaveLength(1);
  });

  test("that the database rejects ends the run as failed, without changes to its orders", async () => {
    const ids = await makeOrders(3);
    await world.db.query(`create function refuse_order() returns trigger language plpgsql as $$
      begin raise exception 'out of range' using errcode = '22003'; end $$`);
    await world.db.query(`create trigger refuse_order before update on orders for each row when (old.id = '${ids[1]}')
      execute function refuse_order()`);
    const { body: run } = await org.post("/operations/run", { order_ids: ids, actions: [tag] }, later);
    await workThrough();
    await world.db.query("drop trigger refuse_order on orders");
    expect(await read(run.id)).toMatchObject({ status: "failed", errors_by_code: { internal_error: 3 } });
    expect((await org.get(`/orders/${ids[0]}`)).body).toMatchObject({ tags: [], version: 1 });
  });

  test("that crashes its process each time is given up too", async () => {
    const ids = await makeOrders(2);
    const { body: run } = await org.post("/operations/run", { order_ids: ids, actions: [tag] }, later);
    for (let death = 0; death < runWork.maxAttempts; death++) {
      await runWork.leases.claimOneAcrossOrgs(world.db, run.id, randomUUID(), [new Date()]);
      await runWork.leases.endAllAcrossOrgs(world.db);
    }
    await workOff(world, runWork);
    expect(await read(run.id)).toMatchObject({ status: "failed", errors_by_code: { internal_error: 2 } });
    expect((await org.get(`/orders/${ids[0]}`)).body).toMatchObject({ tags: [], version: 1 });
  });
});

describe("runs of several organizations", () => {
  const workers: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.stop();
  });

  test("do not wait for each other: a run of two orders ends while large runs of another are in progress", async () => {
    const other = await hub.org();
    const ids = await makeOrders(600);
    // The large ones stay at work for as long as the test wants.
    await world.db.query("create table gate (is_open boolean)");
    await world.db.query(`create function wait_at_gate() returns trigger language plpgsql as $$
      begin while not exists (select from gate) loop perform pg_sleep(0.05); end loop; return new; end $$`);
    await world.db
      .query(`create trigger wait_at_gate before update on orders for each row when (old.org_id = '${org.id}')
      execute function wait_at_gate()`);
    const large = await Promise.all(
      Array.from({ length: 4 }, () => org.post("/operations/run", { order_ids: ids, actions: [note] }, later)),
    );
    workers.push(startWork(world, runWork, { slots: 3 }));
    const states = () => Promise.all(large.map(({ body }) => read(body.id)));
    await eventually(states, (runs) => runs.some(({ status }) => status === "running"));
    const few = await other.post("/operations/run", { order_ids: await makeOrders(2, other), actions: [note] }, later);
    // Well before the first of the others is told that it takes too long.
    await eventually(
      () => read(few.body.id, other),
      ({ status }) => status === "succeeded",
      20_000,
    );
    expect((await states()).map(({ finished_at }) => finished_at)).toEqual(large.map(() => null));
    await world.db.query("insert into gate values (true)");
    await eventually(states, (runs) => runs.every(({ status }) => status === "succeeded"));
    expect(await notesOf(ids[0]!)).toHaveLength(4);
    await world.db.query("drop trigger wait_at_gate on orders");
  });
});

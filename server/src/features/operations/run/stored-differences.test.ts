import { expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import { deleteOldRunsAcrossOrgs } from "../operations.ts";

const hub = await startTestHub();
const org = await hub.org();
const { db } = hub.world;

type Change = { path: string; from: unknown[]; to: unknown[] };
type Run = { id: string; status: string; results: { steps: { changes: Change[] }[] }[] };

async function addNote(orderId: string, text: string): Promise<Run> {
  const actions = [{ type: "add_note", params: { text } }];
  const { status, body } = await org.post("/operations/run", { order_ids: [orderId], actions });
  expect(status).toBe(201);
  return body as Run;
}

async function anOrder(): Promise<string> {
  return (await org.post("/orders", { status: "ready" })).body.id as string;
}

async function notesOf(orderId: string): Promise<{ text: string }[]> {
  return (await org.get(`/orders/${orderId}`)).body.notes as { text: string }[];
}

async function storedBytes(orderId: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    `select (select coalesce(sum(length(steps::text)), 0) from operation_results where order_id = $1)
          + (select coalesce(sum(length(value::text)), 0) from operation_values where order_id = $1) as bytes`,
    [orderId],
  );
  return row!.bytes;
}

test("runs that add notes store each note once, and return all of them before and after (reliability R9)", async () => {
  const orderId = await anOrder();
  const text = (n: number): string => `${n} `.padEnd(400, "x");
  const runs: Run[] = [];
  for (let n = 0; n < 40; n++) runs.push(await addNote(orderId, text(n)));
  const notes = await notesOf(orderId);
  expect(notes).toHaveLength(40);

  // The answer of the run, the run read again, its results, and the timeline of the order.
  const { body: again } = await org.get(`/operations/runs/${runs[30]!.id}`);
  const { body: results } = await org.get(`/operations/runs/${runs[30]!.id}/results`);
  const { body: timeline } = await org.get(`/orders/${orderId}/timeline?limit=100`);
  const entry = (timeline.data as { runId?: string; changes: Change[] }[]).find(({ runId }) => runId === runs[30]!.id)!;
  const told = [runs[30]!.results[0]!, again.results[0], results.data[0]].map(({ steps }) => steps[0].changes);
  for (const changes of [...told, entry.changes]) {
    expect(changes).toEqual([{ path: "/notes", from: notes.slice(0, 30), to: notes.slice(0, 31) }]);
  }

  // 40 whole lists before and after would be 40 x 40 x 600 bytes; each note once, and 20 bytes for each time it is named.
  expect(await storedBytes(orderId)).toBeLessThan(40 * 700 + 40 * 40 * 20);

  const undo = await org.post(`/operations/runs/${runs[39]!.id}/undo`, {});
  expect(undo.body).toMatchObject({ status: "succeeded" });
  expect(await notesOf(orderId)).toEqual(notes.slice(0, 39));
  // One from the middle: what others did since stays.
  const middle = await org.post(`/operations/runs/${runs[10]!.id}/undo`, {});
  expect(middle.body).toMatchObject({ status: "succeeded" });
  expect(await notesOf(orderId)).toEqual(notes.slice(0, 39).toSpliced(10, 1));
});

test("a result in the old format is read as it is", async () => {
  const orderId = await anOrder();
  const { id } = await addNote(orderId, "short");
  const change = {
    path: "/notes",
    from: [],
    to: Array.from({ length: 30 }, (_, i) => ({ id: `${i}`, text: "x".repeat(99) })),
  };
  await db.query("update operation_results set steps = jsonb_set(steps, '{0,changes}', $2) where run_id = $1", [
    id,
    JSON.stringify([change]),
  ]);
  const { body } = await org.get(`/operations/runs/${id}/results`);
  expect(body.data[0].steps[0].changes).toEqual([change]);
});

test("values are deleted with the last result of their order (reliability R9)", async () => {
  const orderId = await anOrder();
  for (let n = 0; n < 5; n++) await addNote(orderId, `${n} `.padEnd(500, "y"));
  const countValues = async (): Promise<number> =>
    (await db.query("select from operation_values where order_id = $1", [orderId])).length;
  expect(await countValues()).toBe(5);
  const runIds = await db.query<{ id: string }>(
    "select run_id as id from operation_results where order_id = $1 order by run_id",
    [orderId],
  );
  const makeOld = async (ids: string[]): Promise<void> =>
    void (await db.query("update operation_runs set finished_at = '2001-01-01' where id = any($1::uuid[])", [ids]));
  const removeOld = (): Promise<string[]> =>
    db.transaction((tx) => deleteOldRunsAcrossOrgs(tx, new Date("2002-01-01T00:00:00Z")));

  await makeOld(runIds.slice(0, 4).map(({ id }) => id));
  expect(await removeOld()).toHaveLength(4);
  expect(await countValues()).toBe(5);
  const { body } = await org.get(`/operations/runs/${runIds[4]!.id}/results`);
  expect(body.data[0].steps[0].changes[0].to).toEqual(await notesOf(orderId));

  await makeOld([runIds[4]!.id]);
  expect(await removeOld()).toHaveLength(1);
  expect(await countValues()).toBe(0);
});

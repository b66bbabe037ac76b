import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Moves } from "../../core/states.ts";
import { canMove } from "../../core/states.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { eventually } from "../../testing/eventually.ts";
import { installConnector, scriptedCall } from "../../testing/scripted-connector.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { ExecutionStatus } from "./tasks.states.ts";
import { retryableStatuses } from "./tasks.states.ts";

/** Between two attempts an execution is queued again; everything else only goes on. */
const executionMoves: Moves<ExecutionStatus> = {
  queued: ["running", "cancelled", "expired"],
  running: ["queued", "succeeded", "completed_with_errors", "failed", "cancelled", "timed_out"],
  succeeded: [],
  completed_with_errors: [],
  failed: [],
  cancelled: [],
  timed_out: [],
  expired: [],
};

const connector = installConnector([
  scriptedCall("quick", true, () => Promise.resolve({})),
  scriptedCall("slow", true, async ({ signal }) => {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, 400);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(new RemoteError("cancelled", "Left."));
      });
    });
    return {};
  }),
  scriptedCall("broken", true, () => Promise.reject(new RemoteError("busy", "Later.", { retryable: true }))),
]);

let hub: TestHub;
let org: TestOrg;
let bridgeId: string;

beforeAll(async () => {
  hub = await startTestHub({ taskSlots: 3 });
  await hub.secondNode({ taskSlots: 3 });
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Any", connector })).body.id;
  // A trigger records every change of a status, from any code path.
  await hub.world.db.query(
    `create table moves_made (id uuid, before text, after text, attempt integer, attempt_before integer)`,
  );
  await hub.world.db.query(`create function note_move() returns trigger language plpgsql security definer as $$ begin
    insert into moves_made values (new.id, old.status, new.status, new.attempt, old.attempt); return new; end $$`);
  await hub.world.db.query(`create trigger note_move after update on task_executions
    for each row execute function note_move()`);
});

/** What the model knows of each execution: the end that was seen, which is for ever. */
type Model = { ends: Map<string, ExecutionStatus> };
type Real = { ids: string[] };

const isOver = (status: ExecutionStatus): boolean => executionMoves[status].length === 0;

async function see(model: Model, id: string): Promise<ExecutionStatus> {
  const { status } = (await org.get(`/tasks/executions/${id}`)).body as { status: ExecutionStatus };
  const end = model.ends.get(id);
  if (end !== undefined) expect(status, id).toBe(end);
  if (isOver(status)) model.ends.set(id, status);
  return status;
}

const pick = (ids: string[], n: number): string => ids[n % ids.length]!;
type Command = fc.AsyncCommand<Model, Real>;

const queueing = fc
  .record({
    taskName: fc.constantFrom("quick", "slow", "broken"),
    more: fc.constantFrom({}, { maxAttempts: 1 }, { timeoutSeconds: 1 }, { delaySeconds: 1, ttlSeconds: 1 }),
  })
  .map(({ taskName, more }): Command => ({
    check: () => true,
    async run(_model, real) {
      const request = { bridgeId, taskName, retryDelaySeconds: 1, maxAttempts: 2, ...more };
      const { status, body } = await org.post("/tasks/execute", request);
      expect([status, body.status]).toEqual([202, "queued"]);
      real.ids.push(body.id);
    },
    toString: () => `queue ${taskName} ${JSON.stringify(more)}`,
  }));

const cancelling = fc.nat().map((n): Command => ({
  check: () => true,
  async run(model, real) {
    if (real.ids.length === 0) return;
    const id = pick(real.ids, n);
    const known = model.ends.get(id);
    const { status, body } = await org.post(`/tasks/executions/${id}/cancel`);
    if (status === 200) model.ends.set(id, "cancelled");
    else expect([status, body.code]).toEqual([409, "execution_not_cancellable"]);
    if (known !== undefined) expect(status, known).toBe(known === "cancelled" ? 200 : 409);
    await see(model, id);
  },
  toString: () => `cancel ${n}`,
}));

const retrying = fc.nat().map((n): Command => ({
  check: () => true,
  async run(model, real) {
    if (real.ids.length === 0) return;
    const id = pick(real.ids, n);
    const known = model.ends.get(id);
    const { status, body } = await org.post(`/tasks/executions/${id}/retry`);
    if (status === 202) real.ids.push(body.id);
    else expect([status, ["execution_not_failed", "retry_in_progress"].includes(body.code)]).toEqual([409, true]);
    if (known !== undefined && !retryableStatuses.includes(known)) expect(status).toBe(409);
    await see(model, id);
  },
  toString: () => `retry ${n}`,
}));

const losing: fc.Arbitrary<Command> = fc.nat().map((n) => ({
  check: () => true,
  async run(model, real) {
    if (real.ids.length === 0) return;
    const id = pick(real.ids, n);
    await hub.world.db.query(
      `update task_executions set lease_owner = gen_random_uuid(), lease_until = now() - interval '1 ms'
        where id = $1 and status = 'running'`,
      [id],
    );
    await see(model, id);
  },
  toString: () => `lose the worker of ${n}`,
}));

const looking = fc.nat().map((n): Command => ({
  check: () => true,
  async run(model, real) {
    if (real.ids.length > 0) await see(model, pick(real.ids, n));
  },
  toString: () => `look at ${n}`,
}));

test("with any sequence of requests executions change status only along the table, and all of them end", async () => {
  const everyId: string[] = [];
  const commands = fc.commands([queueing, queueing, cancelling, retrying, losing, looking], {
    maxCommands: 25,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const model: Model = { ends: new Map() };
      const real: Real = { ids: [] };
      await fc.asyncModelRun(() => ({ model, real }), list);
      for (const id of real.ids) await eventually(() => see(model, id), isOver, 40_000);
      for (const id of real.ids) await see(model, id);
      everyId.push(...real.ids);
    }),
    { numRuns: 6, endOnFailure: true },
  );
  const moves = await hub.world.db.query<{
    id: string;
    before: ExecutionStatus;
    after: ExecutionStatus;
    attempt: number;
    attempt_before: number;
  }>("select * from moves_made");
  const illegal = moves.filter(({ before, after }) => before !== after && !canMove(executionMoves, before, after));
  expect(illegal).toEqual([]);
  // An attempt is counted when an execution begins, and only then; the number never goes down.
  const wrong = moves.filter(({ before, after, attempt, attempt_before }) =>
    before === "queued" && after === "running" ? attempt !== attempt_before + 1 : attempt !== attempt_before,
  );
  expect(wrong).toEqual([]);
  expect(everyId.length).toBeGreaterThan(10);
});

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Client } from "pg";
import type { Send } from "./chaos-client.ts";
import { signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub, withDatabase } from "./chaos-hub.ts";
import { makeFolder, makeOrders } from "./chaos-session.ts";
import { passTime } from "./pass-time.ts";
import { until } from "./until.ts";

/** Before a statement is sent, when it is sent and its answer will not be read, after its answer has come. */
export type Moment = "before" | "sent" | "after";

export type Scenario = { name: string; orders: number; isAsync: boolean; isUndone: boolean; moments: Moment[] };

/** After a statement is before the next one, so two moments are enough; what is left unread is the harder one. */
export const scenarios: Scenario[] = [
  { name: "20 orders x 3 actions", orders: 20, isAsync: false, isUndone: false, moments: ["before", "sent"] },
  { name: "520 orders x 3 actions in two portions", orders: 520, isAsync: true, isUndone: false, moments: ["sent"] },
  { name: "20 orders x 3 actions, then undone", orders: 20, isAsync: false, isUndone: true, moments: ["sent"] },
];

export type BoundaryOptions = {
  scenarios: Scenario[];
  /** Every how many-th statement is tried. */
  every: number;
  withinMs: number;
  say(line: string): void;
};

export type BoundaryResult = {
  scenario: string;
  moment: Moment;
  /** How many times the hub died at a statement of its own. */
  deaths: number;
  /** The number at which the scenario was done without dying; undefined when the time was up before. */
  completedAt: number | undefined;
  differences: string[];
};

const preloadFile = path.join(import.meta.dirname, "kill-at-statement.ts");
const maxStatements = 500;
const finishWithinMs = 60_000;

/** Kills the hub at one statement after the other, and holds what came of it against a run without a kill. */
export async function runBoundaries(options: BoundaryOptions): Promise<BoundaryResult[]> {
  const folder = await makeFolder();
  const hub = createChaosHub(path.join(folder, "data"), path.join(folder, "hub.log"));
  const deadline = performance.now() + options.withinMs;
  const results: BoundaryResult[] = [];
  try {
    await hub.start();
    const send = await signIn(hub);
    for (const scenario of options.scenarios) {
      const golden = await runOnce(hub, send, scenario, `golden ${scenario.name}`);
      for (const moment of scenario.moments) {
        const result = await killThroughout(hub, send, scenario, moment, golden, options.every, deadline);
        results.push(result);
        const { deaths, completedAt, differences } = result;
        options.say(
          `${scenario.name}, ${moment}: ${deaths} deaths, done at ${completedAt}, ${differences.length} differ`,
        );
      }
    }
    return results;
  } finally {
    await hub.stop();
    if (results.every(({ differences }) => differences.length === 0))
      await rm(folder, { recursive: true, force: true });
    else options.say(`evidence in ${folder}`);
  }
}

async function runOnce(hub: ChaosHub, send: Send, scenario: Scenario, token: string): Promise<string> {
  const orderIds = await makeOrders(send, scenario.orders);
  if (!(await perform(hub, send, scenario, token, orderIds))) throw new Error("the hub did not answer");
  return await withDatabase(hub.dataDir, (db) => snapshot(db, token, orderIds));
}

async function killThroughout(
  hub: ChaosHub,
  send: Send,
  scenario: Scenario,
  moment: Moment,
  golden: string,
  every: number,
  deadline: number,
): Promise<BoundaryResult> {
  const result: BoundaryResult = {
    scenario: scenario.name,
    moment,
    deaths: 0,
    completedAt: undefined,
    differences: [],
  };
  const compare = async (token: string, orderIds: string[]): Promise<void> => {
    const state = await withDatabase(hub.dataDir, (db) => snapshot(db, token, orderIds));
    if (state !== golden) result.differences.push(`${token}:\n${state}\ninstead of\n${golden}`);
  };
  // What a dead hub has left is taken up by the one that is to die next, before that one is asked for anything.
  let takeUp = async (): Promise<void> => {};
  await hub.killHub();
  for (let killAt = 1; killAt <= maxStatements && performance.now() < deadline; killAt += every) {
    const token = `${scenario.name} ${moment} ${killAt}`;
    const env = { CHAOS_KILL_AT: String(killAt), CHAOS_KILL_WHEN: moment, CHAOS_MARKER: keyOf(token, "run") };
    await forgetTheDead(hub);
    await hub.start({ file: preloadFile, env });
    await takeUp();
    const orderIds = await makeOrders(send, scenario.orders);
    takeUp = async () => {
      if (!(await perform(hub, send, scenario, token, orderIds))) throw new Error(`${token}: was not answered`);
      await compare(token, orderIds);
    };
    if (await perform(hub, send, scenario, token, orderIds)) {
      result.completedAt = killAt;
      await hub.killHub();
      break;
    }
    result.deaths++;
    await hub.ended();
  }
  await forgetTheDead(hub);
  await hub.start();
  await takeUp();
  return result;
}

function keyOf(token: string, request: string): string {
  return `${token} ${request}`.replaceAll(" ", "-");
}

/** What the dead hub had sent is done or dropped; then the time that a dead worker is believed to live has passed. */
async function forgetTheDead(hub: ChaosHub): Promise<void> {
  await withDatabase(hub.dataDir, async (db) => {
    const isAlone = async (): Promise<boolean> => {
      const { rows } = await db.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      );
      return rows[0]!.n === 0;
    };
    await until(isAlone, finishWithinMs, () => "the dead hub is still connected");
    await passTime(db);
  });
}

/** The requests of the scenario, each under a key of its own; false when an answer did not come. */
async function perform(
  hub: ChaosHub,
  send: Send,
  scenario: Scenario,
  token: string,
  orderIds: string[],
): Promise<boolean> {
  const ask = async (path: string, key: string, body?: unknown): Promise<string | undefined> => {
    const headers = {
      "idempotency-key": key,
      ...(scenario.isAsync ? { prefer: "respond-async" } : {}),
    };
    const reply = await send({ method: "POST", path, headers, ...(body === undefined ? {} : { body }) });
    if (reply.kind === "lost") return undefined;
    if (reply.status !== 201) throw new Error(`${token}: ${reply.status} ${JSON.stringify(reply.body)}`);
    const runId = String(reply.body.id);
    return (await isFinished(hub, runId)) ? runId : undefined;
  };
  const actions = [
    { type: "add_tags", params: { tags: ["chaos"] } },
    { type: "set_custom_field", params: { key: "token", value: token } },
    { type: "add_note", params: { text: `note of ${token}` } },
  ];
  const runId = await ask("/operations/run", keyOf(token, "run"), { order_ids: orderIds, actions, note: token });
  if (runId === undefined || !scenario.isUndone) return runId !== undefined;
  return (await ask(`/operations/runs/${runId}/undo`, keyOf(token, "undo"))) !== undefined;
}

/** Asks the database, not the hub, whose statements are being counted. */
async function isFinished(hub: ChaosHub, runId: string): Promise<boolean> {
  let hasEnded = false;
  void hub.ended().then(() => (hasEnded = true));
  return await withDatabase(hub.dataDir, async (db) => {
    let isDone = false;
    const look = async (): Promise<boolean> => {
      const { rows } = await db.query("select 1 from operation_runs where id = $1 and finished_at is not null", [
        runId,
      ]);
      isDone = rows.length === 1;
      return isDone || hasEnded;
    };
    await until(look, finishWithinMs, () => `run ${runId} is not finished`);
    return isDone;
  });
}

/** Everything that came of it, without ids and times. */
async function snapshot(db: Client, token: string, orderIds: string[]): Promise<string> {
  const { rows: runs } = await db.query<{ id: string }>(
    `select id, status, order_count, succeeded, failed, skipped, no_change, attempt, undo_of is not null as is_undo, worker
       from operation_runs where note = $1 order by created_at`,
    [token],
  );
  const { rows: results } = await db.query(
    `select n.undo_of is not null as is_undo, r.position, r.status, r.is_unchanged, r.todo, r.error_code, r.version_before,
            r.version_after, jsonb_path_query_array(r.steps, '$[*].type') as types,
            jsonb_path_query_array(r.steps, '$[*].status') as statuses
       from operation_results r join operation_runs n on n.id = r.run_id where n.note = $1 order by 1, 2`,
    [token],
  );
  const { rows: orders } = await db.query(
    `select o.version, o.tags, o.custom_fields, jsonb_path_query_array(o.notes, '$[*].text') as notes
       from orders o where o.id = any($1::uuid[]) order by array_position($1::uuid[], o.id)`,
    [orderIds],
  );
  const { rows: events } = await db.query(
    "select type, count(*)::int as times from events where object_id = any($1::uuid[]) group by type order by type",
    [runs.map(({ id }) => id)],
  );
  const { rows: chunks } = await db.query(
    "select position, is_done from operation_run_chunks c join operation_runs n on n.id = c.run_id where n.note = $1 order by 1, 2",
    [token],
  );
  const state = { runs: runs.map((run) => ({ ...run, id: "" })), results, orders, events, chunks };
  return JSON.stringify(state).replaceAll(token, "TOKEN");
}

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub, withDatabase } from "./chaos-hub.ts";
import { cancelledState, snapshot } from "./boundary-snapshot.ts";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import { makeOrders } from "./chaos-session.ts";
import { goods } from "./goods.ts";
import { passTime } from "./pass-time.ts";
import { until } from "./until.ts";
import { gateIsOpen } from "./workload.ts";

/** Before a statement is sent, after it is sent but before its response is read, or after its response. */
export type Moment = "before" | "sent" | "after";

export type Scenario = {
  name: string;
  orders: number;
  isAsync: boolean;
  /** What the run does: change orders (some may be blocked), or create orders. */
  does: "change" | "changeIfOpen" | "make";
  followedBy?: "undo" | "retry" | "cancel";
  /** The request at which counting starts; default: the run. */
  countsFrom?: "run" | "undo" | "retry" | "cancel";
  moments: Moment[];
};

const few = { orders: 20, isAsync: false, does: "change", moments: ["sent"] } satisfies Partial<Scenario>;

/** "after" equals "before" of the next statement, so two moments suffice; an unread response is the harder case. */
export const scenarios: Scenario[] = [
  { ...few, name: "20 orders x 3 actions", moments: ["before", "sent"] },
  { ...few, name: "520 orders x 3 actions in two portions", orders: 520, isAsync: true },
  { ...few, name: "20 orders x 3 actions, then undone", followedBy: "undo" },
  { ...few, name: "a retry of 2 of 20 orders", does: "changeIfOpen", followedBy: "retry", countsFrom: "retry" },
  {
    ...few,
    name: "a cancel of 520 orders in two portions",
    orders: 520,
    isAsync: true,
    followedBy: "cancel",
    countsFrom: "cancel",
  },
  { ...few, name: "20 orders split, duplicated and merged, then undone", does: "make", followedBy: "undo" },
];

type BoundaryOptions = {
  scenarios: Scenario[];
  /** Tests every n-th statement. */
  every: number;
  withinMs: number;
  log(line: string): void;
  /** Data directory of the hub, removed by the caller; by default a new one beside the evidence. */
  dataDir?: string;
};

export type BoundaryResult = {
  scenario: string;
  moment: Moment;
  /** How often the hub died at a statement. */
  deaths: number;
  /** Statement number at which the scenario completed without a kill; undefined if the time ran out. */
  completedAt: number | undefined;
  differences: string[];
};

export const preloadFile = path.join(import.meta.dirname, "kill-at-statement.ts");
const maxStatements = 500;
const finishWithinMs = 60_000;

/** Kills the hub at one statement after the other and compares the result with a run without a kill. */
export async function runBoundaries(options: BoundaryOptions): Promise<BoundaryResult[]> {
  const folder = await makeOpenFolder("hub-chaos-");
  const hub = createChaosHub(options.dataDir ?? path.join(folder, "data"), path.join(folder, "hub.log"));
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
        options.log(
          `${scenario.name}, ${moment}: ${deaths} deaths, done at ${completedAt}, ${differences.length} differ`,
        );
      }
    }
    return results;
  } finally {
    await hub.stop();
    if (results.every(({ differences }) => differences.length === 0))
      await rm(folder, { recursive: true, force: true });
    else options.log(`evidence in ${folder}`);
  }
}

async function runOnce(hub: ChaosHub, send: Send, scenario: Scenario, token: string): Promise<string> {
  const orderIds = await makeOrdersFor(send, scenario);
  if (!(await perform(hub, send, scenario, token, orderIds))) throw new Error("the hub did not answer");
  return await readState(hub, scenario, token, orderIds);
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
    const state = await readState(hub, scenario, token, orderIds);
    if (state !== golden) result.differences.push(`${token}:\n${state}\ninstead of\n${golden}`);
  };
  // The next hub recovers what the dead one left, before it gets any request.
  let takeUp = async (): Promise<void> => {};
  await hub.killHub();
  for (let killAt = 1; killAt <= maxStatements && performance.now() < deadline; killAt += every) {
    const token = `${scenario.name} ${moment} ${killAt}`;
    const env = {
      CHAOS_KILL_AT: String(killAt),
      CHAOS_KILL_WHEN: moment,
      CHAOS_MARKER: keyOf(token, scenario.countsFrom ?? "run"),
    };
    await forgetTheDead(hub);
    await hub.start({ file: preloadFile, env });
    await takeUp();
    const orderIds = await makeOrdersFor(send, scenario);
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

async function makeOrdersFor(send: Send, { does, orders }: Scenario): Promise<string[]> {
  if (does !== "make") return await makeOrders(send, orders);
  const { results } = await accepted(send, { method: "POST", path: "/orders/bulk", body: { orders: goods(orders) } });
  return (results as { id: string }[]).map(({ id }) => id);
}

async function readState(hub: ChaosHub, { followedBy }: Scenario, token: string, orderIds: string[]): Promise<string> {
  const read = followedBy === "cancel" ? cancelledState : snapshot;
  return await withDatabase(hub.dataDir, (db) => read(db, token, orderIds));
}

function keyOf(token: string, request: string): string {
  return `${token} ${request}`.replaceAll(" ", "-");
}

/** Waits until the statements of the dead hub have ended, then expires its leases. */
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

/** Sends the requests of the scenario, each with its own key; false when a response is missing. */
async function perform(
  hub: ChaosHub,
  send: Send,
  scenario: Scenario,
  token: string,
  orderIds: string[],
): Promise<boolean> {
  const { followedBy } = scenario;
  const ask = async (path: string, request: string, body?: unknown): Promise<string | undefined> => {
    const headers = {
      "idempotency-key": keyOf(token, request),
      ...(scenario.isAsync ? { prefer: "respond-async" } : {}),
    };
    // It may have died after the response, for example while sealing events.
    if (!hub.isReady()) return undefined;
    const reply = await send({ method: "POST", path, headers, ...(body === undefined ? {} : { body }) });
    if (reply.kind === "lost") return undefined;
    // A cancel that comes too late is a valid outcome.
    if (reply.status < 300 || reply.body.code === "run_finished") return String(reply.body.id);
    throw new Error(`${token}: ${reply.status} ${JSON.stringify(reply.body)}`);
  };
  const actions = [...steps[scenario.does](token), { type: "add_note", params: { text: `note of ${token}` } }];
  const runId = await ask("/operations/run", "run", { order_ids: orderIds, actions, note: token });
  if (runId === undefined) return false;
  if (followedBy === "cancel") {
    return (await ask(`/operations/runs/${runId}/cancel`, followedBy)) !== undefined && (await isFinished(hub, runId));
  }
  if (!(await isFinished(hub, runId))) return false;
  if (followedBy === undefined) return true;
  if (followedBy === "retry" && !(await unblockOrders(hub, send, orderIds))) return false;
  const otherId = await ask(`/operations/runs/${runId}/${followedBy}`, followedBy);
  return otherId !== undefined && (await isFinished(hub, otherId));
}

const steps: Record<Scenario["does"], (token: string) => object[]> = {
  change: (token) => [
    { type: "add_tags", params: { tags: ["chaos"] } },
    { type: "set_custom_field", params: { key: "token", value: token } },
  ],
  changeIfOpen: (token) => [
    { type: "add_tags", params: { tags: ["chaos"] } },
    { type: "assert", params: { when: gateIsOpen } },
    { type: "set_custom_field", params: { key: "token", value: token } },
  ],
  make: () => [
    { type: "split", params: { by: "value", max_value: 50 } },
    { type: "duplicate", params: {} },
    { type: "merge", params: {} },
  ],
};

/** Unblocks orders so that a retry can succeed; open ones are not changed. */
async function unblockOrders(hub: ChaosHub, send: Send, orderIds: string[]): Promise<boolean> {
  for (const id of orderIds) {
    if (!hub.isReady()) return false;
    const reply = await send({ method: "PATCH", path: `/orders/${id}`, body: { customFields: { gate: "open" } } });
    if (reply.kind === "lost") return false;
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  }
  return true;
}

/** Reads the database: a request would add to the counted statements. */
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

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Client } from "pg";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub, withDatabase } from "./chaos-hub.ts";
import { createRandom } from "./chaos-plan.ts";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import { listedNumber, startTaskShop } from "./task-shop.ts";
import { until } from "./until.ts";

type StoryOptions = {
  seed: number;
  orders: number;
  kills: number;
  withinMs: number;
  /** Triggers the schedule instead of waiting for the next minute. */
  isTriggered?: boolean;
  /** Data directory of the hub, removed by the caller; by default a new one. */
  dataDir?: string;
};

type StoryResult = {
  kills: number;
  executions: { status: string; trigger: string; attempts: string[]; result: unknown }[];
  /** From a restart after a kill until the interrupted execution runs again, by the database clock. */
  restartsMs: number[];
  problems: string[];
};

/**
 * A schedule imports a shop's orders through a transformation while the hub is killed repeatedly: in the end every order exists
 * once, as the transformation maps it.
 */
export async function runImportStory(options: StoryOptions, log: (line: string) => void): Promise<StoryResult> {
  const folder = await makeOpenFolder("hub-chaos-");
  const shop = await startTaskShop({
    journalFile: path.join(folder, "shop.jsonl"),
    seed: options.seed,
    listed: options.orders,
    pageDelayMs: 40,
  });
  const hub = createChaosHub(options.dataDir ?? path.join(folder, "data"), path.join(folder, "hub.log"), {
    HUB_PRIVATE_ADDRESSES: "allow",
  });
  try {
    await hub.start();
    const send = await signIn(hub);
    const scheduleId = await prepare(send, shop.url);
    if (options.isTriggered) await accepted(send, { method: "POST", path: `/schedules/${scheduleId}/trigger` });
    log("waiting for the schedule to fire");
    const outcome = await killThroughout(hub, options, log);
    const problems = await withDatabase(hub.dataDir, (db) => findProblems(db, options.orders));
    problems.push(...hub.unexpectedEnds());
    const executions = await withDatabase(hub.dataDir, (db) => listExecutions(db, scheduleId));
    return { ...outcome, executions, problems };
  } finally {
    await hub.stop();
    await shop.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(send: Send, shopUrl: string): Promise<string> {
  const post = async (target: string, body: object): Promise<string> =>
    String((await accepted(send, { method: "POST", path: target, body })).id);
  const tasks = [
    {
      name: "orders.import",
      mode: "pull",
      request: { path: "/list/orders" },
      recordsPath: "data",
      externalIdPath: "id",
      updatedAtPath: "updated_at",
      totalPath: "meta.total",
      pagination: { kind: "cursor", param: "after", nextCursorPath: "meta.next", pageSize: 25 },
    },
  ];
  const settings = { baseUrl: shopUrl, tasks };
  const bridgeId = await post("/bridges", { name: "Shop", connector: "rest", settings });
  await post("/transformations", {
    name: "Orders of the shop",
    bridgeId,
    taskName: "orders.import",
    direction: "inbound",
    mappings: [
      { source: "reference", target: "number" },
      { source: "buyer.name", target: "customer.name" },
      { value: ["imported"], target: "tags" },
    ],
  });
  const everyMinute = { cron: "* * * * *", timezone: "UTC", overlap: "skip" };
  return await post("/schedules", { name: "Import", bridgeId, taskName: "orders.import", ...everyMinute });
}

async function killThroughout(hub: ChaosHub, options: StoryOptions, log: (line: string) => void) {
  const random = createRandom(options.seed);
  const deadline = performance.now() + options.withinMs;
  const restartsMs: number[] = [];
  const state = () => withDatabase(hub.dataDir, readState);
  await until(
    async () => (await state()).running > 0,
    90_000,
    () => "no import has begun",
    100,
  );
  let kills = 0;
  while (kills < options.kills && performance.now() < deadline) {
    const { orders } = await state();
    if (orders >= options.orders) break;
    // Wait for progress: otherwise all three kills would hit the same attempt.
    await until(
      async () => (await state()).orders > orders,
      90_000,
      () => "the import does not go on",
      20,
    );
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 400)));
    await hub.killHub();
    kills++;
    const before = await state();
    const started = performance.now();
    await hub.start();
    const isTakenUp = async (): Promise<boolean> => (await state()).attempts > before.attempts;
    if (before.running > 0) {
      await until(isTakenUp, 60_000, () => "the import was not taken up", 20);
      restartsMs.push(performance.now() - started);
    }
    log(`${kills} kills, ${before.orders} orders`);
  }
  const isDone = async (): Promise<boolean> => {
    const { orders, running } = await state();
    return orders >= options.orders && running === 0;
  };
  await until(isDone, 240_000, () => "the import does not end", 200).catch((error: unknown) => log(String(error)));
  return { kills, restartsMs };
}

async function readState(db: Client): Promise<{ running: number; attempts: number; orders: number }> {
  const { rows } = await db.query<{ running: number; attempts: number; orders: number }>(
    `select (select count(*)::int from task_executions where task_name = 'orders.import' and status = 'running') as running,
            (select coalesce(sum(attempt), 0)::int from task_executions where task_name = 'orders.import') as attempts,
            (select count(*)::int from orders where tags @> '{imported}') as orders`,
  );
  return rows[0]!;
}

async function findProblems(db: Client, count: number): Promise<string[]> {
  const { rows } = await db.query<{ external_id: string; number: string; n: number; name: string | null }>(
    `select external_id, min(number) as number, count(*)::int as n, min(customer ->> 'name') as name from orders
      where tags @> '{imported}' group by external_id`,
  );
  const found = new Map(rows.map((row) => [row.external_id, row]));
  const problems = rows
    .filter(({ n }) => n > 1)
    .map(({ external_id, n }) => `order ${external_id} is there ${n} times`);
  for (let n = 1; n <= count; n++) {
    const row = found.get(String(n));
    if (!row) problems.push(`order ${n} is not there`);
    else if (row.number !== listedNumber(n) || row.name !== `Buyer ${n}`)
      problems.push(`order ${n}: ${JSON.stringify(row)}`);
  }
  if (rows.length > count) problems.push(`${rows.length} orders in place of ${count}`);
  return problems;
}

async function listExecutions(db: Client, scheduleId: string): Promise<StoryResult["executions"]> {
  const { rows } = await db.query<{ status: string; trigger: string; attempts: { status: string }[]; result: unknown }>(
    "select status, trigger, attempts, result from task_executions where schedule_id = $1 order by created_at",
    [scheduleId],
  );
  return rows.map((row) => ({ ...row, attempts: row.attempts.map(({ status }) => status) }));
}

export function describeImport(
  options: StoryOptions,
  { kills, executions, restartsMs, problems }: StoryResult,
): string {
  const sorted = restartsMs.toSorted((a, b) => a - b).map(Math.round);
  return [
    `seed               ${options.seed}: ${options.orders} orders by a schedule, through a transformation; ${kills} kills`,
    ...executions.map(({ status, attempts }) => `execution          ${status} after ${attempts.join(", ")}`),
    `gone on after      ${sorted.join(", ")} ms from the start of the next hub`,
    `orders wrong       ${problems.length}`,
    ...problems.slice(0, 20).map((line) => `  ! ${line}`),
  ].join("\n");
}

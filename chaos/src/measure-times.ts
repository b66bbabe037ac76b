import { rm } from "node:fs/promises";
import path from "node:path";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import { createRandom } from "./chaos-plan.ts";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { TaskCluster } from "./task-cluster.ts";
import { startCluster } from "./task-cluster.ts";
import type { TaskShop } from "./task-shop.ts";
import { startTaskShop } from "./task-shop.ts";
import { until } from "./until.ts";

export type Times = { takenOverMs: number[]; cancelledMs: number[] };

/** Measures how long it takes until another hub takes over from a killed one, and until a cancel reaches a task of another hub. */
export async function measureTimes(rounds: number, log: (line: string) => void): Promise<Times> {
  const folder = await makeOpenFolder("hub-chaos-");
  const shop = await startTaskShop({ journalFile: path.join(folder, "shop.jsonl"), seed: 1 });
  // The first one serves requests only; the others also run tasks.
  const roles = ["api,gateway,scheduler", "api,gateway,worker", "api,gateway,worker"];
  const cluster = await startCluster(folder, roles.length, createRandom(1), (i) => ({ HUB_ROLES: roles[i]! }));
  try {
    const send = await signIn({ url: () => cluster.nodes[0]!.url() });
    const bridgeId = await makeBridge(send, shop.url);
    const times: Times = { takenOverMs: [], cancelledMs: [] };
    for (let round = 0; round < rounds; round++) {
      times.takenOverMs.push(await measureTakeOver(cluster, send));
      times.cancelledMs.push(await measureCancel(send, bridgeId, shop, `cancel ${round}`));
      log(`taken over after ${times.takenOverMs.at(-1)} ms, cancelled after ${times.cancelledMs.at(-1)} ms`);
    }
    return times;
  } finally {
    await cluster.stop();
    await shop.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeBridge(send: Send, baseUrl: string): Promise<string> {
  const hang = {
    name: "hang",
    mode: "call",
    request: { method: "POST", path: "/call/hang", query: { token: "{{input.token}}" } },
    idempotent: true,
  };
  const body = { name: "Shop", connector: "rest", settings: { baseUrl, tasks: [hang] } };
  return String((await accepted(send, { method: "POST", path: "/bridges", body })).id);
}

async function attemptsOf(cluster: TaskCluster, id: string): Promise<{ attempt: number; status: string }> {
  const text = "select attempt, status from task_executions where id = $1";
  return await cluster.withDatabase(
    async (db) => (await db.query<{ attempt: number; status: string }>(text, [id])).rows[0]!,
  );
}

/** Each worker runs an execution; one worker is killed and the other takes over. */
async function measureTakeOver(cluster: TaskCluster, send: Send): Promise<number> {
  const { id: bridgeId } = await accepted(send, {
    method: "POST",
    path: "/bridges",
    body: { name: `Demo ${crypto.randomUUID()}`, connector: "demo" },
  });
  const request = { bridgeId, taskName: "sleep", input: { ms: 120_000 } };
  const [, first, second] = cluster.nodes;
  await second!.killHub();
  const { id } = await accepted(send, { method: "POST", path: "/tasks/execute", body: request });
  const state = () => attemptsOf(cluster, String(id));
  await until(
    async () => (await state()).status === "running",
    60_000,
    () => "it does not begin",
    20,
  );
  await second!.start();
  const killed = performance.now();
  await first!.killHub();
  await until(
    async () => (await state()).attempt === 2,
    60_000,
    () => "no hub took over",
    20,
  );
  const took = performance.now() - killed;
  await accepted(send, { method: "POST", path: `/tasks/executions/${String(id)}/cancel` });
  await first!.start();
  return Math.round(took);
}

/** Cancels through the hub without tasks; the shop sees when the worker disconnects. */
async function measureCancel(
  send: Send,
  bridgeId: string,
  { hanging, abandonedAt }: TaskShop,
  token: string,
): Promise<number> {
  const body = { bridgeId, taskName: "hang", input: { token } };
  const { id } = await accepted(send, { method: "POST", path: "/tasks/execute", body });
  await until(
    () => hanging.has(token),
    60_000,
    () => "the shop was not called",
  );
  const asked = performance.now();
  await accepted(send, { method: "POST", path: `/tasks/executions/${String(id)}/cancel` });
  await until(
    () => abandonedAt.has(token),
    30_000,
    () => "the worker did not hang up",
  );
  return Math.round(abandonedAt.get(token)! - asked);
}

export function describeTimes({ takenOverMs, cancelledMs }: Times): string {
  return [
    `taken over from a killed hub after   ${takenOverMs.join(", ")} ms (promised: 20,000)`,
    `cancelled on another hub after       ${cancelledMs.join(", ")} ms (promised: 1,000)`,
  ].join("\n");
}

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Client } from "pg";
import { adminPassword, makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { AutomationCheck, KnownAutomation } from "./automation-checker.ts";
import { checkAutomations, makeAutomation } from "./automation-checker.ts";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import { createRandom } from "./chaos-plan.ts";
import type { Random } from "./chaos-plan.ts";
import { describeFindings } from "./chaos-report.ts";
import type { TaskCluster } from "./task-cluster.ts";
import { startCluster } from "./task-cluster.ts";
import { until } from "./until.ts";
import type { Endpoint, WebhookCheck } from "./webhook-checker.ts";
import { checkWebhooks, readArrivals } from "./webhook-checker.ts";
import type { Organization } from "./webhook-rounds.ts";
import {
  countLeft,
  findBacklog,
  hastenRetries,
  makeEndpoints,
  organizationOf,
  startReceiver,
} from "./webhook-rounds.ts";

type WebhookOptions = { seed: number; strikes: number; nodes: number; withinMs: number };
type StrikeKind = "kill" | "freeze" | "database" | "cut";
type WebhookResult = WebhookCheck & {
  fired: AutomationCheck;
  seed: number;
  nodes: number;
  struck: Record<StrikeKind, number>;
  cuts: number;
  pauses: number;
  evidence: string;
};

const drainWithinMs = 240_000;
/** Writers pause while a webhook is further behind: the drain at the end would take too long. */
const mostBehind = 1_000;
/** Longer than the lease of a webhook. */
const longFreezeMs = 19_000;

/** Webhooks and automations of two organizations under kills, freezes, database restarts and lost COMMIT responses. */
export async function runWebhookSession(options: WebhookOptions, log: (line: string) => void): Promise<WebhookResult> {
  const { seed, nodes, withinMs } = options;
  const folder = await makeOpenFolder("hub-chaos-");
  log(`data and evidence in ${folder}`);
  const random = createRandom(seed);
  const journalFile = path.join(folder, "arrivals.jsonl");
  const { receiver, url } = await startReceiver(journalFile, seed);
  const cluster = await startCluster(folder, nodes, createRandom(seed ^ 0x5eed));
  let isClean = false;
  try {
    const organizations = await makeOrganizations(cluster);
    const endpoints: Endpoint[] = [];
    const automations: KnownAutomation[] = [];
    for (const one of organizations) {
      endpoints.push(...(await makeEndpoints(one, url)));
      automations.push(await makeAutomation(one));
    }
    const state = { isOver: false, isBehind: false, pauses: 0 };
    const clients = organizations.flatMap((one, n) => [
      ...[1, 2, 3].map((client) => write(one.send, `${n}-${client}`, state)),
      pauseNowAndThen(one, endpoints, createRandom(seed + n), state),
    ]);
    const time = letTimePass(cluster, state);
    const struck = await strikeAll(cluster, options, random, performance.now() + withinMs, log).finally(
      () => (state.isOver = true),
    );
    await Promise.all([...clients, time]);
    await drain(cluster, organizations, endpoints);
    const check = await cluster.withDatabase((db) => checkWebhooks(db, endpoints, readArrivals(journalFile)));
    const { findings } = check;
    const fired = await cluster.withDatabase((db) => checkAutomations(db, automations));
    findings.broken.push(...fired.findings);
    for (const { send } of organizations) {
      const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
      if (verification.ok !== true) findings.broken.push(`the audit chain: ${JSON.stringify(verification)}`);
    }
    for (const node of cluster.nodes) {
      findings.broken.push(...node.unexpectedEnds().map((end) => `a hub ended: ${end}`));
    }
    isClean = Object.values(findings).every((list) => list.length === 0);
    const evidence = isClean ? "" : folder;
    return { ...check, fired, seed, nodes, struck, cuts: cluster.cutter.cuts(), pauses: state.pauses, evidence };
  } finally {
    await cluster.stop();
    await receiver.stop();
    if (isClean) await rm(folder, { recursive: true, force: true });
  }
}

async function makeOrganizations(cluster: TaskCluster): Promise<Organization[]> {
  const operator = await signIn(cluster);
  const email = "admin@other.example";
  const body = { name: "Other", admin: { email, password: adminPassword } };
  await accepted(operator, { method: "POST", path: "/organizations", body });
  return [await organizationOf(operator), await organizationOf(await signIn(cluster, email))];
}

/** Responses do not matter: the event log is the reference. */
async function write(send: Send, name: string, state: { isOver: boolean; isBehind: boolean }): Promise<void> {
  for (let n = 0; !state.isOver; n++) {
    // Delivering one by one is slower than creating the events.
    while (state.isBehind && !state.isOver) await new Promise((resolve) => setTimeout(resolve, 200));
    const made = await send({ method: "POST", path: "/orders", body: { number: `W-${name}-${n}` } });
    if (made.kind === "lost") await new Promise((resolve) => setTimeout(resolve, 100));
    else if (made.status === 201) {
      await send({ method: "PATCH", path: `/orders/${String(made.body.id)}`, body: { tags: [`t${n}`] } });
    }
    if (n % 5 === 0) await send({ method: "POST", path: "/condition-sets", body: { name: `set ${name} ${n}` } });
  }
}

async function pauseNowAndThen(
  { id, send }: Organization,
  endpoints: Endpoint[],
  random: Random,
  state: { isOver: boolean; pauses: number },
): Promise<void> {
  const own = endpoints.filter(({ orgId }) => orgId === id);
  while (!state.isOver) {
    const { webhookId } = random.pick(own);
    const reply = await send({ method: "POST", path: `/webhooks/${webhookId}/pause` });
    if (reply.kind === "answer" && reply.status === 200) state.pauses++;
    await new Promise((resolve) => setTimeout(resolve, random.between(100, 2_000)));
    await send({ method: "POST", path: `/webhooks/${webhookId}/enable`, body: { from: "last_position" } });
    await new Promise((resolve) => setTimeout(resolve, random.between(500, 4_000)));
  }
}

async function letTimePass(cluster: TaskCluster, state: { isOver: boolean; isBehind: boolean }): Promise<void> {
  const look = async (db: Client): Promise<void> => {
    await hastenRetries(db);
    state.isBehind = (await findBacklog(db)) > mostBehind;
  };
  while (!state.isOver) {
    await cluster.withDatabase(look).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function strikeAll(
  cluster: TaskCluster,
  { strikes, nodes }: WebhookOptions,
  random: Random,
  deadline: number,
  log: (line: string) => void,
): Promise<WebhookResult["struck"]> {
  const struck = { kill: 0, freeze: 0, database: 0, cut: 0 };
  for (let n = 1; n <= strikes && performance.now() < deadline; n++) {
    const [dice, node, more] = [random.next(), random.between(0, nodes - 1), random.next()];
    const kind: StrikeKind = dice < 0.5 ? "kill" : dice < 0.65 ? "freeze" : dice < 0.82 ? "database" : "cut";
    await new Promise((resolve) => setTimeout(resolve, random.between(100, 2_500)));
    const hub = cluster.nodes[node]!;
    if (kind === "cut") cluster.cutter.cutNext(3 + Math.floor(more * 8));
    else if (kind === "database") await cluster.restartPostgres(more < 0.5 ? "SIGKILL" : "SIGINT");
    else if (kind === "freeze") {
      hub.freeze();
      await new Promise((resolve) => setTimeout(resolve, more < 0.7 ? 1_000 + more * 6_000 : longFreezeMs));
      hub.thaw();
    } else {
      await hub.killHub();
      await hub.start();
    }
    struck[kind]++;
    if (n % 10 === 0) log(`${n} strikes: ${JSON.stringify(struck)}`);
  }
  return struck;
}

/** The check reports what is left; do not wait forever. */
async function drain(cluster: TaskCluster, organizations: Organization[], endpoints: Endpoint[]): Promise<void> {
  for (const { webhookId, orgId } of endpoints) {
    const { send } = organizations.find(({ id }) => id === orgId)!;
    const enable = async (): Promise<boolean> => {
      const reply = await send({
        method: "POST",
        path: `/webhooks/${webhookId}/enable`,
        body: { from: "last_position" },
      });
      return reply.kind === "answer" && reply.status === 200;
    };
    await until(enable, drainWithinMs, () => `${webhookId} cannot be enabled`, 200);
  }
  let left = -1;
  const isDone = async (): Promise<boolean> => {
    left = await cluster.withDatabase(async (db) => {
      await hastenRetries(db);
      return await countLeft(db);
    });
    return left === 0;
  };
  await until(isDone, drainWithinMs, () => `${left} are left`, 500).catch(() => {});
}

export const isWebhookClean = ({ findings }: WebhookResult): boolean =>
  Object.values(findings).every((list) => list.length === 0);

export function describeWebhookSession(result: WebhookResult): string {
  const { findings, struck } = result;
  const strikes = Object.entries(struck).map(([kind, times]) => `${kind} ${times}`);
  return [
    `seed                 ${result.seed}, ${result.nodes} hubs on one PostgreSQL`,
    `strikes              ${strikes.join(", ")}; COMMIT answers cut ${result.cuts}; pauses ${result.pauses}`,
    `deliveries wanted    ${result.events}; arrivals ${result.arrivals}, taken more than once ${result.duplicates}`,
    `automations          ${result.fired.invocations} invocations for ${result.fired.orders} orders`,
    `lost                 ${findings.lost.length}`,
    `out of strict order  ${findings.outOfOrder.length}`,
    `foreign              ${findings.foreign.length}`,
    `other violations     ${findings.broken.length}`,
    ...describeFindings(findings, result.evidence),
  ].join("\n");
}

import { rm } from "node:fs/promises";
import path from "node:path";
import { adminPassword, launch, makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
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

type WebhookOptions = { seed: number; strikes: number; nodes: number; withinMs: number };
type StrikeKind = "kill" | "freeze" | "database" | "cut";
type WebhookResult = WebhookCheck & {
  seed: number;
  nodes: number;
  struck: Record<StrikeKind, number>;
  cuts: number;
  pauses: number;
  evidence: string;
};

const drainWithinMs = 240_000;
/** Longer than the lease of a delivery. */
const longFreezeMs = 34_000;

/** Webhooks of two organizations, under kills, freezes, restarts of the database and lost answers to COMMIT. */
export async function runWebhookSession(options: WebhookOptions, say: (line: string) => void): Promise<WebhookResult> {
  const { seed, nodes, withinMs } = options;
  const folder = await makeOpenFolder("hub-chaos-");
  say(`data and evidence in ${folder}`);
  const random = createRandom(seed);
  const journalFile = path.join(folder, "arrivals.jsonl");
  const receiver = launch({
    command: [process.execPath, path.join(import.meta.dirname, "webhook-receiver.ts")],
    args: [journalFile, String(seed)],
    env: {},
  });
  const [, url = ""] = await receiver.printed(/^listening on (http:\S+)/m, 20_000);
  const cluster = await startCluster(folder, nodes, createRandom(seed ^ 0x5eed));
  let isClean = false;
  try {
    const organizations = await makeOrganizations(cluster);
    const endpoints: Endpoint[] = [];
    for (const one of organizations) endpoints.push(...(await makeEndpoints(one, url)));
    const state = { isOver: false, pauses: 0 };
    const clients = organizations.flatMap((one, n) => [
      ...[1, 2, 3].map((client) => write(one.send, `${n}-${client}`, () => state.isOver)),
      pauseNowAndThen(one, endpoints, createRandom(seed + n), state),
    ]);
    const time = letTimePass(cluster, () => state.isOver);
    const struck = await strikeAll(cluster, options, random, performance.now() + withinMs, say).finally(
      () => (state.isOver = true),
    );
    await Promise.all([...clients, time]);
    await drain(cluster, organizations, endpoints);
    const check = await cluster.withDatabase((db) => checkWebhooks(db, endpoints, readArrivals(journalFile)));
    const { findings } = check;
    for (const { send } of organizations) {
      const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
      if (verification.ok !== true) findings.broken.push(`the audit chain: ${JSON.stringify(verification)}`);
    }
    for (const node of cluster.nodes) {
      findings.broken.push(...node.unexpectedEnds().map((end) => `a hub ended: ${end}`));
    }
    isClean = Object.values(findings).every((list) => list.length === 0);
    const evidence = isClean ? "" : folder;
    return { ...check, seed, nodes, struck, cuts: cluster.cutter.cuts(), pauses: state.pauses, evidence };
  } finally {
    await cluster.stop();
    await receiver.stop();
    if (isClean) await rm(folder, { recursive: true, force: true });
  }
}

type Organization = { id: string; send: Send };

async function makeOrganizations(cluster: TaskCluster): Promise<Organization[]> {
  const operator = await signIn(cluster);
  const email = "admin@other.example";
  const body = { name: "Other", admin: { email, password: adminPassword } };
  await accepted(operator, { method: "POST", path: "/organizations", body });
  const sends = [operator, await signIn(cluster, email)];
  const idOf = async (send: Send): Promise<string> =>
    ((await accepted(send, { method: "GET", path: "/me" })).organization as { id: string }).id;
  return await Promise.all(sends.map(async (send) => ({ send, id: await idOf(send) })));
}

/** One of each kind for each organization; what they are for overlaps, so that the same event goes to several. */
async function makeEndpoints({ id: orgId, send }: Organization, url: string): Promise<Endpoint[]> {
  const kinds = [
    { kind: "none", types: ["order.created", "condition_set.created"], body: { maxInFlight: 8 } },
    { kind: "strict", types: ["order.created", "order.updated"], body: { ordering: "strict" } },
    { kind: "signed", types: ["order.updated"], body: { signing: "ed25519", maxInFlight: 2 } },
  ];
  const endpoints: Endpoint[] = [];
  for (const { kind, types, body } of kinds) {
    const name = `${orgId}/${kind}`;
    const request = { url: `${url}/${name}`, types, ...body };
    const made = await accepted(send, { method: "POST", path: "/webhooks", body: request });
    const from = Number(String(made.cursor).split("-")[0]);
    endpoints.push({ name, webhookId: String(made.id), orgId, types, isStrict: kind === "strict", from });
  }
  return endpoints;
}

/** Whether an answer came does not matter: the log says what happened. */
async function write(send: Send, name: string, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
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
    await send({ method: "POST", path: `/webhooks/${webhookId}/enable`, body: { from: "stopped" } });
    await new Promise((resolve) => setTimeout(resolve, random.between(500, 4_000)));
  }
}

/** Retries come after minutes and hours: nobody waits for that here. */
async function letTimePass(cluster: TaskCluster, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await passTime(cluster).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function passTime(cluster: TaskCluster): Promise<void> {
  await cluster.withDatabase(async (db) => {
    await db.query("update webhooks set wait_until = null where wait_until > now()");
    await db.query(
      "update webhook_deliveries set due_at = now(), next_try_at = now() where due_at > now() and lease_owner is null",
    );
    await db.query("select pg_notify('hub_signals', 'webhook||chaos')");
  });
}

async function strikeAll(
  cluster: TaskCluster,
  { strikes, nodes }: WebhookOptions,
  random: Random,
  deadline: number,
  say: (line: string) => void,
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
    if (n % 10 === 0) say(`${n} strikes: ${JSON.stringify(struck)}`);
  }
  return struck;
}

/** Whatever is left then is a finding of the check, not a reason to wait for ever. */
async function drain(cluster: TaskCluster, organizations: Organization[], endpoints: Endpoint[]): Promise<void> {
  for (const { webhookId, orgId } of endpoints) {
    const { send } = organizations.find(({ id }) => id === orgId)!;
    const enable = async (): Promise<boolean> => {
      const reply = await send({ method: "POST", path: `/webhooks/${webhookId}/enable`, body: { from: "stopped" } });
      return reply.kind === "answer" && reply.status === 200;
    };
    await until(enable, drainWithinMs, () => `${webhookId} cannot be enabled`, 200);
  }
  let left = "";
  const isDone = async (): Promise<boolean> => {
    await passTime(cluster);
    return await cluster.withDatabase(async (db) => {
      const { rows } = await db.query<{ n: number }>(
        `select (select count(*) from unsealed_events)::int + (select count(*) from webhook_deliveries where due_at is not null)::int
           + (select count(*) from webhooks w join audit_heads h using (org_id) where w.cursor < h.sequence)::int as n`,
      );
      left = String(rows[0]!.n);
      return rows[0]!.n === 0;
    });
  };
  await until(isDone, drainWithinMs, () => left, 500).catch(() => {});
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
    `lost                 ${findings.lost.length}`,
    `out of strict order  ${findings.outOfOrder.length}`,
    `foreign              ${findings.foreign.length}`,
    `other violations     ${findings.broken.length}`,
    ...describeFindings(findings, result.evidence),
  ].join("\n");
}

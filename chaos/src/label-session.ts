import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { Send } from "./chaos-client.ts";
import { accepted, signIn } from "./chaos-client.ts";
import type { Random } from "./chaos-plan.ts";
import { createRandom } from "./chaos-plan.ts";
import { describeFindings } from "./chaos-report.ts";
import type { LabelCarrier } from "./label-carriers.ts";
import { carrierNames, readCarrierJournals, startLabelCarrier } from "./label-carriers.ts";
import type { LabelCheck } from "./label-checker.ts";
import { checkLabels } from "./label-checker.ts";
import * as rest from "./label-rest.ts";
import type { LabelShared } from "./label-workload.ts";
import { countRefusal, createLabelClient, makeAccounts, makeLocation } from "./label-workload.ts";
import type { TaskCluster } from "./task-cluster.ts";
import { startCluster } from "./task-cluster.ts";
import { until } from "./until.ts";

type LabelOptions = { seed: number; kills: number; nodes: number; clients: number; withinMs: number };
type Killed = { hub: number; carrier: number; faults: number };

type LabelResult = LabelCheck & {
  seed: number;
  nodes: number;
  killed: Killed;
  wanted: number;
  sold: Record<string, number>;
  resolved: { purchased: number; notPurchased: number };
  counts: LabelShared["counts"];
  evidence: string;
};

const restWithinMs = 300_000;
/** As many attempts as the hub makes, after which a user has to look at the carrier. */
const lastAttempt = 24;

/** Labels of three carriers under kills of hubs and carriers, and with responses that get lost. */
export async function runLabelSession(options: LabelOptions, log: (line: string) => void): Promise<LabelResult> {
  const { seed, nodes } = options;
  const folder = await makeOpenFolder("hub-chaos-");
  log(`data and evidence in ${folder}`);
  const random = createRandom(seed ^ 0x5eed);
  const carriers: LabelCarrier[] = [];
  for (const name of carrierNames) carriers.push(await startLabelCarrier(name, folder));
  const cluster = await startCluster(folder, nodes, random);
  let isClean = false;
  try {
    const send = await signIn(cluster);
    let isOver = false;
    const shared: LabelShared = {
      send,
      accounts: await makeAccounts(send, carriers),
      locationId: await makeLocation(send),
      entries: [],
      journalFile: path.join(folder, "accepted.jsonl"),
      isOver: () => isOver,
      counts: { lost: 0, repeated: 0, internalErrors: [], refused: {} },
    };
    const clients = Array.from({ length: options.clients }, (_, i) =>
      createLabelClient(`c${i}`, createRandom(random.between(0, 2 ** 32 - 1)), shared).work(),
    );
    const working = Promise.all([...clients, letTimePass(cluster, shared)]);
    const failure = working.then(() => new Promise<never>(() => {}));
    failure.catch(() => {});
    const striking = strikeAll(cluster, carriers, options, log);
    const killed = await Promise.race([striking, failure]).finally(() => (isOver = true));
    await working;
    const resolved = await comeToRest(cluster, carriers, shared, log);
    const labels = await rest.listSeenLabels(send);
    const files = await rest.downloadFiles(await cluster.url(), await makeKey(send), labels);
    const journal = readCarrierJournals(carriers);
    const check = checkLabels(shared.entries, labels, journal, files);
    const { findings } = check;
    await checkRuns(shared, findings.lost);
    const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
    if (verification.ok !== true) findings.broken.push(`the audit chain: ${JSON.stringify(verification)}`);
    for (const node of cluster.nodes)
      findings.broken.push(...node.unexpectedEnds().map((end) => `a hub ended: ${end}`));
    findings.broken.push(...shared.counts.internalErrors.map((reason) => `answered ${reason}`));
    isClean = Object.values(findings).every((list) => list.length === 0);
    return {
      ...check,
      seed,
      nodes,
      killed,
      wanted: shared.entries.filter(({ type }) => type === "wanted").length,
      sold: Object.fromEntries(
        carrierNames.map((name) => [name, journal.sales.filter(({ carrier }) => carrier === name).length]),
      ),
      resolved,
      counts: shared.counts,
      evidence: isClean ? "" : folder,
    };
  } finally {
    await cluster.stop();
    for (const carrier of carriers) await carrier.stop();
    if (isClean) await rm(folder, { recursive: true, force: true });
  }
}

async function strikeAll(
  cluster: TaskCluster,
  carriers: LabelCarrier[],
  { seed, kills, nodes, withinMs }: LabelOptions,
  log: (line: string) => void,
): Promise<Killed> {
  const random = createRandom(seed);
  const killed: Killed = { hub: 0, carrier: 0, faults: 0 };
  const deadline = performance.now() + withinMs;
  for (let n = 1; n <= kills && performance.now() < deadline; n++) {
    const [dice, node, carrier] = [random.next(), random.between(0, nodes - 1), random.pick(carriers)];
    killed.faults += await injectFaults(carriers, random);
    await delay(random.between(100, 2_500));
    if (dice < 0.65) {
      const hub = cluster.nodes[node]!;
      await hub.killHub();
      await hub.start();
      killed.hub++;
    } else {
      await carrier.restart();
      killed.carrier++;
    }
    if (n % 10 === 0) log(`${n} kills: ${JSON.stringify(killed)}`);
  }
  return killed;
}

async function injectFaults(carriers: LabelCarrier[], random: Random): Promise<number> {
  const count = random.between(1, 4);
  for (let i = 0; i < count; i++) await random.pick(carriers).injectFault(random);
  return count;
}

async function letTimePass(cluster: TaskCluster, { isOver }: LabelShared): Promise<void> {
  while (!isOver()) {
    await cluster.withDatabase(rest.passTimeOfLabels).catch(() => {});
    await delay(2_000);
  }
}

/** Without faults every request gets a response, except of the carrier that cannot be asked: its labels are looked up by hand. */
async function comeToRest(
  cluster: TaskCluster,
  carriers: LabelCarrier[],
  shared: LabelShared,
  log: (line: string) => void,
): Promise<LabelResult["resolved"]> {
  for (const carrier of carriers) await carrier.restart();
  let left = -1;
  const isDone = async (): Promise<boolean> => {
    left = await cluster.withDatabase(async (db) => {
      await rest.exhaustAttempts(db, "ups", lastAttempt);
      await rest.passTimeOfLabels(db);
      return await rest.countPending(db);
    });
    return left === 0;
  };
  // The check reports what is left; do not wait forever.
  await until(isDone, restWithinMs, () => "", 1_000).catch(() => log(`${left} labels are still pending`));
  return await rest.resolveUnknown(shared.send, carriers, (entry) => shared.entries.push(entry));
}

/** Downloads are no JSON, so they need a key of their own. */
async function makeKey(send: Send): Promise<string> {
  const scopes = ["shipments:read", "pii:read"];
  return String((await accepted(send, { method: "POST", path: "/api-keys", body: { name: "files", scopes } })).key);
}

async function checkRuns({ send, entries, counts }: LabelShared, lost: string[]): Promise<void> {
  for (const entry of entries) {
    if (entry.type !== "run") continue;
    const reply = await send({ method: "GET", path: `/operations/runs/${entry.runId}?results_limit=0` });
    if (reply.kind === "lost" || reply.status !== 200)
      lost.push(`run ${entry.runId} was acknowledged and is not there`);
    else if (reply.body.finished_at === null) lost.push(`run ${entry.runId} has not ended`);
    else {
      const errors = reply.body.errors_by_code as Record<string, number>;
      for (const [code, times] of Object.entries(errors)) countRefusal(counts, `run ${code}`, times);
    }
  }
}

export const isLabelClean = ({ findings }: LabelResult): boolean =>
  Object.values(findings).every((list) => list.length === 0);

export function describeLabelSession(result: LabelResult): string {
  const { findings, killed, resolved, counts } = result;
  const list = (of: Record<string, number>): string =>
    Object.entries(of)
      .map(([name, times]) => `${name} ${times}`)
      .join(", ") || "none";
  return [
    `seed                 ${result.seed}, ${result.nodes} hubs on one PostgreSQL`,
    `kills                ${killed.hub + killed.carrier}: hub ${killed.hub}, carrier ${killed.carrier}; faults of carriers ${killed.faults}`,
    `labels wanted        ${result.wanted}; sold: ${list(result.sold)}; ${(result.chargedCents / 100).toFixed(2)} USD`,
    `labels               purchased ${result.purchased}, voided ${result.voided}, failed ${result.failed}`,
    `unknown outcomes     ${resolved.purchased + resolved.notPurchased}: found at the carrier ${resolved.purchased}, not sold ${resolved.notPurchased}`,
    `reported by the hub  without a file ${result.withoutFile}, without a price ${result.withoutPrice}`,
    `answers lost         ${counts.lost}; asked again ${counts.repeated}`,
    `refused              ${list(counts.refused)}`,
    `lost                 ${findings.lost.length}`,
    `bought twice         ${findings.doubled.length}`,
    `wrong charges        ${findings.wrongCharges.length}`,
    `other violations     ${findings.broken.length}`,
    ...describeFindings(findings, result.evidence),
  ].join("\n");
}

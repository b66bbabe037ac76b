import { rm } from "node:fs/promises";
import path from "node:path";
import { makeOpenFolder } from "../../server/src/testing/launch-hub.ts";
import type { BoundaryResult, Moment } from "./boundaries.ts";
import { preloadFile } from "./boundaries.ts";
import { checkAutomations, makeAutomation } from "./automation-checker.ts";
import type { ChaosHub } from "./chaos-hub.ts";
import { createChaosHub, withDatabase } from "./chaos-hub.ts";
import { accepted, signIn } from "./chaos-client.ts";
import { passTime } from "./pass-time.ts";
import { until } from "./until.ts";
import { checkWebhooks, readArrivals } from "./webhook-checker.ts";
import { countLeft, hastenRetries, makeEndpoints, organizationOf, startReceiver } from "./webhook-rounds.ts";

type WalkOptions = { moments: Moment[]; every: number; withinMs: number; log(line: string): void };

const maxStatements = 500;
const doneWithinMs = 60_000;

/**
 * Kills the hub at one statement after the other: from the request that creates three orders, through sealing, three webhook
 * deliveries and a run of an automation, until all of it is recorded. The next hub recovers what was left.
 */
export async function walkDeliveries(options: WalkOptions): Promise<BoundaryResult[]> {
  const folder = await makeOpenFolder("hub-chaos-");
  const journalFile = path.join(folder, "arrivals.jsonl");
  const { receiver, url } = await startReceiver(journalFile, 1);
  const hub = createChaosHub(path.join(folder, "data"), path.join(folder, "hub.log"), {
    HUB_PRIVATE_ADDRESSES: "allow",
  });
  const deadline = performance.now() + options.withinMs;
  const results: BoundaryResult[] = [];
  try {
    await hub.start();
    const send = await signIn(hub);
    const organization = await organizationOf(send);
    const endpoints = await makeEndpoints(organization, url);
    const automation = await makeAutomation(organization);
    for (const moment of options.moments) {
      const result: BoundaryResult = {
        scenario: "3 orders to 3 webhooks and an automation",
        moment,
        deaths: 0,
        completedAt: undefined,
        differences: [],
      };
      for (let killAt = 1; killAt <= maxStatements && performance.now() < deadline; killAt += options.every) {
        await hub.killHub();
        const key = `${moment}-${killAt}`;
        const env = { CHAOS_KILL_AT: String(killAt), CHAOS_KILL_WHEN: moment, CHAOS_MARKER: key };
        await withDatabase(hub.dataDir, passTime).catch(() => {});
        await hub.start({ file: preloadFile, env });
        // Recovery of what the previous hub left is not counted.
        if (!(await isQuiet(hub))) throw new Error("the hub ended before it was asked for anything");
        for (const nth of ["", "-2", "-3"]) {
          const headers = { "idempotency-key": key + nth };
          if (hub.isReady()) await send({ method: "POST", path: "/orders", headers, body: { number: key + nth } });
        }
        if (await isQuiet(hub)) {
          result.completedAt = killAt;
          break;
        }
        result.deaths++;
      }
      results.push(result);
      options.log(`${moment}: ${result.deaths} deaths, done at ${result.completedAt}`);
    }
    await hub.killHub();
    await withDatabase(hub.dataDir, passTime);
    await hub.start();
    await isQuiet(hub);
    const found = await withDatabase(hub.dataDir, async (db) => [
      ...Object.values((await checkWebhooks(db, endpoints, readArrivals(journalFile))).findings).flat(),
      ...(await checkAutomations(db, [automation])).findings,
    ]);
    const { ok } = await accepted(send, { method: "GET", path: "/audit/verification" });
    if (ok !== true) found.push("the audit chain does not verify");
    results.at(-1)!.differences.push(...found);
    return results;
  } finally {
    await hub.stop();
    await receiver.stop();
    if (results.every(({ differences }) => differences.length === 0))
      await rm(folder, { recursive: true, force: true });
    else options.log(`evidence in ${folder}`);
  }
}

/** True when all work has ended, false when the hub has died. */
async function isQuiet(hub: ChaosHub): Promise<boolean> {
  return await withDatabase(hub.dataDir, async (db) => {
    let left = -1;
    const look = async (): Promise<boolean> => {
      if (!hub.isReady()) return true;
      await hastenRetries(db);
      left = await countLeft(db);
      return left === 0;
    };
    await until(look, doneWithinMs, () => `${left} are left`, 50);
    return left === 0 && hub.isReady();
  });
}

import type { World } from "../context.ts";
import { readUnsealed } from "../events/sealer.ts";
import { readScheduleLag } from "../features/schedules/schedules.ts";
import { taskLeases } from "../features/tasks/tasks.ts";
import type { WebhookCounts } from "../features/webhooks/webhooks.ts";
import { countWebhooksAcrossOrgs, webhookLeases } from "../features/webhooks/webhooks.ts";
import { outcomesOf } from "../queue/outcomes.ts";
import { leasedWorks } from "./chores.ts";

type WaitingWork = { work: string; waiting: number; oldestSeconds: number; leased: number };

export type Backlog = {
  works: WaitingWork[];
  outcomes: ReturnType<typeof outcomesOf>;
  /** How late the schedule is that is due longest; 0 when none is. */
  scheduleLagSeconds: number;
  unsealedEvents: { count: number; oldestSeconds: number };
  webhooks: WebhookCounts;
};

/** What waits in the database, whichever process will do it; and what this one has done. */
export async function readBacklog(world: World): Promise<Backlog> {
  const { db, clock } = world;
  const now = clock.now();
  const works: WaitingWork[] = [];
  // One after the other: whoever measures should not take more than one connection.
  for (const { name, leases } of [...engines, ...leasedWorks]) {
    works.push({ work: name, ...(await leases.countAcrossOrgs(db, now)) });
  }
  return {
    works,
    outcomes: outcomesOf(db),
    scheduleLagSeconds: await readScheduleLag(world),
    unsealedEvents: await readUnsealed(db),
    webhooks: await countWebhooksAcrossOrgs(db),
  };
}

const engines = [
  { name: "tasks", leases: taskLeases },
  { name: "webhook deliveries", leases: webhookLeases },
];

import type { World } from "../context.ts";
import { readUnsealed } from "../events/sealer.ts";
import { readScheduleLag } from "../features/schedules/schedules.ts";
import { taskLeases } from "../features/tasks/tasks.ts";
import type { WebhookCounts } from "../features/webhooks/webhooks.ts";
import { countWebhooksAcrossOrgs, deliveryLeases } from "../features/webhooks/webhooks.ts";
import type { Outcome } from "../queue/outcomes.ts";
import { outcomesOf } from "../queue/outcomes.ts";
import { leasedWorks } from "./chores.ts";

type QueueState = { queue: string; waiting: number; oldestSeconds: number; running: number };

export type Backlog = {
  queues: QueueState[];
  outcomes: { queue: string; outcome: string; count: number }[];
  /** Lag of the most overdue schedule; 0 when none is overdue. */
  scheduleLagSeconds: number;
  unsealedEvents: { count: number; oldestSeconds: number };
  webhooks: WebhookCounts;
};

/** The names of outcomes in metrics. */
const outcomeLabels: Record<Outcome, string> = {
  done: "succeeded",
  yield: "continued",
  interrupted: "interrupted",
  failed: "retried",
  given_up: "failed",
};

/** The jobs in the database, whichever process will run them, and the outcomes of those that this process ran. */
export async function readBacklog(world: World): Promise<Backlog> {
  const { db, clock } = world;
  const now = clock.now();
  const queues: QueueState[] = [];
  // One after the other: measuring must not take more than one connection.
  for (const { name, leases } of [...engines, ...leasedWorks]) {
    const { waiting, oldestSeconds, leased } = await leases.countAcrossOrgs(db, now);
    queues.push({ queue: name, waiting, oldestSeconds, running: leased });
  }
  return {
    queues,
    outcomes: outcomesOf(db).map(({ work, outcome, count }) => ({
      queue: work,
      outcome: outcomeLabels[outcome as Outcome],
      count,
    })),
    scheduleLagSeconds: await readScheduleLag(world),
    unsealedEvents: await readUnsealed(db),
    webhooks: await countWebhooksAcrossOrgs(db),
  };
}

const engines = [
  { name: "tasks", leases: taskLeases },
  { name: "webhook deliveries", leases: deliveryLeases },
];

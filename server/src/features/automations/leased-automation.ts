import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { RunCause } from "../operations/operations.ts";
import type { Progress } from "./automation-work.store.ts";
import * as store from "./automation-work.store.ts";
import type { Reason } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { lockAutomation } from "./automations.store.ts";
import { pause } from "./pause-automation.ts";

/** An automation that this process has leased. */
export type LeasedAutomation = { automation: StoredAutomation; ctx: Ctx; owner: string };

/** Why an invocation happens, and the progress to save with it. */
export type Occasion = {
  cause: RunCause;
  key: string;
  goesOn: Pick<Progress, "cursor" | "nextRunAt" | "dueAt">;
};

/** So many automations can trigger each other. Repetitions of one are limited by its `max_per_object`. */
const maxDepth = 3;

export function isTooDeep({ automation_path }: RunCause): boolean {
  return new Set(automation_path).size > maxDepth;
}

/** Only while the automation is unchanged and this process still holds its lease. */
export async function settle(
  { ctx, automation, owner }: LeasedAutomation,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (await store.lockOwn(tx, ctx.orgId, automation, owner)) await work(tx);
  });
}

/** Pauses the automation and releases its lease. */
export async function stop(tx: Tx, { ctx, automation }: LeasedAutomation, reason: Reason): Promise<void> {
  const current = await lockAutomation(tx, ctx.orgId, automation.id);
  await store.endLease(tx, ctx.orgId, automation.id);
  if (current.is_active) await pause(tx, ctx, current, reason);
}

const hourMs = 3_600_000;

/** Why `more` orders cannot be processed now. */
export async function findLimitReached(
  tx: Tx,
  { ctx, automation }: LeasedAutomation,
  more: number,
): Promise<Reason | undefined> {
  const { id, max_orders_per_hour: limit } = automation;
  const since = new Date(ctx.clock.now().getTime() - hourMs);
  const used = await store.countOrdersSince(tx, ctx.orgId, id, since);
  if (more === 0 || used + more <= limit) return undefined;
  const message =
    `The limit is ${limit} orders per hour; ${used} were processed and ${more} more matched. ` +
    "Resume from the last position or from now; raise max_orders_per_hour if this volume is expected.";
  return { code: "hourly_limit_reached", message };
}

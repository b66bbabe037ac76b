import type { Tx } from "../../db/database.ts";
import { preflightOrders, queueRun } from "../operations/operations.ts";
import { readFilter } from "../orders/orders.ts";
import type { OpenBranch } from "./automation-branches.ts";
import * as chain from "./automation-chain.store.ts";
import * as store from "./automation-work.store.ts";
import type { Reason } from "./automations.schemas.ts";
import type { LeasedAutomation, Occasion } from "./leased-automation.ts";
import { findLimitReached, isTooDeep } from "./leased-automation.ts";

type Report = Awaited<ReturnType<typeof preflightOrders>>;

/** Orders of each branch, with the preflight of each in mode `preflight`. */
export type PreparedRuns = {
  branches: OpenBranch[];
  matched: string[][];
  reports: (Report | undefined)[];
  kind: "run" | "preflight" | "depth_exceeded";
};

/** Outside of the transaction: a preflight may ask carriers. */
export async function prepareRuns(
  { automation, ctx }: LeasedAutomation,
  branches: OpenBranch[],
  matched: string[][],
  { cause }: Pick<Occasion, "cause">,
): Promise<PreparedRuns> {
  // Recorded as an invocation, so that users see why no run was started.
  const kind = isTooDeep(cause) ? "depth_exceeded" : automation.mode === "preflight" ? "preflight" : "run";
  const reports: (Report | undefined)[] = [];
  for (const [index, { open }] of branches.entries()) {
    const orderIds = matched[index]!;
    reports.push(
      kind === "preflight" && orderIds.length > 0 ? await preflightOrders(ctx, open.pipeline, orderIds, 0) : undefined,
    );
  }
  return { branches, matched, reports, kind };
}

/**
 * Queues a run for each branch with orders, or records the preflights. Returns why the automation must be paused instead; nothing
 * is written then.
 */
export async function startRuns(
  tx: Tx,
  own: LeasedAutomation,
  prepared: PreparedRuns,
  { cause, key }: Pick<Occasion, "cause" | "key">,
): Promise<Reason | undefined> {
  const { automation, ctx } = own;
  const { branches, reports, kind } = prepared;
  const matched = kind === "run" ? await withinMaxPerObject(tx, own, prepared.matched) : prepared.matched;
  const count = matched.reduce((sum, ids) => sum + ids.length, 0);
  const refused = kind === "depth_exceeded" ? undefined : await findLimitReached(tx, own, count);
  if (refused) return refused;
  const { trigger, name, max_per_object } = automation;
  const filter = trigger.filter ? readFilter(ctx, trigger.filter) : null;
  const at = ctx.clock.now();
  for (const [index, { branch, when: condition, open }] of branches.entries()) {
    const orderIds = matched[index]!;
    if (orderIds.length === 0) continue;
    const about = { orderIds, cause, condition, filter, note: `Automation ${name}` };
    const run_id = kind === "run" ? await queueRun(tx, ctx, open, about) : null;
    await store.insertInvocation(tx, ctx.orgId, automation.id, {
      id: ctx.newId(),
      kind,
      cause,
      key: branch === null ? key : `${key} ${branch}`,
      order_count: orderIds.length,
      branch,
      run_id,
      preflight_summary: reports[index]?.summary ?? null,
      errors_by_code: reports[index]?.errors_by_code ?? null,
      invoked_at: at,
    });
  }
  if (kind === "run" && max_per_object !== null && count > 0) {
    await chain.countObjects(tx, ctx.orgId, automation.id, matched.flat(), at);
  }
  return undefined;
}

async function withinMaxPerObject(
  tx: Tx,
  { automation: { id, max_per_object }, ctx }: LeasedAutomation,
  matched: string[][],
): Promise<string[][]> {
  if (max_per_object === null) return matched;
  const exhausted = new Set(await chain.listExhausted(tx, ctx.orgId, id, matched.flat(), max_per_object));
  return matched.map((ids) => ids.filter((orderId) => !exhausted.has(orderId)));
}

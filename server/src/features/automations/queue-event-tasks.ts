import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { enqueueExecutions, requireTask } from "../tasks/tasks.ts";
import type { EventTask } from "./automation-parts.schemas.ts";
import * as chain from "./automation-chain.store.ts";
import * as store from "./automation-work.store.ts";
import type { EventItem } from "./event-items.ts";
import { fillIn } from "./event-templates.ts";
import type { LeasedAutomation } from "./leased-automation.ts";
import { findLimitReached, isTooDeep, settle, stop } from "./leased-automation.ts";
import type { NextEvents } from "./next-events.ts";

/** The task for one object of an event, or why it cannot be queued. */
type Checked =
  | { item: EventItem; task: Awaited<ReturnType<typeof requireTask>> & { input: Record<string, unknown> } }
  | { item: EventItem; code: string };

/** Queues the task of the automation for each object of its events. An input that the task rejects is counted, not retried. */
export async function queueEventTasks(own: LeasedAutomation, events: NextEvents): Promise<void> {
  const { automation, ctx } = own;
  const { items, cause, key, goesOn } = events;
  const { id, mode, max_per_object } = automation;
  const kind = isTooDeep(cause) ? "depth_exceeded" : mode === "run" ? "task" : "preflight";
  const isRun = kind === "task";
  const checked = await checkTasks(ctx, automation.task!, items);
  await settle(own, async (tx) => {
    const kept =
      isRun && max_per_object !== null ? await withinMaxPerObject(tx, own, checked, max_per_object) : checked;
    const refused = kind === "depth_exceeded" ? undefined : await findLimitReached(tx, own, kept.length);
    if (refused) return await stop(tx, own, refused);
    await store.saveProgress(tx, ctx.orgId, id, { ...goesOn, evaluated: items.length, matched: kept.length });
    if (kept.length === 0) return;
    const at = ctx.clock.now();
    const { automation_id: automationId, depth, automation_path: automationPath } = cause;
    const requests = kept.flatMap((one) => ("task" in one ? [{ ...one.task, trigger: "operation" as const }] : []));
    const caused = { ...ctx, cause: { automationId, depth, automationPath } };
    const executions = isRun ? await enqueueExecutions(tx, caused, requests) : [];
    if (isRun && max_per_object !== null) await chain.countObjects(tx, ctx.orgId, id, kept.map(keyOf), at);
    await store.insertInvocation(tx, ctx.orgId, id, {
      id: ctx.newId(),
      kind,
      cause,
      key,
      order_count: kept.length,
      run_id: null,
      execution_ids: executions.map((execution) => execution.id),
      preflight_summary: null,
      errors_by_code: countErrors(kept),
      invoked_at: at,
    });
  });
}

export function countErrors(checked: readonly Checked[]): Record<string, number> {
  const codes = checked.flatMap((one) => ("code" in one ? [one.code] : []));
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]));
}

/** A repeated execution is another object, with the same bridge and task. */
function keyOf({ item: { type, objectId, data } }: Pick<Checked, "item">): string {
  return type.startsWith("task_execution.") ? `${String(data.bridgeId)} ${String(data.taskName)}` : objectId;
}

/** One task for each object of these events, unless it had all of its tasks. */
async function withinMaxPerObject(
  tx: Tx,
  { automation: { id }, ctx }: LeasedAutomation,
  checked: Checked[],
  max: number,
): Promise<Checked[]> {
  const once = new Map(checked.map((one) => [keyOf(one), one]));
  const exhausted = new Set(await chain.listExhausted(tx, ctx.orgId, id, [...once.keys()], max));
  return [...once].flatMap(([key, one]) => (exhausted.has(key) ? [] : [one]));
}

/** Fills in and checks the task for each object. */
export async function checkTasks(ctx: Ctx, task: EventTask, items: EventItem[]): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const item of items) {
    try {
      const input = fillIn(task.input ?? {}, item, ctx.clock.now()) as Record<string, unknown>;
      const bridgeId = task.bridge_id ?? item.data.bridgeId;
      if (typeof bridgeId !== "string") throw new HubError("bridge_not_found", "The event has no bridge.");
      checked.push({
        item,
        task: { ...(await requireTask(ctx, { bridgeId, taskName: task.task_name, input })), input },
      });
    } catch (error) {
      if (!(error instanceof HubError) || error.status >= 500) throw error;
      checked.push({ item, code: error.code });
    }
  }
  return checked;
}

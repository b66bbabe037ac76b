import type { ConnectorTask } from "../../connectors/connector.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { ForeignEvent } from "../../events/record-event.ts";
import { eventRecords } from "../../events/record-event.ts";
import { concurrencyOf } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import type { ExecutionRow, NewExecution } from "./executions.store.ts";
import * as store from "./executions.store.ts";
import type { FollowUp, Trigger } from "./tasks.states.ts";
import { localEngine, wakeWorkers } from "./engine/wake-workers.ts";

/** A task that has been checked and is ready to be queued. */
export type CheckedTask = { bridge: OpenBridge; task: ConnectorTask; input: Record<string, unknown> };

export type QueueOptions = {
  mode?: "async" | "sync";
  trigger: Trigger;
  scheduleId?: string;
  scheduledFor?: Date;
  runId?: string;
  followUp?: FollowUp | undefined;
  retryOf?: ExecutionRow;
  maxAttempts?: number | undefined;
  retryDelaySeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
  delaySeconds?: number | undefined;
  ttlSeconds?: number | undefined;
};

export type QueueRequest = CheckedTask & QueueOptions;
/** A request and who made it. */
export type Wish = { ctx: Ctx; request: QueueRequest };

export const defaultAttempts = 3;
const defaultRetryDelayMs = 10_000;
const crowd = 1_000;

/** Execution and job in the caller's transaction: both exist afterwards, or neither. */
export async function enqueueExecutions(tx: Tx, ctx: Ctx, requests: QueueRequest[]): Promise<ExecutionRow[]> {
  const rows = await enqueueWishes(
    tx,
    ctx,
    requests.map((request) => ({ ctx, request })),
  );
  return rows.filter((row) => row !== undefined);
}

/** Of several organizations, one after the other as asked for; undefined: the occurrence had its execution already. */
export async function enqueueWishes(tx: Tx, world: World, wishes: Wish[]): Promise<(ExecutionRow | undefined)[]> {
  if (wishes.length === 0) return [];
  const priorities = await rankWishes(tx, world, wishes);
  const ids = wishes.map(() => world.newId());
  const jobIds = await world.queue.send(
    tx,
    wishes.map(({ request: { bridge, delaySeconds } }, index) => ({
      executionId: ids[index]!,
      lane: bridge.row.id,
      concurrency: concurrencyOf(bridge),
      priority: priorities[index]!,
      ...(delaySeconds ? { delayMs: delaySeconds * 1000 } : {}),
    })),
  );
  const at = world.clock.now();
  const rows = wishes.map((wish, index) => toRow(wish, ids[index]!, jobIds[index]!, at));
  const inserted = await store.insertExecutions(tx, rows, at, eventRecords(world, rows.map(queuedEvent)));
  await forgetJobsOfTwins(tx, world, inserted, jobIds);
  tx.afterCommit(() => {
    world.sealer.nudge();
    const delays = new Set(wishes.map(({ request: { delaySeconds = 0 } }) => delaySeconds * 1000));
    if (delays.has(0)) wakeWorkers(world);
    for (const delayMs of delays) if (delayMs > 0) localEngine(world).wakeIn?.(delayMs);
  });
  const byId = new Map(inserted.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** Whoever has many waiting stands behind those who have few: one organization cannot keep all others waiting. */
async function rankWishes(tx: Tx, world: World, wishes: Wish[]): Promise<number[]> {
  const counts = lastCounts(world);
  const now = performance.now();
  for (const orgId of new Set(wishes.map(({ ctx }) => ctx.orgId))) {
    const last = counts.get(orgId);
    if (last && now - last.at < recountMs) continue;
    if (counts.size >= maxCounts) counts.clear();
    counts.set(orgId, { at: now, waiting: await store.countWaiting(tx, orgId, crowd) });
  }
  return wishes.map(({ ctx: { orgId }, request }) => {
    const before = counts.get(orgId)!.waiting++;
    return (request.mode === "sync" ? 10 : 0) - Math.floor(Math.log2(1 + before));
  });
}

/** Asking for every request would cost more than it tells: in between, what this process queues is added. */
const lastCounts = perWorld(() => new Map<string, { at: number; waiting: number }>());
const recountMs = 100;
const maxCounts = 10_000;

function toRow({ ctx, request }: Wish, id: string, jobId: string, at: Date): NewExecution {
  const later = (seconds: number | undefined): string | null =>
    seconds ? new Date(at.getTime() + seconds * 1000).toISOString() : null;
  return {
    id,
    org_id: ctx.orgId,
    created_by: ctx.actor,
    request_id: ctx.requestId,
    bridge_id: request.bridge.row.id,
    task_name: request.task.name,
    mode: request.mode ?? "async",
    trigger: request.trigger,
    schedule_id: request.scheduleId ?? null,
    scheduled_for: request.scheduledFor?.toISOString() ?? null,
    retry_of: request.retryOf?.id ?? null,
    run_id: request.runId ?? request.retryOf?.run_id ?? null,
    follow_up: request.followUp ?? request.retryOf?.follow_up ?? null,
    effect_root: request.retryOf?.effect_root ?? id,
    input: request.input,
    max_attempts: request.maxAttempts ?? defaultAttempts,
    retry_delay_ms: request.retryDelaySeconds === undefined ? defaultRetryDelayMs : request.retryDelaySeconds * 1000,
    timeout_ms: request.timeoutSeconds === undefined ? request.task.timeoutMs : request.timeoutSeconds * 1000,
    expires_at: later(request.ttlSeconds),
    next_attempt_at: later(request.delaySeconds),
    job_id: jobId,
  };
}

/** An occurrence of a schedule that had its execution already. */
async function forgetJobsOfTwins(tx: Tx, world: World, inserted: ExecutionRow[], jobIds: string[]): Promise<void> {
  if (inserted.length === jobIds.length) return;
  const used = new Set(inserted.map(({ job_id }) => job_id));
  await world.queue.remove(
    tx,
    jobIds.filter((id) => !used.has(id)),
  );
}

function queuedEvent({
  id,
  org_id,
  created_by,
  request_id,
  bridge_id,
  task_name,
  trigger,
}: NewExecution): ForeignEvent {
  return {
    orgId: org_id,
    actor: created_by,
    requestId: request_id,
    type: "task_execution.queued",
    objectId: id,
    data: { bridgeId: bridge_id, taskName: task_name, trigger },
  };
}

import type { ConnectorTask } from "../../connectors/connector.ts";
import type { Ctx, World } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { ForeignEvent } from "../../events/record-event.ts";
import { eventRecords } from "../../events/record-event.ts";
import { concurrencyOf } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import type { ExecutionRow, NewExecution } from "./executions.store.ts";
import * as store from "./executions.store.ts";
import type { FollowUp, Trigger } from "./tasks.states.ts";
import { wakeTaskEngines } from "./engine/wake-engines.ts";

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
/** What somebody waits for counts as due for so long already: it goes before the rest of its bridge. */
const waitedForMs = 600_000;

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
  const at = world.clock.now();
  const rows = wishes.map((wish) => toRow(wish, world.newId(), at));
  const inserted = await store.insertExecutions(tx, rows, at, eventRecords(world, rows.map(queuedEvent)));
  tx.afterCommit(() => {
    world.sealer.nudge();
    const delays = new Set(wishes.map(({ request: { delaySeconds = 0 } }) => delaySeconds * 1000));
    for (const delayMs of delays) wakeTaskEngines(world, delayMs);
  });
  const byId = new Map(inserted.map((row) => [row.id, row]));
  return rows.map(({ id }) => byId.get(id));
}

function toRow({ ctx, request }: Wish, id: string, at: Date): NewExecution {
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
    bridge_limit: concurrencyOf(request.bridge),
    due_in_ms: request.mode === "sync" ? -waitedForMs : (request.delaySeconds ?? 0) * 1000,
  };
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

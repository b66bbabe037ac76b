import type { ConnectorTask } from "../../connectors/connector.ts";
import type { Ctx, World } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { ForeignEvent } from "../../events/record-event.ts";
import { eventRecords } from "../../events/record-event.ts";
import { concurrencyOf, requireTask } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { closeEffects } from "./attempt/effects.store.ts";
import type { ExecutionRow, NewExecution } from "./executions.store.ts";
import * as store from "./executions.store.ts";
import type { SyncRequest } from "./tasks.schemas.ts";
import type { FollowUp, Trigger } from "./tasks.states.ts";
import { wakeTaskEngines } from "./engine/wake-engines.ts";

/** A task that has been checked and is ready to be queued. */
export type CheckedTask = { bridge: OpenBridge; task: ConnectorTask; input: Record<string, unknown> };

/** Validates bridge, task and input before anything is queued. */
export async function checkTask(ctx: Ctx, request: SyncRequest, isStored = false): Promise<CheckedTask> {
  const input = request.input ?? {};
  const { bridge, task } = await requireTask(ctx, { ...request, input, isStored });
  return { bridge, task, input };
}

export type QueueOptions = {
  mode?: "async" | "sync";
  trigger: Trigger;
  scheduleId?: string;
  scheduledFor?: Date;
  runId?: string;
  runStep?: number;
  followUp?: FollowUp | undefined;
  retryOf?: ExecutionRow;
  isPartial?: boolean;
  maxAttempts?: number | undefined;
  retryDelaySeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
  delaySeconds?: number | undefined;
  ttlSeconds?: number | undefined;
};

export type QueueRequest = CheckedTask & QueueOptions;
/** A request with its caller. */
export type Requested = { ctx: Ctx; request: QueueRequest };

export const defaultAttempts = 3;
const defaultRetryDelayMs = 10_000;
/** A sync execution counts as due this long ago, so it runs before queued executions of its bridge. */
const syncHeadStartMs = 600_000;

export async function enqueueExecutions(tx: Tx, ctx: Ctx, requests: QueueRequest[]): Promise<ExecutionRow[]> {
  await closeEarlierHandOvers(tx, ctx, requests);
  const rows = await enqueueRequested(
    tx,
    ctx,
    requests.map((request) => ({ ctx, request })),
  );
  return rows.filter((row) => row !== undefined);
}

/** Orders that are sent to fulfillment again get a new revision: a user has made them ready again, whatever the last outcome was. */
async function closeEarlierHandOvers(tx: Tx, { orgId }: Ctx, requests: QueueRequest[]): Promise<void> {
  const handed = requests.filter(
    ({ task, followUp, retryOf }) => followUp === "fulfillment_send" && !retryOf && task.mode === "push",
  );
  // One statement per bridge, however many executions the orders are divided into.
  for (const group of Map.groupBy(handed, ({ bridge, task }) => `${bridge.row.id} ${task.name}`).values()) {
    const [{ bridge, task }] = group as [QueueRequest];
    const opposite = task.mode === "push" ? task.opposite : undefined;
    const taskNames = [task.name, ...(opposite === undefined ? [] : [opposite])];
    const orderIds = group.flatMap(({ input }) => input.orderIds as string[]);
    await closeEffects(tx, orgId, { bridgeId: bridge.row.id, taskNames, orderIds });
  }
}

/** For several organizations, in the order of the requests. Undefined: the occurrence of the schedule already has an execution. */
export async function enqueueRequested(
  tx: Tx,
  world: World,
  requested: Requested[],
): Promise<(ExecutionRow | undefined)[]> {
  if (requested.length === 0) return [];
  const at = world.clock.now();
  const rows = requested.map((one) => toRow(one, world.newId(), at));
  const inserted = await store.insertExecutions(tx, rows, at, eventRecords(world, rows.map(queuedEvent)));
  tx.afterCommit(() => {
    world.sealer.nudge();
    const delays = new Set(requested.map(({ request: { delaySeconds = 0 } }) => delaySeconds * 1000));
    for (const delayMs of delays) wakeTaskEngines(world, delayMs);
  });
  const byId = new Map(inserted.map((row) => [row.id, row]));
  return rows.map(({ id }) => byId.get(id));
}

/** A retry continues the effects of its execution, unless `forceResend` was added. */
function continuesEffects(request: QueueRequest): request is QueueRequest & { retryOf: ExecutionRow } {
  const { retryOf, task, input } = request;
  return (
    retryOf !== undefined && !(task.mode === "push" && input.forceResend === true && retryOf.input.forceResend !== true)
  );
}

function toRow({ ctx, request }: Requested, id: string, at: Date): NewExecution {
  const later = (seconds: number | undefined): string | null =>
    seconds ? new Date(at.getTime() + seconds * 1000).toISOString() : null;
  return {
    id,
    org_id: ctx.orgId,
    created_by: ctx.actor,
    request_id: ctx.requestId,
    cause: ctx.cause ?? request.retryOf?.cause ?? null,
    bridge_id: request.bridge.row.id,
    task_name: request.task.name,
    mode: request.mode ?? "async",
    trigger: request.trigger,
    schedule_id: request.scheduleId ?? null,
    scheduled_for: request.scheduledFor?.toISOString() ?? null,
    retry_of: request.retryOf?.id ?? null,
    is_partial: request.isPartial ?? false,
    run_id: request.runId ?? request.retryOf?.run_id ?? null,
    run_step: request.runStep ?? request.retryOf?.run_step ?? null,
    follow_up: request.followUp ?? request.retryOf?.follow_up ?? null,
    effect_root: continuesEffects(request) ? request.retryOf.effect_root : id,
    input: request.input,
    max_attempts: request.maxAttempts ?? defaultAttempts,
    retry_delay_ms: request.retryDelaySeconds === undefined ? defaultRetryDelayMs : request.retryDelaySeconds * 1000,
    timeout_ms: request.timeoutSeconds === undefined ? request.task.timeoutMs : request.timeoutSeconds * 1000,
    expires_at: later(request.ttlSeconds),
    next_attempt_at: later(request.delaySeconds),
    bridge_limit: concurrencyOf(request.bridge),
    due_in_ms: request.mode === "sync" ? -syncHeadStartMs : (request.delaySeconds ?? 0) * 1000,
  };
}

function queuedEvent(row: NewExecution): ForeignEvent {
  return {
    orgId: row.org_id,
    actor: row.created_by,
    requestId: row.request_id,
    cause: row.cause ?? undefined,
    type: "task_execution.queued",
    objectId: row.id,
    data: { bridgeId: row.bridge_id, taskName: row.task_name, trigger: row.trigger },
  };
}

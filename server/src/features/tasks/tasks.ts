import type { ConnectorTask } from "../../connectors/connector.ts";
import { errorsAt, HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change, releaseSlotWhile } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import { findBridgesAcrossOrgs } from "../bridges/bridges.ts";
import { findTask, tryOpenBridge } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { requireOutbound } from "../outbound-pause/outbound-pause.ts";
import type { Live } from "../../route.ts";
import { Unfinished } from "../../route.ts";
import { watchRecord } from "../../watch.ts";
import { awaitEnd } from "./await-end.ts";
import { announceCancels } from "./engine/follow-cancels.ts";
import { concludeFollowUps } from "./engine/follow-ups.ts";
import { checkTask, enqueueExecutions } from "./enqueue-executions.ts";
import type { QueueRequest } from "./enqueue-executions.ts";
import { enqueueTogether } from "./enqueue-together.ts";
import * as lists from "./execution-lists.store.ts";
import { listLogs, listLogsAfter } from "./execution-logs.store.ts";
import type { ExecutionRow } from "./executions.store.ts";
import * as store from "./executions.store.ts";
import { listRetries } from "./retry-chains.store.ts";
import { presentExecution, presentLogs, presentSummary } from "./present-execution.ts";
import type {
  BulkExecuteAnswer,
  ExecuteRequest,
  Execution,
  ExecutionLogs,
  ExecutionQuery,
  ExecutionSummary,
  LogQuery,
  SyncRequest,
  CountsQuery,
  ExecutionCounts,
} from "./tasks.schemas.ts";
import type { ExecutionStatus } from "./tasks.states.ts";
import { executionStatuses, readStatuses } from "./tasks.states.ts";

export { listSentTo } from "./attempt/effects.store.ts";
export { requireTask } from "../bridges/bridge-tasks.ts";
export { presentTaskInput } from "./present-input.ts";
export { deleteOldExecutionsAcrossOrgs } from "./old-executions.store.ts";
export { listRecordings } from "./executions.store.ts";
export type { Recording } from "./executions.store.ts";
export { listSamples, removeOldSamples } from "./attempt/task-samples.ts";
export type { Sample, SampledRecord } from "./attempt/task-samples.ts";
export { stopWaiting } from "./await-end.ts";
export { taskLeases } from "./engine/attempts.store.ts";
export { freeAllExecutions, startTaskEngine, taskCounters } from "./engine/task-engine.ts";

export { enqueueExecutions } from "./enqueue-executions.ts";
export type { CheckedTask, QueueOptions } from "./enqueue-executions.ts";
export {
  findInboundWebhookOwner,
  receiveInboundWebhook,
  removeOldInboundWebhooks,
} from "./inbound-webhooks/receive-inbound-webhook.ts";
export { retryExecution, retryExecutions, retryOrdersOf } from "./retry-executions.ts";
export { openTaker, takeRecords } from "./attempt/take-records.ts";
export type { RecordTaker } from "./attempt/take-records.ts";
export type { Rejected } from "./attempt/pulled-records.ts";
export { countEndsOfRun, listStatuses } from "./retry-chains.store.ts";
export { listUnfinished } from "./executions.store.ts";

export async function executeTask(ctx: Ctx, request: ExecuteRequest): Promise<Execution> {
  return presentExecution(ctx, await enqueueTogether(ctx, await toQueueRequest(ctx, request)));
}

async function toQueueRequest(ctx: Ctx, request: ExecuteRequest): Promise<QueueRequest> {
  const checked = await checkTask(ctx, request);
  const { maxAttempts, retryDelaySeconds, timeoutSeconds, delaySeconds, ttlSeconds } = request;
  return { ...checked, trigger: "api", maxAttempts, retryDelaySeconds, timeoutSeconds, delaySeconds, ttlSeconds };
}

/** Queues all valid tasks in one transaction; the others are reported as failed. */
export async function executeTasks(ctx: Ctx, requests: ExecuteRequest[]): Promise<BulkExecuteAnswer> {
  const checked: (QueueRequest | HubError)[] = [];
  for (const request of requests) {
    checked.push(
      await toQueueRequest(ctx, request).catch((error: unknown) => {
        if (error instanceof HubError) return error;
        throw error;
      }),
    );
  }
  const queueable = checked.filter((one): one is QueueRequest => !(one instanceof HubError));
  return await change(ctx, async (tx) => {
    const queued = (await enqueueExecutions(tx, ctx, queueable)).values();
    const results = checked.map((one, index): BulkExecuteAnswer["results"][number] => {
      if (!(one instanceof HubError)) return { index, status: "queued", id: queued.next().value!.id };
      const errors = errorsAt(`/tasks/${index}`, one.details.errors ?? []);
      return { index, status: "failed", error: { code: one.code, message: one.message, errors } };
    });
    const summary = { total: checked.length, queued: queueable.length, failed: checked.length - queueable.length };
    return { summary, results };
  });
}

const syncWaitMs = 30_000;

/** Queues the task like any other and waits for its end. If it takes longer, it goes on and the running execution is returned. */
export async function executeTaskNow(ctx: Ctx, request: SyncRequest): Promise<Execution | Unfinished<Execution>> {
  const checked = await checkTask(ctx, request);
  requireOutbound(ctx);
  const { timeoutSeconds } = request;
  const options = { mode: "sync", trigger: "api", maxAttempts: 1, timeoutSeconds } as const;
  const { id } = await enqueueTogether(ctx, { ...checked, ...options });
  await releaseSlotWhile(ctx, () => awaitEnd(ctx, id, syncWaitMs));
  const answer = await getExecution(ctx, id);
  return answer.finishedAt === null ? new Unfinished(answer) : answer;
}

/** Loads bridge and task of calls that were checked earlier. Calls whose bridge or task no longer exists are missing. */
export async function loadTasks<Call extends { bridgeId: string; taskName: string }>(
  tx: Tx,
  ctx: Ctx,
  calls: Call[],
): Promise<Map<Call, { bridge: OpenBridge; task: ConnectorTask }>> {
  const rows = await findBridgesAcrossOrgs(tx, [...new Set(calls.map(({ bridgeId }) => bridgeId))]);
  const bridges = new Map(rows.map((row) => [row.id, tryOpenBridge(ctx, row)]));
  const found = new Map<Call, { bridge: OpenBridge; task: ConnectorTask }>();
  for (const call of calls) {
    const bridge = bridges.get(call.bridgeId.toLowerCase());
    const task = bridge && findTask(bridge, call.taskName);
    if (task) found.set(call, { bridge, task });
  }
  return found;
}

const defaultPeriodMs = 24 * 3_600_000;
const shownTasks = 100;

export async function countExecutions(ctx: Ctx, query: CountsQuery): Promise<ExecutionCounts> {
  const to = query.to === undefined ? ctx.clock.now() : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - defaultPeriodMs) : new Date(query.from);
  const rows = await lists.countByTask(ctx.db, ctx.orgId, { from, to, bridgeId: query.bridgeId });
  const none = Object.fromEntries(executionStatuses.map((status) => [status, 0])) as ExecutionCounts["byStatus"];
  const byStatus = { ...none };
  const byTask = Map.groupBy(rows, ({ bridgeId, taskName }) => `${bridgeId} ${taskName}`)
    .values()
    .map((of) => {
      const own = { ...none };
      for (const { status, count } of of) {
        own[status] += count;
        byStatus[status] += count;
      }
      const failures = of.filter(({ status }) => isFailure(status)).map(({ lastAt }) => lastAt.toISOString());
      const { bridgeId, taskName } = of[0]!;
      return { bridgeId, taskName, total: sum(own), byStatus: own, lastFailedAt: failures.toSorted().at(-1) ?? null };
    });
  const failed = ({ byStatus: own }: { byStatus: typeof none }): number => own.failed + own.timed_out + own.expired;
  const sorted = [...byTask].toSorted((a, b) => failed(b) - failed(a) || b.total - a.total).slice(0, shownTasks);
  return { from: from.toISOString(), to: to.toISOString(), total: sum(byStatus), byStatus, byTask: sorted };
}

const isFailure = (status: ExecutionStatus): boolean => ["failed", "timed_out", "expired"].includes(status);
const sum = (counted: Record<string, number>): number => Object.values(counted).reduce((all, count) => all + count, 0);

export async function listExecutions(ctx: Ctx, query: ExecutionQuery): Promise<Page<ExecutionSummary>> {
  const page = await lists.listExecutions(ctx.db, ctx.orgId, {
    ...query,
    statuses: readStatuses("query/status", query.status),
  });
  return mapPage(page, (row) => presentSummary(ctx, row));
}

const shownLogLines = 100;

export async function getExecution(ctx: Ctx, id: string): Promise<Execution> {
  const row = orNotFound("execution", await store.findExecution(ctx.db, ctx.orgId, id));
  const retries = await listRetries(ctx.db, ctx.orgId, id);
  return presentExecution(ctx, row, retries, await listLogs(ctx.db, id, shownLogLines));
}

/** Log lines in the order they were written, numbered from 1. */
export async function listExecutionLogs(ctx: Ctx, id: string, { after, limit }: LogQuery): Promise<ExecutionLogs> {
  // Read before the lines: an execution that has ended by now writes no further lines, so `isComplete` is right.
  const row = orNotFound("execution", await store.findExecution(ctx.db, ctx.orgId, id));
  const lines = await listLogsAfter(ctx.db, id, after, limit);
  const data = presentLogs(ctx, row, lines).map((line, at) => ({ line: after + at + 1, ...line }));
  return { data, next: after + lines.length, isComplete: row.finished_at !== null && lines.length < limit };
}

export async function watchExecution(ctx: Ctx, id: string): Promise<Live> {
  const hasEnded = ({ finishedAt }: Execution): boolean => finishedAt !== null;
  return await watchRecord(ctx, { id, read: () => getExecution(ctx, id), hasEnded });
}

export async function cancelExecution(ctx: Ctx, id: string): Promise<Execution> {
  return await change(ctx, async (tx) => {
    const row = orNotFound("execution", await store.lockExecution(tx, ctx.orgId, id));
    if (row.status === "cancelled") return presentExecution(ctx, row);
    if (row.status !== "queued" && row.status !== "running") {
      throw new HubError("execution_not_cancellable", `The execution is already ${row.status.replaceAll("_", " ")}.`);
    }
    const [cancelled] = await cancelExecutions(tx, ctx, [id]);
    return presentExecution(ctx, cancelled!);
  });
}

/** Cancels the executions among `ids` that have not ended. After the commit none of them starts anything, on any node. */
export async function cancelExecutions(tx: Tx, ctx: Ctx, ids: string[]): Promise<ExecutionRow[]> {
  const cancelled = await store.cancelExecutions(tx, ctx.orgId, ids, ctx.clock.now());
  recordEvents(
    tx,
    ctx,
    cancelled.map(({ id, bridge_id, task_name, trigger }) => ({
      type: "task_execution.cancelled",
      objectId: id,
      data: { bridgeId: bridge_id, taskName: task_name, trigger },
    })),
  );
  const ran = cancelled.filter(({ attempts }) => attempts.at(-1)?.status === "cancelled").map(({ id }) => id);
  await announceCancels(tx, ctx, ran);
  await concludeFollowUps(tx, ctx, cancelled);
  tx.afterCommit(() => {
    for (const { id, mode } of cancelled) if (mode === "sync") ctx.signals.hint("task_ended", id);
  });
  return cancelled;
}

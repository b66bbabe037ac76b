import { badField, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { findKnownBridge, findTask } from "../bridges/bridge-tasks.ts";
import { listRecordsLeft } from "../exceptions/exceptions.ts";
import { sinks } from "./attempt/record-sinks.ts";
import { refsLeft } from "./attempt/run-push.ts";
import type { QueueOptions, QueueRequest } from "./enqueue-executions.ts";
import { checkTask, defaultAttempts, enqueueExecutions } from "./enqueue-executions.ts";
import type { ExecutionFilter } from "./execution-lists.store.ts";
import type { ExecutionRow } from "./executions.store.ts";
import * as lists from "./execution-lists.store.ts";
import * as chains from "./retry-chains.store.ts";
import * as store from "./executions.store.ts";
import { presentExecution } from "./present-execution.ts";
import type { Execution, RetryManyAnswer, RetryManyRequest, RetryRequest } from "./tasks.schemas.ts";
import { maxRetriesAtOnce } from "./tasks.schemas.ts";
import type { ExecutionStatus } from "./tasks.states.ts";
import { readStatuses, retryableStatuses } from "./tasks.states.ts";

type RetryHooks = {
  /** Throws if the caller may not retry a task with this input. */
  checkInput?(input: Record<string, unknown>): void;
  /** Runs in the transaction that queues the retry. */
  onQueued?(tx: Tx, retryId: string): Promise<void>;
};

export async function retryExecution(
  ctx: Ctx,
  id: string,
  request: RetryRequest,
  { checkInput, onQueued }: RetryHooks = {},
): Promise<Execution> {
  const found = orNotFound("execution", await store.findExecution(ctx.db, ctx.orgId, id));
  const left = await findLeft(ctx, found);
  refuseRetry(found, left);
  const isStored = request.input === undefined;
  const asked = request.input === undefined ? left : { input: request.input, isPartial: false };
  checkInput?.(asked.input);
  const about = { bridgeId: found.bridge_id, taskName: found.task_name, input: asked.input };
  const checked = await checkTask(ctx, about, isStored);
  return await change(ctx, async (tx) => {
    // Retention may have deleted it since it was read.
    const row = orNotFound("execution", await store.lockExecution(tx, ctx.orgId, id));
    refuseRetry(row, left);
    const retries = await chains.listRetries(tx, ctx.orgId, id);
    const open = retries.find(({ status }) => status === "queued" || status === "running");
    if (open) {
      throw new HubError("retry_in_progress", "A retry of this execution is already in progress.", {
        extra: { executionId: open.id },
      });
    }
    const [retried] = await enqueueExecutions(tx, ctx, [{ ...checked, ...optionsOf(row), isPartial: asked.isPartial }]);
    await onQueued?.(tx, retried!.id);
    return presentExecution(ctx, retried!);
  });
}

/** What a retry has to do. `isPartial`: only the failed orders or records. `isNothing`: nothing is left to retry. */
type Left = { input: Record<string, unknown>; isPartial: boolean; isNothing?: boolean };

async function findLeft(ctx: Ctx, row: ExecutionRow): Promise<Left> {
  const { status, bridge_id, task_name, result, input } = row;
  const bridge = await findKnownBridge(ctx, bridge_id);
  const task = bridge && findTask(bridge, task_name);
  // Executions from before `completed_with_errors` existed are `succeeded` although orders failed.
  const hasEnded = status === "completed_with_errors" || status === "succeeded";
  if (task?.mode === "push") {
    const refs = status === "cancelled" ? [] : refsLeft(result);
    if (refs.length > 0) return { input: { ...input, orderIds: refs }, isPartial: true };
    return { input, isPartial: false, isNothing: hasEnded };
  }
  const isByRecord = task?.mode === "pull" && sinks[task.recordType].kind === "pages";
  if (!isByRecord || !(status === "completed_with_errors" || row.is_partial)) {
    return { input, isPartial: false, isNothing: status === "succeeded" };
  }
  const [first] = await listRecordsLeft(ctx.db, ctx.orgId, await chains.listChain(ctx.db, ctx.orgId, row.id), one);
  return { input, isPartial: true, isNothing: first === undefined };
}

const one = { after: "", limit: 1 };

function refuseRetry({ status }: ExecutionRow, { isNothing = false }: Left): void {
  const isRetryable = retryableStatuses.includes(status) || status === "succeeded";
  if (isRetryable && !isNothing) return;
  const hints: Partial<Record<ExecutionStatus, string>> = {
    succeeded: "Execute the task again instead.",
    completed_with_errors:
      "Its failed records were stored or dismissed since, or are no longer kept. Execute the task again instead.",
  };
  throw new HubError(
    "execution_not_failed",
    `The execution is ${status}. ${hints[status] ?? "Wait for its end, or cancel it first."}`,
    { extra: { retryableStatuses } },
  );
}

/** Retries some orders of an execution, in the transaction of the caller. `forceResend`: also those that may have arrived. */
export async function retryOrdersOf(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { orderIds, forceResend }: { orderIds: string[]; forceResend: boolean },
): Promise<string> {
  const row = orNotFound("execution", await store.lockExecution(tx, ctx.orgId, id));
  const input = { ...row.input, orderIds, ...(forceResend ? { forceResend } : {}) };
  const checked = await checkTask(ctx, { bridgeId: row.bridge_id, taskName: row.task_name, input });
  const [retried] = await enqueueExecutions(tx, ctx, [{ ...checked, ...optionsOf(row), isPartial: true }]);
  return retried!.id;
}

function optionsOf(row: ExecutionRow): QueueOptions {
  return {
    trigger: "retry",
    retryOf: row,
    maxAttempts: row.mode === "sync" ? defaultAttempts : row.max_attempts,
    timeoutSeconds: row.timeout_ms / 1000,
    retryDelaySeconds: row.retry_delay_ms / 1000,
  };
}

/** May have taken effect: a user checks the other system first, and then retries by filtering for this code. */
const unknownCode = "outcome_unknown";
const failures: ExecutionStatus[] = ["failed", "timed_out", "expired"];
const maxInputBytes = 8 * 1024 * 1024;

/** Retries failed executions that match a filter and have no retry yet, oldest first. One that cannot be queued is reported. */
export async function retryExecutions(ctx: Ctx, request: RetryManyRequest): Promise<RetryManyAnswer> {
  const { dryRun = false, status, ...given } = request;
  const named = readStatuses("/status", status);
  refuseStatuses(named.filter((name) => !retryableStatuses.includes(name)));
  const filter: ExecutionFilter = { ...given, statuses: named.length > 0 ? named : failures, isRetried: false };
  const groups = await lists.groupExecutions(ctx.db, ctx.orgId, filter);
  const isExcluded = (code: string): boolean => code === unknownCode && given.code !== unknownCode;
  const count = (of: typeof groups): number => of.reduce((sum, group) => sum + group.count, 0);
  const matched = count(groups);
  const outcomeUnknown = count(groups.filter(({ code }) => isExcluded(code)));
  const shown = groups.slice(0, 100).map((group) => ({ ...group, isExcluded: isExcluded(group.code) }));
  const answer = (results: RetryManyAnswer["results"]): RetryManyAnswer => {
    const queued = results.filter((result) => result.status === "queued").length;
    const failed = results.length - queued;
    // Counted before the rows were read: more may have failed since.
    const remaining = Math.max(0, matched - outcomeUnknown - results.length);
    const summary = { matched: Math.max(matched, results.length), queued, failed, outcomeUnknown, remaining };
    return { dryRun, summary, groups: shown, results };
  };
  if (dryRun) return answer([]);
  const most = { count: maxRetriesAtOnce, bytes: maxInputBytes };
  const isKnown = given.code === undefined ? { isKnownOutcome: true } : {};
  const rows = await lists.listToRetry(ctx.db, ctx.orgId, { ...filter, ...isKnown }, most);
  const checked = await checkAll(ctx, rows);
  return await change(ctx, async (tx) => {
    const free = await chains.lockToRetry(
      tx,
      ctx.orgId,
      rows.map(({ id }) => id),
    );
    const requests = checked.flatMap(({ row, request: one }) => (one && free.has(row.id) ? [one] : []));
    const queued = (await enqueueExecutions(tx, ctx, requests)).values();
    return answer(
      checked.map(({ row, request: one, error }): RetryManyAnswer["results"][number] => {
        if (error) return { retryOf: row.id, status: "failed", error: { code: error.code, message: error.message } };
        if (one && free.has(row.id)) return { retryOf: row.id, status: "queued", id: queued.next().value!.id };
        return { retryOf: row.id, status: "failed", error: retriedMeanwhile };
      }),
    );
  });
}

const retriedMeanwhile = {
  code: "retry_in_progress",
  message: "The execution was retried or deleted by another request.",
};

function refuseStatuses([wrong]: string[]): void {
  if (wrong === undefined) return;
  throw badField("/status", "enum", `Executions that are ${wrong} cannot be retried.`, {
    allowed: [...retryableStatuses],
  });
}

type Checked = { row: ExecutionRow; request?: QueueRequest; error?: HubError };

async function checkAll(ctx: Ctx, rows: ExecutionRow[]): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const row of rows) {
    const { bridge_id: bridgeId, task_name: taskName } = row;
    try {
      const left = await findLeft(ctx, row);
      refuseRetry(row, left);
      const checkedTask = await checkTask(ctx, { bridgeId, taskName, input: left.input });
      checked.push({ row, request: { ...checkedTask, ...optionsOf(row), isPartial: left.isPartial } });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      checked.push({ row, error });
    }
  }
  return checked;
}

import { badField, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { findKnownBridge, findTask } from "../bridges/bridge-tasks.ts";
import { refsLeft } from "./attempt/run-push.ts";
import type { QueueOptions, QueueRequest } from "./enqueue-executions.ts";
import { checkTask, defaultAttempts, enqueueExecutions } from "./enqueue-executions.ts";
import type { ExecutionFilter, ExecutionRow } from "./executions.store.ts";
import * as store from "./executions.store.ts";
import { presentExecution } from "./present-execution.ts";
import type { Execution, RetryManyAnswer, RetryManyRequest, RetryRequest } from "./tasks.schemas.ts";
import { maxRetriesAtOnce } from "./tasks.schemas.ts";
import { readStatuses, retryableStatuses } from "./tasks.states.ts";

export async function retryExecution(ctx: Ctx, id: string, request: RetryRequest): Promise<Execution> {
  const found = orNotFound("execution", await store.findExecution(ctx.db, ctx.orgId, id));
  const left = await listLeft(ctx, found);
  refuseRetry(found, left);
  // What arrived is left out where the rest is known.
  const input = request.input ?? (left.length === 0 ? found.input : { ...found.input, orderIds: left });
  const checked = await checkTask(ctx, { bridgeId: found.bridge_id, taskName: found.task_name, input });
  return await change(ctx, async (tx) => {
    // It may have grown too old while nobody looked.
    const row = orNotFound("execution", await store.lockExecution(tx, ctx.orgId, id));
    refuseRetry(row, left);
    const retries = await store.listRetries(tx, ctx.orgId, id);
    const open = retries.find(({ status }) => status === "queued" || status === "running");
    if (open) {
      throw new HubError("retry_in_progress", "A retry of this execution is under way.", {
        extra: { executionId: open.id },
      });
    }
    const [retried] = await enqueueExecutions(tx, ctx, [{ ...checked, ...optionsOf(row) }]);
    return presentExecution(ctx, retried!);
  });
}

/** Orders that did not arrive, of an execution that as a whole has succeeded. */
async function listLeft(ctx: Ctx, { status, bridge_id, task_name, result }: ExecutionRow): Promise<string[]> {
  if (status !== "succeeded") return [];
  const bridge = await findKnownBridge(ctx, bridge_id);
  return bridge && findTask(bridge, task_name)?.mode === "push" ? refsLeft(result) : [];
}

function refuseRetry({ status }: ExecutionRow, left: string[]): void {
  if (retryableStatuses.includes(status) || left.length > 0) return;
  const hint =
    status === "succeeded" ? "It succeeded; execute the task again instead." : "Wait for it, or cancel it first.";
  throw new HubError("execution_not_failed", `The execution is ${status}. ${hint}`, {
    extra: { retryableStatuses },
  });
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

/** What nobody knows the end of may have happened: somebody looks there first, and then asks for it by its code. */
const unknownCode = "outcome_unknown";
const failures = retryableStatuses.filter((status) => status !== "cancelled");
const maxInputBytes = 8 * 1024 * 1024;

/** Those that failed, meet a filter and were not retried yet, the oldest first; one that cannot be queued stays as it is. */
export async function retryExecutions(ctx: Ctx, request: RetryManyRequest): Promise<RetryManyAnswer> {
  const { dryRun = false, status, ...given } = request;
  const named = readStatuses("/status", status);
  refuseStatuses(named.filter((name) => !retryableStatuses.includes(name)));
  const filter: ExecutionFilter = { ...given, statuses: named.length > 0 ? named : failures, isRetried: false };
  const groups = await store.groupExecutions(ctx.db, ctx.orgId, filter);
  const isLeftOut = (code: string): boolean => code === unknownCode && given.code !== unknownCode;
  const count = (of: typeof groups): number => of.reduce((sum, group) => sum + group.count, 0);
  const matched = count(groups);
  const outcomeUnknown = count(groups.filter(({ code }) => isLeftOut(code)));
  const shown = groups.slice(0, 100).map((group) => ({ ...group, isLeftOut: isLeftOut(group.code) }));
  const answer = (results: RetryManyAnswer["results"]): RetryManyAnswer => {
    const queued = results.filter(({ status: told }) => told === "queued").length;
    const failed = results.length - queued;
    // Counted a moment before they were read: more may have failed since.
    const remaining = Math.max(0, matched - outcomeUnknown - results.length);
    const summary = { matched: Math.max(matched, results.length), queued, failed, outcomeUnknown, remaining };
    return { dryRun, summary, groups: shown, results };
  };
  if (dryRun) return answer([]);
  const most = { count: maxRetriesAtOnce, bytes: maxInputBytes };
  const isKnown = given.code === undefined ? { isKnownOutcome: true } : {};
  const rows = await store.listToRetry(ctx.db, ctx.orgId, { ...filter, ...isKnown }, most);
  const checked = await checkAll(ctx, rows);
  return await change(ctx, async (tx) => {
    const free = await store.lockToRetry(
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
        return { retryOf: row.id, status: "failed", error: taken };
      }),
    );
  });
}

const taken = { code: "retry_in_progress", message: "It was retried, or removed, at the same moment." };

function refuseStatuses([wrong]: string[]): void {
  if (wrong === undefined) return;
  throw badField("/status", "enum", `What is ${wrong} is not retried.`, { allowed: [...retryableStatuses] });
}

type Checked = { row: ExecutionRow; request?: QueueRequest; error?: HubError };

async function checkAll(ctx: Ctx, rows: ExecutionRow[]): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const row of rows) {
    const { bridge_id: bridgeId, task_name: taskName, input } = row;
    try {
      checked.push({ row, request: { ...(await checkTask(ctx, { bridgeId, taskName, input })), ...optionsOf(row) } });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      checked.push({ row, error });
    }
  }
  return checked;
}

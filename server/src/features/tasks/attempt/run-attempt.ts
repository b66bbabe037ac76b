import { setTimeout as delay } from "node:timers/promises";
import type { InvoiceSource } from "../../../connectors/connector.ts";
import type { PickupSchedule } from "../../../connectors/hub/pickup-schedule.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { systemContext } from "../../../context.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import { createCall, describeFailure, findInputErrors, findUnusable } from "../../bridges/bridge-tasks.ts";
import { bookScheduledPickups } from "../../pickups/pickups.ts";
import type { AttemptFailure, AttemptOutcome, AttemptSource, AttemptWork } from "./attempt.ts";
import { FailedWithResult } from "./attempt.ts";
import { takeInvoiceFile } from "./take-invoice-file.ts";
import { runPull } from "./run-pull.ts";
import { runPush } from "./run-push.ts";
import type { Mapped } from "./task-mappings.ts";
import { createSampler } from "./task-samples.ts";

/** How long a task may go on after its signal was aborted. Its promise is abandoned after that. */
const abortDeadlineMs = 2_000;

/** Never throws: every error becomes an outcome. */
export async function runAttempt(source: AttemptSource): Promise<AttemptOutcome> {
  const { world, execution, mappings, bridge, task, signal } = source;
  const transformations = { outbound: mappings.outbound?.used ?? null, inbound: mappings.inbound?.used ?? null };
  const failed = (error: AttemptOutcome["error"], sentInput: AttemptOutcome["sentInput"] = null): AttemptOutcome => ({
    status: "failed",
    result: null,
    error,
    sentInput,
    transformations,
  });
  if (!bridge) return failed({ code: "bridge_not_found", message: "The bridge was deleted.", retryable: false });
  const unusable = findUnusable(world, bridge);
  if (unusable) return failed({ code: unusable.code, message: unusable.message, retryable: false });
  if (!task) return failed({ code: "unknown_task", message: "The bridge no longer has this task.", retryable: false });

  // A push maps each record when it sends it; other tasks have one input, which is mapped here.
  const mapped: Mapped =
    task.mode !== "push" && mappings.outbound
      ? mappings.outbound.map(execution.input)
      : { ok: true, output: execution.input };
  if (!mapped.ok) return failed(mappingFailure("outbound", mapped.errors));
  const sentInput = task.mode !== "push" && mappings.outbound ? mapped.output : null;
  const inputErrors = sentInput ? findInputErrors(task, sentInput) : [];
  if (inputErrors.length > 0) return failed(invalidMappedInput(inputErrors), sentInput);
  try {
    signal.throwIfAborted();
    const ctx = {
      ...systemContext(world, execution.org_id, `bridge ${bridge.row.name}`),
      requestId: execution.request_id,
      cause: execution.cause ?? undefined,
    };
    const call = {
      ...createCall(world, bridge, {
        input: mapped.output,
        signal,
        effectKey: execution.effect_root,
        progress: source.progress,
        log: source.log,
        mayStart: source.mayStart,
      }),
      hub: {
        schedulePickups: (input: PickupSchedule) =>
          bookScheduledPickups(ctx, input, execution.scheduled_for ?? world.clock.now()),
        importInvoices: (file: InvoiceSource) => takeInvoiceFile({ ctx, execution, bridge }, file),
      },
    };
    const work: AttemptWork = { world, ctx, execution, bridge, task, mappings, call, mayStart: source.mayStart };
    const result = await withAbortDeadline(signal, runTask(work));
    return { status: "succeeded", result, error: null, sentInput, transformations };
  } catch (error) {
    const { status, failure } = classifyError(error, signal);
    if (failure.code === "task_error")
      world.log.error({ err: error, executionId: execution.id }, "task threw an unexpected error");
    return { ...failed(failure, sentInput), status, result: error instanceof FailedWithResult ? error.result : null };
  }
}

const databaseLost = {
  code: "database_unavailable",
  message: "The hub could not reach its database.",
  retryable: true,
  retryAfterMs: 1_000,
};

const superseded = {
  code: "superseded",
  message: "Another worker has taken over the execution, or it was cancelled.",
  retryable: false,
};

/** A lost database connection is no failure of the task: the next attempt continues after the last stored page or record. */
function classifyError(
  error: unknown,
  signal: AbortSignal,
): { status: AttemptOutcome["status"]; failure: AttemptFailure } {
  const reason = (signal.reason as Error | undefined)?.name;
  const isFromTask = error instanceof RemoteError;
  if (reason === undefined && !isFromTask && isConnectionLoss(error))
    return { status: "interrupted", failure: databaseLost };
  if (reason === "Superseded") return { status: "failed", failure: superseded };
  const failure =
    error instanceof MappingFailed ? mappingFailure("inbound", error.errors) : describeFailure(error, signal);
  if (reason === "TimeoutError") return { status: "timed_out", failure };
  return { status: reason === "Interrupted" ? "interrupted" : "failed", failure };
}

class MappingFailed extends Error {
  readonly errors: unknown[];

  constructor(errors: unknown[]) {
    super("mapping failed");
    this.errors = errors;
  }
}

async function runTask(work: AttemptWork): Promise<unknown> {
  const { world, execution, task, call, mappings } = work;
  if (task.mode === "pull") return await runPull(work, task);
  if (task.mode === "push") return await runPush(work, task);
  const result = await task.run(call);
  if (!mappings.inbound) return result;
  const mapped = mappings.inbound.map(result);
  // The execution stores only the mapped result. The raw one is sampled so that another mapping can be replayed on it.
  const sampler = createSampler(world, execution);
  sampler.add(result, mapped);
  await sampler.save();
  if (!mapped.ok) throw new MappingFailed(mapped.errors);
  return mapped.output;
}

/** Rejects some time after the signal was aborted, also when the task ignores its signal. */
async function withAbortDeadline<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const startTimer = (): void =>
    void delay(abortDeadlineMs, undefined, { ref: false }).then(() => deadline.reject(signal.reason));
  signal.addEventListener("abort", startTimer, { once: true });
  if (signal.aborted) startTimer();
  // The promise that loses the race may reject later; unhandled, that would end the process.
  deadline.promise.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, deadline.promise]);
  } finally {
    signal.removeEventListener("abort", startTimer);
  }
}

function invalidMappedInput(errors: unknown[]): AttemptFailure {
  const message = "The output of the outbound transformation is not a valid input of the task.";
  return { code: "transformation_failed", message, retryable: false, errors: errors.slice(0, 20) };
}

function mappingFailure(direction: "inbound" | "outbound", errors: unknown[]): AttemptFailure {
  const message = `The ${direction} transformation could not map the data.`;
  return { code: "transformation_failed", message, retryable: false, errors: errors.slice(0, 20) };
}

import { setTimeout as delay } from "node:timers/promises";
import { RemoteError } from "../../../core/remote-error.ts";
import { systemContext } from "../../../context.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import { createCall, describeFailure, findInputErrors, findUnusable } from "../../bridges/bridge-tasks.ts";
import type { AttemptFailure, AttemptOutcome, AttemptSource, AttemptWork } from "./attempt.ts";
import { FailedWithResult } from "./attempt.ts";
import { runPull } from "./run-pull.ts";
import { runPush } from "./run-push.ts";
import type { Mapped } from "./task-mappings.ts";
import { createSampler } from "./task-samples.ts";

/** A task that does not obey its signal is left behind after this long. */
const obeyMs = 2_000;

/** Never throws: whatever happens is an outcome. */
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

  // Records that are pushed are mapped one by one; everything else is mapped as a whole.
  const mapped: Mapped =
    task.mode !== "push" && mappings.outbound
      ? mappings.outbound.map(execution.input)
      : { ok: true, output: execution.input };
  if (!mapped.ok) return failed(mappingFailure("outbound", mapped.errors));
  const sentInput = task.mode !== "push" && mappings.outbound ? mapped.output : null;
  const misfits = sentInput ? findInputErrors(task, sentInput) : [];
  if (misfits.length > 0) return failed(misfit(misfits), sentInput);
  try {
    signal.throwIfAborted();
    const call = createCall(world, bridge, {
      input: mapped.output,
      signal,
      effectKey: execution.effect_root,
      progress: source.progress,
      log: source.log,
      mayStart: source.mayStart,
    });
    const ctx = {
      ...systemContext(world, execution.org_id, `bridge ${bridge.row.name}`),
      requestId: execution.request_id,
      cause: execution.cause ?? undefined,
    };
    const work: AttemptWork = { world, ctx, execution, bridge, task, mappings, call, mayStart: source.mayStart };
    const result = await obeying(signal, runTask(work));
    return { status: "succeeded", result, error: null, sentInput, transformations };
  } catch (error) {
    const { status, failure } = judge(error, signal);
    if (failure.code === "task_error")
      world.log.error({ err: error, executionId: execution.id }, "task failed with an unexpected error");
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
  message: "Another worker has taken over, or it was cancelled.",
  retryable: false,
};

/** A restart of the database is no failure of the task: it goes on where its last page or record was stored. */
function judge(error: unknown, signal: AbortSignal): { status: AttemptOutcome["status"]; failure: AttemptFailure } {
  const reason = (signal.reason as Error | undefined)?.name;
  const isOfTask = error instanceof RemoteError;
  if (reason === undefined && !isOfTask && isConnectionLoss(error))
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
  // The execution keeps what was made of it; what came is what another mapping can be tried on.
  const sampler = createSampler(world, execution);
  sampler.add(result, mapped);
  await sampler.save();
  if (!mapped.ok) throw new MappingFailed(mapped.errors);
  return mapped.output;
}

async function obeying<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const leave = (): void => void delay(obeyMs, undefined, { ref: false }).then(() => aborted.reject(signal.reason));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  // Whoever loses the race must not end the process.
  aborted.promise.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** The task was promised an input of this form, whoever made it. */
function misfit(errors: unknown[]): AttemptFailure {
  const message = "What the outbound transformation made is not an input that the task takes.";
  return { code: "transformation_failed", message, retryable: false, errors: errors.slice(0, 20) };
}

function mappingFailure(direction: "inbound" | "outbound", errors: unknown[]): AttemptFailure {
  const message = `The ${direction} transformation could not map the data.`;
  return { code: "transformation_failed", message, retryable: false, errors: errors.slice(0, 20) };
}

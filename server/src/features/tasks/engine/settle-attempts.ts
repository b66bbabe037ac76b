import type { ConnectorTask } from "../../../connectors/connector.ts";
import type { World } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { isRefusedForGood } from "../../../db/database.ts";
import type { ForeignEvent } from "../../../events/record-event.ts";
import { eventRecords } from "../../../events/record-event.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import { findTask } from "../../bridges/bridge-tasks.ts";
import { refsLeft } from "../attempt/run-push.ts";
import type { Settlement } from "./attempts.store.ts";
import { settleAttempts } from "./attempts.store.ts";
import { createHealthNotes } from "./bridge-health.ts";
import type { AttemptTally } from "../attempt-tally.ts";
import { tallyAttempts } from "../attempt-tally.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { concludeFollowUps } from "./follow-ups.ts";
import { noteEndings } from "./note-endings.ts";
import type { Failure } from "../tasks.schemas.ts";
import type { AttemptOutcome } from "../attempt/attempt.ts";

export type Ending = {
  execution: ExecutionRow;
  settlement: Settlement;
  delayMs: number | undefined;
  bridge: OpenBridge | undefined;
};
type Pending = Ending & { outcome: AttemptOutcome; done(): void };

const maxBatch = 500;
const retryFlushMs = 500;

export type Settler = {
  /** Resolves when the outcome is stored, which is retried until the database answers. */
  settle(
    execution: ExecutionRow,
    outcome: AttemptOutcome,
    task: ConnectorTask | undefined,
    bridge: OpenBridge | undefined,
  ): Promise<void>;
};

/** Stores the outcomes of attempts; those that end at the same time share a transaction. */
export function createSettler(
  world: World,
  { onRetryIn, onFenced }: { onRetryIn(delayMs: number): void; onFenced(): void },
): Settler {
  const waiting: Pending[] = [];
  const health = createHealthNotes(world);
  let isFlushing = false;

  async function flush(): Promise<void> {
    if (isFlushing) return;
    isFlushing = true;
    // Attempts that end within this event-loop tick join the batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) await settleBatch(waiting.splice(0, maxBatch));
    isFlushing = false;
  }

  async function settleBatch(batch: Pending[]): Promise<void> {
    try {
      const settled = await world.db.transaction((tx) => writeEndings(tx, world, batch));
      for (const pending of batch) finish(pending, settled.has(pending.execution.id));
    } catch (error) {
      if (isRefusedForGood(error)) return await settleOneByOne(batch, error);
      world.log.warn({ err: error }, "task outcomes could not be stored; retrying");
      waiting.unshift(...batch);
      await new Promise((resolve) => setTimeout(resolve, retryFlushMs));
    }
  }

  /** One outcome, or its result, cannot be stored. Alone it fails with `result_not_storable`, and the others are stored. */
  async function settleOneByOne(batch: Pending[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const pending of batch) await settleBatch([pending]);
      return;
    }
    const [pending] = batch;
    const { settlement, execution } = pending!;
    world.log.error({ err: error, executionId: execution.id }, "task outcome cannot be stored");
    if (settlement.error?.code === notStorable.code) return finish(pending!, false);
    Object.assign(settlement, { status: "failed", attempt_status: "failed", error: notStorable });
    Object.assign(settlement, {
      result: null,
      sent_input: null,
      progress: null,
      next_attempt_at: null,
      due_in_ms: null,
    });
    await settleBatch([{ ...pending!, delayMs: undefined }]);
  }

  function finish({ execution, bridge, outcome, delayMs, done }: Pending, isSettled: boolean): void {
    if (isSettled && bridge) health.note(execution, bridge, outcome);
    if (!isSettled) {
      onFenced();
      const { id: executionId, attempt } = execution;
      world.log.info({ executionId, attempt }, "outcome discarded: the attempt was superseded");
    }
    if (delayMs !== undefined) onRetryIn(delayMs);
    done();
  }

  return {
    async settle(execution, outcome, task, bridge) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ ...decide(world, execution, outcome, task), execution, bridge, outcome, done: resolve });
      void flush();
      await promise;
    },
  };
}

const notStorable = {
  code: "result_not_storable",
  message: "The task ended, but its result contains characters that cannot be stored.",
  retryable: false,
};

/** Decides from the outcome of an attempt whether the execution ends or is retried. */
export function decide(
  world: World,
  execution: ExecutionRow,
  outcome: AttemptOutcome,
  task: ConnectorTask | undefined,
): Pick<Ending, "settlement" | "delayMs"> {
  const { status, result, sentInput, transformations } = outcome;
  const isRepeatable = outcome.isUntouched === true || task?.idempotent !== false || task.mode !== "call";
  const isCut = status === "timed_out" || status === "interrupted" || status === "worker_lost";
  const isUncertain = isCut || outcome.error?.mayHaveHappened === true;
  // The effect may have happened, and the task cannot be repeated safely.
  const error = isUncertain && !isRepeatable && status !== "timed_out" ? unknownOutcome(status) : outcome.error;
  const wantsAnother = isCut || (status === "failed" && outcome.error?.retryable === true);
  // A pull stores its position with each page, so a long import survives any number of restarts.
  const tally = tallyAttempts(execution, status, task?.mode === "pull");
  const mayTryAgain = isAnotherLeft(execution, status, tally) && (isRepeatable || !isUncertain);
  const willRetry = status !== "succeeded" && wantsAnother && mayTryAgain;
  // The first death of a worker costs no delay: it had probably nothing to do with this task.
  const times = status === "worker_lost" || status === "interrupted" ? tally.deaths - 1 : tally.failures;
  const delayMs = willRetry ? nextDelayMs(execution, times, outcome.error?.retryAfterMs) : undefined;
  const done = hasFailedPart(task, result) ? "completed_with_errors" : "succeeded";
  const finalStatus = status === "succeeded" ? done : status === "timed_out" ? status : "failed";
  return {
    delayMs,
    settlement: {
      id: execution.id,
      attempt: execution.attempt,
      status: willRetry ? "queued" : finalStatus,
      attempt_status: status,
      result: result ?? null,
      error: error && { code: error.code, message: error.message, retryable: error.retryable, ...more(error) },
      sent_input: sentInput,
      transformations,
      progress: execution.progress,
      next_attempt_at: delayMs === undefined ? null : new Date(world.clock.now().getTime() + delayMs).toISOString(),
      due_in_ms: delayMs ?? null,
    },
  };
}

/** The task ran to its end, and some of its records or orders failed. */
function hasFailedPart(task: ConnectorTask | undefined, result: unknown): boolean {
  if (task?.mode === "push") return refsLeft(result).length > 0;
  const countsFailed = task?.mode === "pull" || (task?.mode === "call" && task.countsFailed === true);
  return countsFailed && ((result as { failed?: number } | null)?.failed ?? 0) > 0;
}

/** After this many workers died in a row while running the task, the task itself is the likely cause. Same limit as for runs. */
const maxDeaths = 5;
const maxCuts = 50;

/**
 * Interruptions and worker deaths do not count as failures, but have limits of their own. With one attempt allowed, a death ends the
 * execution: the task may have run.
 */
function isAnotherLeft(
  { max_attempts }: ExecutionRow,
  status: AttemptOutcome["status"],
  { failures, cuts, deaths }: AttemptTally,
): boolean {
  if (status === "interrupted") return cuts <= maxCuts;
  if (status === "worker_lost") return max_attempts > 1 && deaths < maxDeaths && cuts <= maxCuts;
  return failures < max_attempts;
}

const delayFactor = 6;
const maxDelayMs = 2 * 3_600_000;

/** Exponential backoff with jitter: six times longer with each failure, of which a random half. No failure: no delay. */
function nextDelayMs({ retry_delay_ms }: Pick<ExecutionRow, "retry_delay_ms">, times: number, minimumMs = 0): number {
  const full = times < 1 ? 0 : Math.min(retry_delay_ms * delayFactor ** (times - 1), maxDelayMs);
  return Math.round(Math.max(minimumMs, full / 2 + (Math.random() * full) / 2));
}

function unknownOutcome(status: AttemptOutcome["status"]) {
  const why = status === "failed" ? "The connection broke" : "The worker ended";
  const message = `${why} while the task ran, so it may have taken effect. Check the other system before you retry.`;
  return { code: "outcome_unknown", message, retryable: false };
}

function more(error: object): { errors?: NonNullable<Failure["errors"]> } {
  return "errors" in error ? { errors: error.errors as NonNullable<Failure["errors"]> } : {};
}

/** Returns the ids that were settled; attempts of the others were superseded. */
export async function writeEndings(tx: Tx, world: World, batch: Ending[]): Promise<Set<string>> {
  const settled = await settleAttempts(
    tx,
    batch.map(({ settlement }) => settlement),
    world.clock.now(),
    eventRecords(world, batch.flatMap(endEvents)),
  );
  const ended = batch.filter(
    ({ execution, settlement }) => settled.has(execution.id) && settlement.status !== "queued",
  );
  await concludeFollowUps(
    tx,
    world,
    ended.map(({ execution }) => execution),
  );
  await noteEndings(
    tx,
    world,
    ended.map(({ execution, bridge, settlement: { status, result, error } }) => {
      const task = bridge && findTask(bridge, execution.task_name);
      return { execution, status, result, error, task, bridgeName: bridge?.row.name };
    }),
  );
  tx.afterCommit(() => {
    world.sealer.nudge();
    for (const { execution } of ended) {
      if (execution.mode === "sync") world.signals.hint("task_ended", execution.id);
    }
  });
  return settled;
}

function endEvents({ execution, settlement: { status } }: Ending): ForeignEvent[] {
  if (status === "queued") return [];
  return [
    {
      orgId: execution.org_id,
      actor: { type: "system", name: "task engine" },
      requestId: execution.request_id,
      cause: execution.cause ?? undefined,
      type: `task_execution.${status}`,
      objectId: execution.id,
      data: { bridgeId: execution.bridge_id, taskName: execution.task_name, attempts: execution.attempt },
    },
  ];
}

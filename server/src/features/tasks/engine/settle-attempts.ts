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

const maxTogether = 500;
const retryFlushMs = 500;

export type Settler = {
  /** Resolves when it is written down, which is tried until the database answers. */
  settle(
    execution: ExecutionRow,
    outcome: AttemptOutcome,
    task: ConnectorTask | undefined,
    bridge: OpenBridge | undefined,
  ): Promise<void>;
};

/** Writes the ends of attempts, those that come at the same time together. */
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
    // One turn of the loop: what ends at the same moment is written together.
    await new Promise(setImmediate);
    while (waiting.length > 0) await settleTogether(waiting.splice(0, maxTogether));
    isFlushing = false;
  }

  async function settleTogether(batch: Pending[]): Promise<void> {
    try {
      const ours = await world.db.transaction((tx) => writeEndings(tx, world, batch));
      for (const pending of batch) finish(pending, ours.has(pending.execution.id));
    } catch (error) {
      if (isRefusedForGood(error)) return await settleApart(batch, error);
      world.log.warn({ err: error }, "ends of tasks could not be written yet");
      waiting.unshift(...batch);
      await new Promise((resolve) => setTimeout(resolve, retryFlushMs));
    }
  }

  /** One of them cannot be stored, say because of its result: the others must not wait for it for ever. */
  async function settleApart(batch: Pending[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      for (const pending of batch) await settleTogether([pending]);
      return;
    }
    const [pending] = batch;
    const { settlement, execution } = pending!;
    world.log.error({ err: error, executionId: execution.id }, "the end of a task cannot be stored");
    if (settlement.error?.code === notStorable.code) return finish(pending!, false);
    Object.assign(settlement, { status: "failed", attempt_status: "failed", error: notStorable });
    Object.assign(settlement, {
      result: null,
      sent_input: null,
      progress: null,
      next_attempt_at: null,
      due_in_ms: null,
    });
    await settleTogether([{ ...pending!, delayMs: undefined }]);
  }

  function finish({ execution, bridge, outcome, delayMs, done }: Pending, isOurs: boolean): void {
    if (isOurs && bridge) health.note(execution, bridge, outcome);
    if (!isOurs) onFenced();
    if (!isOurs) world.log.info({ executionId: execution.id, attempt: execution.attempt }, "an attempt came too late");
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
  message: "The task ended, but its result holds characters that cannot be stored.",
  retryable: false,
};

/** What this end of an attempt means for the execution. */
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
  // Nobody knows whether it happened, and the task cannot be repeated safely.
  const error = isUncertain && !isRepeatable && status !== "timed_out" ? unknownOutcome(status) : outcome.error;
  const wantsAnother = isCut || (status === "failed" && outcome.error?.retryable === true);
  // Pages are stored with how far they go, so that another attempt reads on: a long import outlives many workers.
  const tally = tallyAttempts(execution, status, task?.mode === "pull");
  const mayTryAgain = isAnotherLeft(execution, status, tally) && (isRepeatable || !isUncertain);
  const willRetry = status !== "succeeded" && wantsAnother && mayTryAgain;
  // A worker may die of anything once: whoever comes next goes on at once.
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

/** It went on to its end, and something on the way was left out. */
function hasFailedPart(task: ConnectorTask | undefined, result: unknown): boolean {
  if (task?.mode === "push") return refsLeft(result).length > 0;
  return task?.mode === "pull" && ((result as { failed?: number } | null)?.failed ?? 0) > 0;
}

/** As of runs and comparisons: what so many workers died over, one after the other, is not tried on yet another one. */
const maxDeaths = 5;
const maxCuts = 50;

/**
 * Being given back is nobody's failure, nor is the death of a worker; but they must come to an end too. What may be
 * tried once only is not tried again after a death: it may have been.
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

/**
 * After it went wrong so many times: sixfold each time, and a random part of it, so that what failed together does not
 * come back together. After none at once.
 */
function nextDelayMs({ retry_delay_ms }: Pick<ExecutionRow, "retry_delay_ms">, times: number, askedForMs = 0): number {
  const full = times < 1 ? 0 : Math.min(retry_delay_ms * delayFactor ** (times - 1), maxDelayMs);
  return Math.round(Math.max(askedForMs, full / 2 + (Math.random() * full) / 2));
}

function unknownOutcome(status: AttemptOutcome["status"]) {
  const why = status === "failed" ? "The connection broke" : "The worker ended";
  const message = `${why} while the task ran; it may have happened. Look there before you retry.`;
  return { code: "outcome_unknown", message, retryable: false };
}

function more(error: object): { errors?: NonNullable<Failure["errors"]> } {
  return "errors" in error ? { errors: error.errors as NonNullable<Failure["errors"]> } : {};
}

/** Returns the executions whose end this was; the others had gone on without it. */
export async function writeEndings(tx: Tx, world: World, batch: Ending[]): Promise<Set<string>> {
  const settled = await settleAttempts(
    tx,
    batch.map(({ settlement }) => settlement),
    world.clock.now(),
    eventRecords(world, batch.flatMap(endEvents)),
  );
  const ours = batch.filter(({ execution }) => settled.has(execution.id));
  const ended = ours.filter(({ settlement }) => settlement.status !== "queued");
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

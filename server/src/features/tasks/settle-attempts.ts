import type { ConnectorTask } from "../../connectors/connector.ts";
import type { World } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEventsAcrossOrgs } from "../../events/record-event.ts";
import { concurrencyOf } from "../bridges/bridge-tasks.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { noteOutcomes } from "../bridges/bridges.ts";
import type { Settlement } from "./attempts.store.ts";
import { settleAttempts } from "./attempts.store.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { concludeFollowUps } from "./follow-ups.ts";
import { nextDelayMs } from "./retry-delay.ts";
import type { AttemptOutcome } from "./run-attempt.ts";

type Pending = {
  execution: ExecutionRow;
  settlement: Settlement;
  delayMs: number | undefined;
  bridge: OpenBridge | undefined;
  done(): void;
};

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
export function createSettler(world: World, onRetryIn: (delayMs: number) => void): Settler {
  const waiting: Pending[] = [];
  const health = createHealthNotes(world);
  let isFlushing = false;

  async function flush(): Promise<void> {
    if (isFlushing) return;
    isFlushing = true;
    // One turn of the loop: what ends at the same moment is written together.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxTogether);
      try {
        await world.db.transaction((tx) => write(tx, world, batch));
      } catch (error) {
        world.log.warn({ err: error }, "ends of tasks could not be written yet");
        waiting.unshift(...batch);
        await new Promise((resolve) => setTimeout(resolve, retryFlushMs));
        continue;
      }
      for (const { done, delayMs } of batch) {
        if (delayMs !== undefined) onRetryIn(delayMs);
        done();
      }
    }
    isFlushing = false;
  }

  return {
    async settle(execution, outcome, task, bridge) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ ...decide(world, execution, outcome, task), execution, bridge, done: resolve });
      if (bridge && outcome.status !== "interrupted") health.note(bridge.row.id, outcome.error);
      void flush();
      await promise;
    },
  };
}

/** What this end of an attempt means for the execution. */
export function decide(
  world: World,
  execution: ExecutionRow,
  outcome: AttemptOutcome,
  task: ConnectorTask | undefined,
): Pick<Pending, "settlement" | "delayMs"> {
  const { status, result, sentInput, transformations } = outcome;
  const isIdempotent = task?.idempotent !== false || task.mode !== "call";
  const isUncertain = status === "timed_out" || status === "interrupted" || status === "lost";
  // Nobody knows whether it happened, and the task cannot be repeated safely.
  const error =
    isUncertain && !isIdempotent && status !== "timed_out"
      ? {
          code: "outcome_unknown",
          message: "The worker ended while the task ran; it may have happened.",
          retryable: false,
        }
      : outcome.error;
  const wantsAnother = isUncertain ? isIdempotent : status === "failed" && outcome.error?.retryable === true;
  const mayTryAgain = status === "interrupted" || execution.attempt < execution.max_attempts;
  const willRetry = status !== "succeeded" && wantsAnother && mayTryAgain;
  const waitsLong = willRetry && status !== "interrupted" && status !== "lost";
  const delayMs = willRetry ? (waitsLong ? nextDelayMs(execution, outcome.error?.retryAfterMs) : 0) : undefined;
  const finalStatus = status === "succeeded" || status === "timed_out" ? status : "failed";
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
      job_id: null,
    },
  };
}

const more = (error: { errors?: unknown[] }) => (error.errors === undefined ? {} : { errors: error.errors });

export async function write(tx: Tx, world: World, batch: Omit<Pending, "done">[]): Promise<void> {
  const again = batch.filter(({ settlement }) => settlement.status === "queued");
  const jobIds = await world.queue.send(
    tx,
    again.map(({ execution, delayMs, bridge }) => ({
      executionId: execution.id,
      lane: execution.bridge_id,
      concurrency: concurrencyOf(bridge),
      priority: 0,
      ...(delayMs ? { delayMs } : {}),
    })),
  );
  for (const [index, { settlement }] of again.entries()) settlement.job_id = jobIds[index]!;
  const settled = await settleAttempts(
    tx,
    batch.map(({ settlement }) => settlement),
    world.clock.now(),
  );
  const ours = batch.filter(({ execution }) => settled.has(execution.id));
  const fenced = again
    .filter(({ execution }) => !settled.has(execution.id))
    .map(({ settlement }) => settlement.job_id!);
  const finishedJobs = ours.flatMap(({ execution }) => execution.job_id ?? []);
  await world.queue.remove(tx, [...finishedJobs, ...fenced]);
  const ended = ours.filter(({ settlement }) => settlement.status !== "queued");
  await recordEventsAcrossOrgs(
    tx,
    world,
    ended.map(({ execution, settlement }) => ({
      orgId: execution.org_id,
      actor: { type: "system", name: "task engine" },
      requestId: execution.request_id,
      type: `task_execution.${settlement.status}`,
      objectType: "task_execution",
      objectId: execution.id,
      data: { bridgeId: execution.bridge_id, taskName: execution.task_name, attempts: execution.attempt },
    })),
  );
  await concludeFollowUps(
    tx,
    world,
    ended.map(({ execution }) => execution),
  );
  tx.afterCommit(() => {
    for (const { execution } of ended) {
      if (execution.mode === "sync") world.signals.hint("task_ended", execution.id);
    }
  });
}

const healthEveryMs = 1_000;

/** The health of a bridge is a hint to people: one write a second for all of them is enough. */
function createHealthNotes(world: World): {
  note(bridgeId: string, error: { code: string; message: string } | null): void;
} {
  const latest = new Map<string, { code: string; message: string } | null>();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    const outcomes = [...latest].map(([bridgeId, error]) => ({
      bridgeId,
      error: error && { code: error.code, message: error.message },
    }));
    latest.clear();
    noteOutcomes(world.db, outcomes, world.clock.now()).catch(() => {});
  };
  return {
    note(bridgeId, error) {
      latest.set(bridgeId, error);
      timer ??= setTimeout(write, healthEveryMs).unref();
    },
  };
}

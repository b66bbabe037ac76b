import { randomUUID } from "node:crypto";
import type { Ctx, World } from "../../../context.ts";
import { perWorld, systemContext } from "../../../context.ts";
import { HubError } from "../../../core/errors.ts";
import { yieldToEventLoop } from "../../../core/yield-to-event-loop.ts";
import type { TimeSlice, WorkKind } from "../../../queue/work.ts";
import { workOn } from "../../../queue/work.ts";
import { compilePipeline, listSteps } from "../compile-pipeline.ts";
import type { Pipeline } from "../evaluate.ts";
import type { RunDetail } from "../run.schemas.ts";
import type { BatchOutcome } from "./apply-batch.ts";
import type { LeasedRun, RunError } from "./leased-run.ts";
import { applyBatch, stoppingSteps } from "./apply-batch.ts";
import { batchSize } from "./plan-run.ts";
import type { RunRow } from "./runs.store.ts";
import * as runs from "./runs.store.ts";

/** One batch is evaluated while another one is being written. */
const concurrentBatches = 2;
const maxAttempts = 5;

/** Any process may work on any run. Two on the same run are slower, not wrong: each locks the batch it applies. */
export const runWork: WorkKind<World, RunRow> = {
  name: "operation runs",
  leases: runs.runLeases,
  wakeOn: ["operation_run"],
  pollIntervalMs: 10_000,
  maxAttempts,
  claimValues: (world) => [world.clock.now()],
  async run(world, run, slice) {
    const ctx = contextOf(world, run);
    return await processBatches({ ctx, run, pipeline: await recompile(ctx, run) }, slice);
  },
  /** Fails the batch that cannot be applied and continues with the next one, which gets a single attempt. */
  async giveUp(world, run) {
    const outcome = await applyBatch({ ctx: contextOf(world, run), run, pipeline: internalError }, "wait");
    const retry = { now: world.clock.now(), delayMs: 0, attempts: maxAttempts - 1 };
    if (outcome !== "ended") await runs.runLeases.releaseAcrossOrgs(world.db, run.lease_owner!, run.id, retry);
  },
};

const internalError: RunError = {
  code: "internal_error",
  message: "Processing these orders failed several times; they were not changed.",
  fix: "Retry the run. If it fails again, the hub's log has the reason.",
};

/** Processes a run that this request has just created and leased. Returns undefined when another process has to end it. */
export async function executeNewRun(request: Ctx, run: RunRow, pipeline: Pipeline): Promise<RunDetail | undefined> {
  const leased: LeasedRun = { ctx: contextOf(request, run), run, pipeline, request };
  await workOn(request, runWork, run, requestOwner(request), (slice) => processBatches(leased, slice));
  return leased.response;
}

/** The lease owner for runs processed by requests. A restarted process gets another one. */
export const requestOwner = perWorld(() => randomUUID());

/** Ends a cancelled run that no process is working on. A process that works on it sees the cancellation before its next batch. */
export async function finishIfIdle(world: World, runId: string): Promise<void> {
  const owner = requestOwner(world);
  const run = await runs.runLeases.claimOneAcrossOrgs(world.db, runId, owner, [world.clock.now()]);
  if (run) await workOn(world, runWork, run, owner);
}

async function processBatches(leased: LeasedRun, slice: TimeSlice): Promise<"done" | "yield"> {
  const { run, pipeline } = leased;
  // After a failure, run batches one at a time to isolate the one that fails.
  const isIsolating = run.tries > 1;
  const isSequential = isIsolating || "code" in pipeline || stoppingSteps(run, pipeline).length > 0;
  const count = isSequential ? 1 : Math.min(concurrentBatches, Math.ceil(run.order_count / batchSize));
  let hasFailed = false;
  const applyUntilDone = async (): Promise<BatchOutcome> => {
    try {
      for (;;) {
        const outcome = await applyBatch(leased, isSequential ? "wait" : "skip");
        if (outcome !== "applied" || isIsolating || hasFailed || slice.shouldYield()) return outcome;
        await yieldToEventLoop();
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const loops = Array.from({ length: count }, applyUntilDone);
  await Promise.allSettled(loops);
  const outcomes = await Promise.all(loops);
  if (outcomes.includes("ended")) return "done";
  // The remaining batches are locked by a process whose lease had expired: wait for it.
  if (!outcomes.includes("applied") && (await applyBatch(leased, "wait")) === "ended") return "done";
  return "yield";
}

async function recompile(ctx: Ctx, run: RunRow): Promise<Pipeline | RunError> {
  try {
    if (run.undo_of !== null) return await listSteps(ctx, run.actions);
    const { on_error: onError, is_atomic: isAtomic, condition: when } = run;
    return await compilePipeline(ctx, run.actions, { onError, isAtomic, when, isChecked: true });
  } catch (error) {
    // Something the run needs, such as a condition set, was deleted after the run was created.
    if (error instanceof HubError && error.status < 500) return { code: "pipeline_invalid", message: error.message };
    throw error;
  }
}

/** The run acts as the user or key that started it. */
export function contextOf(world: World, run: RunRow): Ctx {
  const ctx = systemContext(world, run.org_id, "operation run");
  const scopes = new Set(run.may_override ? (["admin"] as const) : (["operations:run"] as const));
  return {
    ...ctx,
    actor: run.created_by,
    requestId: run.request_id ?? ctx.requestId,
    cause: toCause(run.cause),
    principal: { ...ctx.principal, scopes },
  };
}

/** The cause of a run as events record it. */
export function toCause(cause: RunRow["cause"]): Ctx["cause"] {
  return cause
    ? { automationId: cause.automation_id, depth: cause.depth, automationPath: cause.automation_path }
    : undefined;
}

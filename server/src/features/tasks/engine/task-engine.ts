import { RemoteError } from "../../../core/remote-error.ts";
import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import type { WorkKind } from "../../../queue/work.ts";
import { startWork } from "../../../queue/work.ts";
import { findKnownBridge, findTask } from "../../bridges/bridge-tasks.ts";
import { createNotes } from "../attempt/attempt-notes.ts";
import { runAttempt } from "../attempt/run-attempt.ts";
import { loadMappings } from "../attempt/task-mappings.ts";
import type { TaskRow } from "./attempts.store.ts";
import { taskLeases } from "./attempts.store.ts";
import { followCancels } from "./follow-cancels.ts";
import { notStartedOutcome, recoverOverdue, requeueUnknownClaims, workerLostOutcome } from "./recover-executions.ts";
import { createSettler } from "./settle-attempts.ts";
import { localEngine } from "./wake-engines.ts";

/** Counters since the process started. `fencedWrites`: outcomes of superseded attempts, which were discarded. */
export const taskCounters = perWorld(() => ({ fencedWrites: 0, recovered: 0 }));

/** Signals wake the worker at once. Polling finds what lost signals and dead workers left, and executions that expire. */
const pollIntervalMs = 10_000;

/** Claims queued executions and runs up to `slots` of them at a time. One engine per surface and process. */
export function startTaskEngine(world: World, { slots }: { slots: number }): { stop(): Promise<void> } {
  const settler = createSettler(world, {
    onRetryIn: (delayMs) => worker.wake(delayMs + 20),
    onFenced: () => taskCounters(world).fencedWrites++,
  });
  const notes = createNotes(world);

  const work: WorkKind<World, TaskRow> = {
    name: "tasks",
    leases: taskLeases,
    wakeOn: ["task_queued"],
    pollIntervalMs,
    // The execution counts its own attempts, since not every task may be repeated.
    maxAttempts: Infinity,
    claimValues: ({ clock }) => [clock.now(), clock.now().toISOString()],
    poll: recoverOverdue,
    async run(_world, execution, slice) {
      const { org_id: orgId, bridge_id: bridgeId, task_name: taskName } = execution;
      const [bridge, mappings] = await Promise.all([
        findKnownBridge(world, bridgeId),
        loadMappings(world, { orgId, bridgeId, taskName }),
      ]);
      const task = bridge && findTask(bridge, taskName);
      if (execution.taken_over) {
        taskCounters(world).recovered++;
        await settler.settle(execution, workerLostOutcome(execution), task, bridge);
      } else if (!slice.isFresh()) {
        await settler.settle(execution, notStartedOutcome(execution), task, bridge);
      } else {
        const timer = AbortSignal.timeout(execution.timeout_ms);
        const note = notes.of(execution);
        const signal = AbortSignal.any([slice.signal, timer]);
        const source = { world, execution, bridge, mappings, task, signal, ...note };
        const outcome = await runAttempt({ ...source, mayStart: slice.isFresh });
        slice.releaseSlot();
        await note.flush();
        // The worker that took over stores the outcome.
        if (outcome.error?.code === "superseded") taskCounters(world).fencedWrites++;
        else await settler.settle(execution, outcome, task, bridge);
      }
      return "done";
    },
    giveUp: () => Promise.resolve(),
  };

  const worker = startWork(world, work, {
    slots,
    reconcileLostClaims: (owners, known) => requeueUnknownClaims(world, owners, known),
    // A cancellation that arrived before the result of the claim query.
    onClaimed(execution, stop) {
      if (cancels.wasCancelled(execution.id)) stop.abort(cancelled());
    },
  });
  const cancels = followCancels(world, (id) => worker.abort(id, cancelled()));
  const local = localEngine(world);
  local.worker = worker;
  worker.wake();

  return {
    async stop() {
      delete local.worker;
      await worker.stop();
      cancels.stop();
      await notes.stop();
    },
  };
}

const cancelled = (): RemoteError => new RemoteError("cancelled", "The execution was cancelled.");

/** Ends all leases, so that executions of a killed process start at once. Only safe while no other process uses the database. */
export async function freeAllExecutions(world: World): Promise<void> {
  await taskLeases.endAllAcrossOrgs(world.db);
}

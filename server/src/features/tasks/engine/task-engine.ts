import { randomUUID } from "node:crypto";
import { RemoteError } from "../../../core/remote-error.ts";
import type { World } from "../../../context.ts";
import { findTask } from "../../bridges/bridge-tasks.ts";
import { endAllLeasesAcrossOrgs, leaseMs } from "./attempts.store.ts";
import { createNotes } from "../attempt/attempt-notes.ts";
import type { Equipment } from "./claim-executions.ts";
import { equip } from "./claim-executions.ts";
import { startClaimLoop } from "./claim-loop.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { startUpkeep } from "./engine-upkeep.ts";
import { followCancels } from "./follow-cancels.ts";
import { recoverLost, untouchedOutcome } from "./recover-executions.ts";
import { runAttempt } from "../attempt/run-attempt.ts";
import { createSettler } from "./settle-attempts.ts";
import { taskCounters } from "./task-counters.ts";
import { localEngine } from "./wake-workers.ts";

type Running = { execution: ExecutionRow; stop: AbortController; freshUntil: number };

/** So long after the lease was asked for it is surely ours; later, something may have kept us from renewing it. */
const freshMs = (leaseMs * 2) / 3;
/** What is still running then is given back to the queue. */
const patienceMs = 4_000;

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Takes executions from the queue and runs them, as many at a time as there are slots. One per surface and process. */
export function startTaskEngine(world: World, { slots }: { slots: number }): { stop(): Promise<void> } {
  const owner = randomUUID();
  const running = new Map<string, Running>();
  const settler = createSettler(world, (delayMs) => wakeIn(delayMs));
  const notes = createNotes(world);
  const claims = startClaimLoop(world, {
    owner,
    free: () => slots - running.size,
    knownIds: () => [...running.keys()],
    begin,
  });
  const { wake } = claims;

  /** Known from the moment they are ours, so that a cancel finds them, whatever they still wait for. */
  function begin(executions: ExecutionRow[], askedAt: number): void {
    if (executions.length === 0) return;
    for (const execution of executions) {
      const stop = new AbortController();
      running.set(execution.id, { execution, stop, freshUntil: askedAt + freshMs });
      if (cancels.wasCancelled(execution.id)) stop.abort(cancelled());
    }
    equip(world, executions).then(
      (equipped) => {
        const isLate = performance.now() > askedAt + freshMs;
        for (const execution of executions) {
          if (isLate) void giveUp(execution);
          else void run(running.get(execution.id)!, equipped.get(execution.id)!);
        }
      },
      (error: unknown) => {
        world.log.warn({ err: error }, "tasks could not begin; they are given back");
        for (const execution of executions) void giveUp(execution);
      },
    );
  }

  async function giveUp(execution: ExecutionRow): Promise<void> {
    await settler.settle(execution, untouchedOutcome(execution), undefined, undefined);
    running.delete(execution.id);
    wake();
  }

  async function run(one: Running, { bridge, mappings }: Equipment): Promise<void> {
    const { execution, stop } = one;
    const task = bridge && findTask(bridge, execution.task_name);
    const note = notes.of(execution);
    const timeout = setTimeout(() => stop.abort(new DOMException("timed out", "TimeoutError")), execution.timeout_ms);
    const source = { world, execution, bridge, mappings, task, signal: stop.signal, ...note };
    const outcome = await runAttempt({ ...source, mayStart: () => performance.now() < one.freshUntil });
    clearTimeout(timeout);
    await note.flush();
    // Somebody else has it now, and will say how it ends.
    if (outcome.error?.code === "superseded") taskCounters(world).fencedWrites++;
    else await settler.settle(execution, outcome, task, bridge);
    running.delete(execution.id);
    wake();
  }

  function abort(id: string, reason: Error): void {
    running.get(id)?.stop.abort(reason);
  }

  function wakeIn(delayMs: number): void {
    // The queue counts in whole seconds.
    if (delayMs < 60_000) setTimeout(wake, Math.ceil(delayMs / 1000) * 1000 + 20).unref();
  }

  const cancels = followCancels(world, (id) => abort(id, cancelled()));
  const unsubscribe = world.signals.subscribe("task_queued", wake);
  const upkeep = startUpkeep(world, {
    owner,
    runningIds: () => [...running.keys()],
    hasRoom: () => running.size < slots,
    wake,
    abort,
    onKept(id, askedAt) {
      const kept = running.get(id);
      if (kept) kept.freshUntil = askedAt + freshMs;
    },
    onGap: claims.mayHoldUnknown,
  });
  const local = localEngine(world);
  local.wake = wake;
  local.wakeIn = wakeIn;
  local.hasRoom = () => running.size < slots;
  wake();

  return {
    async stop() {
      delete local.wake;
      delete local.wakeIn;
      unsubscribe();
      await claims.stop();
      const patience = setTimeout(() => {
        for (const id of running.keys()) abort(id, new Interrupted("the hub is stopping"));
      }, patienceMs);
      await untilEmpty(running);
      clearTimeout(patience);
      upkeep.stop();
      cancels.stop();
      await notes.stop();
    },
  };
}

const cancelled = (): RemoteError => new RemoteError("cancelled", "The execution was cancelled.");

async function untilEmpty(running: ReadonlyMap<string, unknown>): Promise<void> {
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Only when no other process can be at work on this database: what a killed one was doing is taken up at once. */
export async function freeAllExecutions(world: World): Promise<void> {
  await endAllLeasesAcrossOrgs(world.db);
  await recoverLost(world);
}

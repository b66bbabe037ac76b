import { randomUUID } from "node:crypto";
import { TaskError } from "../../connectors/connector.ts";
import type { World } from "../../context.ts";
import { findTask } from "../bridges/bridge-tasks.ts";
import { endAllLeasesAcrossOrgs, leaseMs, renewLeases } from "./attempts.store.ts";
import { createNotes } from "./attempt-notes.ts";
import type { Equipment } from "./claim-executions.ts";
import { claimNext, equip } from "./claim-executions.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { giveBackUnknown, recoverLost, recoverOverdue, untouchedOutcome } from "./recover-executions.ts";
import { runAttempt } from "./run-attempt.ts";
import { createSettler } from "./settle-attempts.ts";
import { followCancels } from "./follow-cancels.ts";
import { hintWorkers, localEngine } from "./wake-workers.ts";

type Running = { execution: ExecutionRow; stop: AbortController };

/** Signals get a worker going at once; this is for those that were lost. */
const pollMs = 10_000;
const beatMs = leaseMs / 3;
const recoverMs = 4_000;
/** After the database was away everybody gets the time to say that they are alive. */
const graceMs = 3_000;
/** The lease of what was claimed so long ago may be over: it must not begin any more. */
const beginWithinMs = leaseMs - beatMs;
const askAgainMs = 500;
/** What is still running then is given back to the queue. */
const patienceMs = 4_000;
const maxClaim = 100;

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Takes executions from the queue and runs them, as many at a time as there are slots. One per surface and process. */
export function startTaskEngine(world: World, { slots }: { slots: number }): { stop(): Promise<void> } {
  const owner = randomUUID();
  const running = new Map<string, Running>();
  const settler = createSettler(world, (delayMs) => wakeIn(delayMs));
  const notes = createNotes(world);
  let isStopping = false;
  let pumping: Promise<void> | undefined;
  let isWanted = false;
  let mayHoldUnknown = false;
  let mayOthersHelp = false;
  let graceEndsAt = 0;

  function wake(): void {
    isWanted = true;
    if (pumping || isStopping) return;
    pumping = pump()
      .catch((error: unknown) => {
        // Perhaps only the answer was lost, and they are ours.
        mayHoldUnknown = true;
        world.log.warn({ err: error }, "no tasks could be taken; they wait");
        setTimeout(wake, askAgainMs).unref();
      })
      .finally(() => {
        pumping = undefined;
      });
  }

  async function pump(): Promise<void> {
    while (isWanted && !isStopping) {
      const free = Math.min(slots - running.size, maxClaim);
      if (free <= 0) {
        if (mayOthersHelp) hintWorkers(world);
        mayOthersHelp = false;
        return;
      }
      if (mayHoldUnknown) await giveBackUnknown(world, owner, [...running.keys()]);
      mayHoldUnknown = false;
      isWanted = false;
      const askedAt = performance.now();
      const { executions, hasMore } = await claimNext(world, owner, free);
      if (hasMore) isWanted = mayOthersHelp = true;
      begin(executions, askedAt);
    }
  }

  /** Known from the moment they are ours, so that a cancel finds them, whatever they still wait for. */
  function begin(executions: ExecutionRow[], askedAt: number): void {
    if (executions.length === 0) return;
    for (const execution of executions) {
      const stop = new AbortController();
      running.set(execution.id, { execution, stop });
      if (cancels.wasCancelled(execution.id)) stop.abort(cancelled());
    }
    equip(world, executions).then(
      (equipped) => {
        const isLate = performance.now() - askedAt > beginWithinMs;
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

  async function run({ execution, stop }: Running, { bridge, mappings }: Equipment): Promise<void> {
    const task = bridge && findTask(bridge, execution.task_name);
    const note = notes.of(execution);
    const timeout = setTimeout(() => stop.abort(new DOMException("timed out", "TimeoutError")), execution.timeout_ms);
    const outcome = await runAttempt({ world, execution, bridge, mappings, task, signal: stop.signal, ...note });
    clearTimeout(timeout);
    await note.flush();
    await settler.settle(execution, outcome, task, bridge);
    running.delete(execution.id);
    wake();
  }

  function abort(id: string, reason: Error): void {
    running.get(id)?.stop.abort(reason);
  }

  /** A lease that is lost means that somebody else has taken over, or that the execution was cancelled. */
  async function beat(): Promise<void> {
    const ids = [...running.keys()];
    if (ids.length === 0) return;
    const kept = new Set(await renewLeases(world.db, ids, owner));
    for (const id of ids) if (!kept.has(id)) abort(id, superseded());
  }

  async function recover(): Promise<void> {
    if (performance.now() < graceEndsAt) return;
    await beat();
    await recoverOverdue(world);
  }

  const timers = [setInterval(wake, pollMs), every(beatMs, beat), every(recoverMs, recover)];

  function every(ms: number, work: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => void attempt(work), ms);
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      graceEndsAt = performance.now() + graceMs;
      world.log.warn({ err: error }, "the task engine will try again");
    }
  }

  function wakeIn(delayMs: number): void {
    // The queue counts in whole seconds.
    if (delayMs < 60_000) setTimeout(wake, Math.ceil(delayMs / 1000) * 1000 + 20).unref();
  }

  const cancels = followCancels(world, (id) => abort(id, cancelled()));
  const unsubscribe = world.signals.subscribe("task_queued", wake);
  world.signals.onGap(() => {
    if (isStopping) return;
    graceEndsAt = performance.now() + graceMs;
    mayHoldUnknown = true;
    void attempt(beat);
    wake();
  });
  const local = localEngine(world);
  local.wake = wake;
  local.wakeIn = wakeIn;
  local.hasRoom = () => running.size < slots;
  for (const timer of timers) timer.unref();
  wake();

  return {
    async stop() {
      isStopping = true;
      delete local.wake;
      delete local.wakeIn;
      unsubscribe();
      clearInterval(timers[0]);
      await pumping;
      const patience = setTimeout(() => {
        for (const id of running.keys()) abort(id, new Interrupted("the hub is stopping"));
      }, patienceMs);
      await untilEmpty(running);
      clearTimeout(patience);
      for (const timer of timers) clearInterval(timer);
      cancels.stop();
      await notes.stop();
    },
  };
}

const cancelled = (): TaskError => new TaskError("cancelled", "The execution was cancelled.");
const superseded = (): TaskError => new TaskError("superseded", "Another worker has taken over, or it was cancelled.");

async function untilEmpty(running: ReadonlyMap<string, unknown>): Promise<void> {
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Only when no other process can be at work on this database: what a killed one was doing is taken up at once. */
export async function freeAllExecutions(world: World): Promise<void> {
  await endAllLeasesAcrossOrgs(world.db);
  await recoverLost(world);
}

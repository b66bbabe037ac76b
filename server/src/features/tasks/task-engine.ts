import { randomUUID } from "node:crypto";
import type { World } from "../../context.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { endAllLeasesAcrossOrgs, leaseMs, renewLeases } from "./attempts.store.ts";
import { claimNext } from "./claim-executions.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { createNotes } from "./attempt-notes.ts";
import { recoverLost, recoverOverdue } from "./recover-executions.ts";
import { runAttempt } from "./run-attempt.ts";
import { createSettler } from "./settle-attempts.ts";
import type { ActiveMappings } from "./task-mappings.ts";
import { localEngine } from "./wake-workers.ts";
import { findTask } from "../bridges/bridge-tasks.ts";

export type Claimed = { execution: ExecutionRow; bridge: OpenBridge | undefined; mappings: ActiveMappings };

type Running = { execution: ExecutionRow; stop: AbortController };

/** Signals get a worker going at once; this is for those that were lost. */
const pollMs = 10_000;
const beatMs = leaseMs / 3;
const recoverMs = 5_000;
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

  function wake(): void {
    isWanted = true;
    if (pumping || isStopping) return;
    pumping = pump()
      .catch((error: unknown) => world.log.warn({ err: error }, "no tasks could be taken; they wait"))
      .finally(() => {
        pumping = undefined;
      });
  }

  async function pump(): Promise<void> {
    while (isWanted && !isStopping) {
      const free = Math.min(slots - running.size, maxClaim);
      if (free <= 0) return;
      isWanted = false;
      const claimed = await claimNext(world, owner, free);
      for (const one of claimed) start(one);
      if (claimed.length === free) isWanted = true;
    }
  }

  function start({ execution, bridge, mappings }: Claimed): void {
    const stop = new AbortController();
    running.set(execution.id, { execution, stop });
    const task = bridge && findTask(bridge, execution.task_name);
    const note = notes.of(execution);
    void runAttempt({
      world,
      execution,
      bridge,
      mappings,
      task,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(execution.timeout_ms)]),
      ...note,
    }).then(async (outcome) => {
      await settler.settle(execution, outcome, task, bridge);
      running.delete(execution.id);
      wake();
    });
  }

  function abort(id: string, reason: Error): void {
    running.get(id)?.stop.abort(reason);
  }

  /** A lease that is lost means that somebody else has taken over, or that the execution was cancelled. */
  async function beat(): Promise<void> {
    const ids = [...running.keys()];
    if (ids.length === 0) return;
    const kept = new Set(await renewLeases(world.db, ids, owner));
    for (const id of ids) if (!kept.has(id)) abort(id, new Error("the lease was lost"));
  }

  const timers = [setInterval(wake, pollMs), every(beatMs, beat), every(recoverMs, () => recoverOverdue(world))];

  function every(ms: number, work: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => {
      work().catch((error: unknown) => world.log.warn({ err: error }, "the task engine will try again"));
    }, ms);
  }

  function wakeIn(delayMs: number): void {
    // The queue counts in whole seconds.
    if (delayMs < 60_000) setTimeout(wake, Math.ceil(delayMs / 1000) * 1000 + 20).unref();
  }

  const unsubscribe = [
    world.signals.subscribe("task_queued", wake),
    world.signals.subscribe("task_cancelled", (id) => abort(id, new Error("cancelled"))),
  ];
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
      for (const off of unsubscribe) off();
      clearInterval(timers[0]);
      await pumping;
      const patience = setTimeout(() => {
        for (const id of running.keys()) abort(id, new Interrupted("the hub is stopping"));
      }, patienceMs);
      await untilEmpty(running);
      clearTimeout(patience);
      for (const timer of timers) clearInterval(timer);
      await notes.stop();
    },
  };
}

async function untilEmpty(running: ReadonlyMap<string, unknown>): Promise<void> {
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Only when no other process can be at work on this database: what a killed one was doing is taken up at once. */
export async function freeAllExecutions(world: World): Promise<void> {
  await endAllLeasesAcrossOrgs(world.db);
  await recoverLost(world);
}

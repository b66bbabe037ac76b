import { RemoteError } from "../../../core/remote-error.ts";
import type { World } from "../../../context.ts";
import { leaseMs, renewLeases } from "./attempts.store.ts";
import { recoverOverdue } from "./recover-executions.ts";

const beatMs = leaseMs / 3;
/** Signals get a worker going at once; this is for those that were lost, and for workers that were. */
const recoverMs = 5_000;
/** After the database was away everybody gets the time to say that they are alive. */
const graceMs = 3_000;

type Engine = {
  owner: string;
  runningIds(): string[];
  hasRoom(): boolean;
  wake(): void;
  abort(id: string, reason: Error): void;
  /** The lease is ours from the moment on at which its renewal was asked for. */
  onKept(id: string, askedAt: number): void;
  /** The connection was lost for a while, and with it perhaps the answer to a claim. */
  onGap(): void;
};

/** What an engine does by the clock: says that it is alive, looks for those that are not, and for what was missed. */
export function startUpkeep(world: World, engine: Engine): { stop(): void } {
  let graceEndsAt = 0;
  let hasStopped = false;

  /** A lease that is lost means that somebody else has taken over, or that the execution was cancelled. */
  async function beat(): Promise<void> {
    const ids = engine.runningIds();
    if (ids.length === 0) return;
    const askedAt = performance.now();
    const kept = new Set(await renewLeases(world.db, ids, engine.owner));
    for (const id of ids) {
      if (kept.has(id)) engine.onKept(id, askedAt);
      else engine.abort(id, superseded());
    }
  }

  async function recover(): Promise<void> {
    if (performance.now() < graceEndsAt) return;
    await beat();
    if ((await recoverOverdue(world)) && engine.hasRoom()) engine.wake();
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      graceEndsAt = performance.now() + graceMs;
      world.log.warn({ err: error }, "the task engine will try again");
    }
  }

  const every = (ms: number, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => void attempt(work), ms).unref();
  const timers = [every(beatMs, beat), every(recoverMs, recover)];
  world.signals.onGap(() => {
    if (hasStopped) return;
    graceEndsAt = performance.now() + graceMs;
    engine.onGap();
    void attempt(beat);
    engine.wake();
  });

  return {
    stop() {
      hasStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}

const superseded = (): RemoteError =>
  new RemoteError("superseded", "Another worker has taken over, or it was cancelled.");

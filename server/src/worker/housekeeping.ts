import type { World } from "../context.ts";
import { removeExpiredSessions } from "../features/auth/auth.ts";

export type Chore = { name: string; run(world: World): Promise<void> };

const intervalMs = 10 * 60_000;

/** Deletes what has outlived its purpose, now and then. Chores may run on several nodes at once. */
export function startHousekeeping(world: World, chores: Chore[]): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  async function runAll(): Promise<void> {
    for (const chore of [sessions, ...chores]) {
      await chore
        .run(world)
        .catch((error: unknown) => world.log.warn({ err: error, chore: chore.name }, "chore failed"));
    }
  }
  const timer = setInterval(() => {
    running = runAll();
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

const sessions: Chore = { name: "expired sessions", run: removeExpiredSessions };

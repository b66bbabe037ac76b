import type { World } from "../context.ts";

export type Health = {
  /** Whether this process should get traffic, and what is wrong if not. Remembered for a second. */
  check(): Promise<{ isReady: boolean; checks: Record<string, string> }>;
};

const rememberMs = 1_000;
const patienceMs = 2_000;

export function createHealth(world: Pick<World, "db" | "signals">, isDraining: () => boolean): Health {
  let known: { at: number; database: Promise<string> } | undefined;

  async function pingDatabase(): Promise<string> {
    const ping = world.db.ping().then(
      () => "ok",
      () => "unavailable",
    );
    const timeout = new Promise<string>((resolve) => setTimeout(() => resolve("slow"), patienceMs).unref());
    return await Promise.race([ping, timeout]);
  }

  return {
    async check() {
      const now = performance.now();
      if (!known || now - known.at > rememberMs) known = { at: now, database: pingDatabase() };
      const database = await known.database;
      const checks = {
        database,
        signals: world.signals.isConnected() ? "ok" : "reconnecting",
        traffic: isDraining() ? "draining" : "ok",
      };
      return { isReady: database === "ok" && !isDraining(), checks };
    },
  };
}

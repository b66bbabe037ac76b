import type { World } from "../context.ts";
import { NewerSchema } from "../db/schema-watch.ts";
import { isOutboundPaused } from "../features/outbound-pause/outbound-pause.ts";

export type Health = {
  /** Whether this process should get traffic, and why not. Cached for a second. */
  check(): Promise<{ isReady: boolean; checks: Record<string, string> }>;
};

const rememberMs = 1_000;
const patienceMs = 2_000;

export function createHealth(world: World, isDraining: () => boolean): Health {
  let known: { at: number; database: Promise<string> } | undefined;

  /** On the connection of the signals, if there is one: a probe must not wait behind requests. */
  async function isWritable(): Promise<boolean> {
    const { db, signals } = world;
    const isRight = await signals.isWritable().catch(() => db.isWritable());
    if (!isRight) db.renew();
    return isRight;
  }

  async function pingDatabase(): Promise<string> {
    const ping = isWritable().then(
      (isRight) => (isRight ? "ok" : "read_only"),
      () => "unavailable",
    );
    const timeout = new Promise<string>((resolve) => setTimeout(() => resolve("slow"), patienceMs).unref());
    return await Promise.race([ping, timeout]);
  }

  return {
    async check() {
      const now = performance.now();
      if (!known || now - known.at > rememberMs) known = { at: now, database: pingDatabase() };
      const refusal = world.db.refusal();
      const database = refusal ? "newer_schema" : await known.database;
      const checks = {
        database,
        ...(refusal instanceof NewerSchema ? { migration: refusal.migration } : {}),
        signals: world.signals.isConnected() ? "ok" : "reconnecting",
        traffic: isDraining() ? "draining" : "ok",
        // Still ready: operators have to sign in to check it, and to resume.
        outbound: isOutboundPaused(world) ? "paused" : "ok",
      };
      return { isReady: database === "ok" && !isDraining(), checks };
    },
  };
}

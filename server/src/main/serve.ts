import { once } from "node:events";
import type { Logger } from "pino";
import type { Environment } from "../context.ts";
import { createSecrets } from "../core/secrets.ts";
import type { Config } from "./config.ts";
import type { Databases } from "./databases.ts";
import { openDatabases } from "./databases.ts";
import type { HeavyTask } from "./heavy-process.ts";
import type { OpenSurfaces } from "./open-surfaces.ts";
import { findSecretKey } from "./secret-key.ts";

export type RunningHub = OpenSurfaces & { stop(): Promise<void> };

/** How long the database may take of the time there is for stopping, whatever the rest has needed. */
const databaseMs = 2_000;

/** From being asked to stop until everything has ended. */
export function stopWithinMs({ shutdownDrainMs }: Pick<Config, "shutdownDrainMs">): number {
  return 9_000 + shutdownDrainMs;
}

/** How long a start that is asked to stop may take to end in good order before it is ended all the same. */
const startGraceMs = 2_000;

export type ServeOptions = {
  log: Logger;
  /** Ends the start, wherever it is. */
  stopping: AbortSignal;
  onNewerSchema(environment: Environment, migration: string): void;
};

/** Everything the configuration asks for, started in order; `stop` undoes it in the reverse order. */
export async function serve(config: Config, { log, stopping, onNewerSchema }: ServeOptions): Promise<RunningHub> {
  const stops: (() => Promise<void>)[] = [];
  let stopDatabases: Databases["stop"] = async () => {};
  let askedAt: number | undefined;
  stopping.addEventListener("abort", () => (askedAt = performance.now()), { once: true });
  const stop = async (): Promise<void> => {
    const endAt = (askedAt ?? performance.now()) + stopWithinMs(config);
    const leftMs = endAt - databaseMs - performance.now();
    const late = new Promise<void>((resolve) => setTimeout(resolve, leftMs).unref());
    for (const undo of stops.splice(0).toReversed()) {
      const undone = undo().catch((error: unknown) => log.error({ err: error }, "stopping failed"));
      await Promise.race([undone, late]);
    }
    // Whatever hangs, say writes to a full disk: a PostgreSQL that nobody looks after must not be left behind.
    await stopDatabases(Math.max(databaseMs / 2, endAt - performance.now() - databaseMs / 2));
  };
  try {
    const databases = await openDatabases(config, {
      log: (message) => log.info(message),
      mayShare: false,
      mayCreate: true,
      stopping,
      // All other code is loaded here; if that fails, the import below says so.
      meanwhile: () => void import("./open-surfaces.ts").catch(() => {}),
    });
    stopDatabases = (patienceMs) => databases.stop(patienceMs);
    const opening = openAll(config, { databases, log, stops, stopping, onNewerSchema });
    return { ...(await Promise.race([opening, whenStopped(stopping)])), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openAll(
  config: Config,
  parts: ServeOptions & { databases: Databases; stops: (() => Promise<void>)[] },
): Promise<OpenSurfaces> {
  const secretKeys: HeavyTask["secretKeys"] = [await findSecretKey(config), config.previousSecretKeys];
  const secrets = createSecrets(...secretKeys);
  const { openSurfaces } = await import("./open-surfaces.ts");
  return await openSurfaces(config, { ...parts, secrets, secretKeys });
}

/** Rejects a while after the hub was asked to stop: a step of the start may hang, or take minutes. */
async function whenStopped(stopping: AbortSignal): Promise<never> {
  if (!stopping.aborted) await once(stopping, "abort");
  await new Promise((resolve) => setTimeout(resolve, startGraceMs).unref());
  throw new Error("The start was ended.");
}

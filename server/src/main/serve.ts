import { once } from "node:events";
import type { Logger } from "pino";
import type { Environment } from "../context.ts";
import { createSecrets } from "../core/secrets.ts";
import type { Config } from "./config.ts";
import type { Databases } from "./databases.ts";
import { openDatabases } from "./databases.ts";
import type { OpenSurfaces } from "./open-surfaces.ts";
import type { Connections, ProcessGroup } from "./process-group.ts";
import { findSecretKey } from "./secret-key.ts";
import type { WorkerTask } from "./worker-process.ts";

export type RunningHub = OpenSurfaces & { connections: Connections; stop(): Promise<void> };

/** Part of the time for stopping that is reserved for the database. */
const databaseMs = 2_000;

/** From the signal until everything has ended. */
export function stopWithinMs({ shutdownDrainMs }: Pick<Config, "shutdownDrainMs">): number {
  return 9_000 + shutdownDrainMs;
}

/** How long a start that is interrupted may take to clean up before it is aborted. */
const startGraceMs = 2_000;

export type ServeOptions = {
  group: ProcessGroup;
  log: Logger;
  /** Ends the start, wherever it is. */
  stopping: AbortSignal;
  onNewerSchema(environment: Environment, migration: string): void;
};

/** Everything the configuration asks for, started in order; `stop` undoes it in the reverse order. */
export async function serve(
  config: Config,
  { group, log, stopping, onNewerSchema }: ServeOptions,
): Promise<RunningHub> {
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
    // Other processes may still be answering requests that need the database.
    await Promise.race([group.othersEnded, late]);
    // Even if something hangs, such as a write to a full disk: PostgreSQL must not be left running alone.
    await stopDatabases(Math.max(databaseMs / 2, endAt - performance.now() - databaseMs / 2));
  };
  try {
    const databases =
      group.number === 1
        ? await openDatabases(config, {
            log: (message) => log.info(message),
            mayShare: false,
            mayCreate: true,
            stopping,
            // All other code is loaded meanwhile; if that fails, the import below reports it.
            meanwhile: () => void import("./open-surfaces.ts").catch(() => {}),
          })
        : databasesOfFirst(group.connections);
    stopDatabases = (patienceMs) => databases.stop(patienceMs);
    const connections: Connections = {};
    const reach: Databases["reach"] = async (environment) =>
      (connections[environment] = await databases.reach(environment));
    const opening = openAll(config, { databases: { ...databases, reach }, group, log, stops, stopping, onNewerSchema });
    return { ...(await Promise.race([opening, whenStopped(stopping)])), connections, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first process owns an embedded database: the others are passed its connections. */
function databasesOfFirst(connections: Connections): Databases {
  return {
    environments: Object.keys(connections) as Environment[],
    reach: async (environment) => connections[environment]!,
    isExclusive: false,
    stop: async () => {},
  };
}

async function openAll(
  config: Config,
  parts: ServeOptions & { databases: Databases; stops: (() => Promise<void>)[] },
): Promise<OpenSurfaces> {
  const secretKeys: WorkerTask["secretKeys"] = [await findSecretKey(config), config.previousSecretKeys];
  const secrets = createSecrets(...secretKeys);
  const { openSurfaces } = await import("./open-surfaces.ts");
  return await openSurfaces(config, { ...parts, secrets, secretKeys });
}

/** Rejects a while after the signal to stop: a step of the start may hang, or take minutes. */
async function whenStopped(stopping: AbortSignal): Promise<never> {
  if (!stopping.aborted) await once(stopping, "abort");
  await new Promise((resolve) => setTimeout(resolve, startGraceMs).unref());
  throw new Error("The start was ended.");
}

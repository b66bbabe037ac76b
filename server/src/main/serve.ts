import { pino } from "pino";
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
export function stopWithinMs({ lameDuckMs }: Pick<Config, "lameDuckMs">): number {
  return 9_000 + lameDuckMs;
}

/** Everything the configuration asks for, started in order; `stop` undoes it in the reverse order. */
export async function serve(config: Config): Promise<RunningHub> {
  const log = pino({ level: config.logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  const stops: (() => Promise<void>)[] = [];
  let stopDatabases: Databases["stop"] = async () => {};
  const stop = async (): Promise<void> => {
    const endAt = performance.now() + stopWithinMs(config);
    const late = new Promise<void>((resolve) => setTimeout(resolve, stopWithinMs(config) - databaseMs).unref());
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
      // All other code is loaded here; if that fails, the import below says so.
      meanwhile: () => void import("./open-surfaces.ts").catch(() => {}),
    });
    stopDatabases = (patienceMs) => databases.stop(patienceMs);
    const secretKeys: HeavyTask["secretKeys"] = [await findSecretKey(config), config.previousSecretKeys];
    const secrets = createSecrets(...secretKeys);
    const { openSurfaces } = await import("./open-surfaces.ts");
    return { ...(await openSurfaces(config, { databases, secrets, secretKeys, log, stops })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

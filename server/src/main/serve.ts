import { pino } from "pino";
import { createSecrets } from "../core/secrets.ts";
import type { Config } from "./config.ts";
import { openDatabases } from "./databases.ts";
import type { HeavyTask } from "./heavy-process.ts";
import type { OpenSurfaces } from "./open-surfaces.ts";
import { findSecretKey } from "./secret-key.ts";

export type RunningHub = OpenSurfaces & { stop(): Promise<void> };

/** Everything the configuration asks for, started in order; `stop` undoes it in the reverse order. */
export async function serve(config: Config): Promise<RunningHub> {
  const log = pino({ level: config.logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const undo of stops.splice(0).toReversed()) {
      await undo().catch((error: unknown) => log.error({ err: error }, "stopping failed"));
    }
  };
  try {
    const secretKeys: HeavyTask["secretKeys"] = [await findSecretKey(config), config.previousSecretKeys];
    const secrets = createSecrets(...secretKeys);
    const databases = await openDatabases(config, {
      log: (message) => log.info(message),
      mayShare: false,
      // All other code is loaded here; if that fails, the import below says so.
      meanwhile: () => void import("./open-surfaces.ts").catch(() => {}),
    });
    stops.push(() => databases.stop());
    const { openSurfaces } = await import("./open-surfaces.ts");
    return { ...(await openSurfaces(config, { databases, secrets, secretKeys, log, stops })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

import { pino } from "pino";
import type { Environment } from "../context.ts";
import { createSecrets } from "../core/secrets.ts";
import { removeOldIdempotencyKeys } from "../http/idempotency.ts";
import { startHousekeeping } from "../worker/housekeeping.ts";
import type { FirstAdmin } from "./bootstrap.ts";
import { bootstrap } from "./bootstrap.ts";
import type { Config } from "./config.ts";
import type { Databases } from "./databases.ts";
import { openDatabases } from "./databases.ts";
import { findSecretKey } from "./secret-key.ts";
import type { Surface } from "./surface.ts";
import { openSurface } from "./surface.ts";
import type { OpenWorld } from "./world.ts";
import { openWorld } from "./world.ts";

export type RunningHub = {
  surfaces: Surface[];
  /** Present at the very first start only. */
  firstAdmin: FirstAdmin | undefined;
  stop(): Promise<void>;
};

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
    const secrets = createSecrets(await findSecretKey(config), config.previousSecretKeys);
    const databases: Databases = await openDatabases(config, (message) => log.info(message));
    stops.push(() => databases.stop());
    const worlds = await Promise.all(
      [...databases.connections].map(([environment, connection]) =>
        openWorld({
          environment,
          connection,
          secrets,
          log,
          maxConnections: config.maxConnections,
          settings: { maxSignInFailures: config.maxSignInFailures, ...(config.oidc ? { oidc: config.oidc } : {}) },
        }),
      ),
    );
    stops.push(() => closeAll(worlds));
    const admin = config.admin.password === undefined ? { ...config.admin } : config.admin;
    const firstAdmins = await bootstrapAll(worlds, admin);
    const surfaces: Surface[] = [];
    for (const { world } of worlds) {
      surfaces.push(await openSurface(world, { config, ...portsOf(world.environment, config) }));
      if (config.roles.has("worker")) {
        const housekeeping = startHousekeeping(world, [{ name: "idempotency keys", run: removeOldIdempotencyKeys }]);
        stops.push(() => housekeeping.stop());
      }
    }
    stops.push(async () => void (await Promise.all(surfaces.map((surface) => surface.stop()))));
    return { surfaces, firstAdmin: firstAdmins, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Both surfaces get the same administrator, so that one sign-in is all there is to remember. */
async function bootstrapAll(worlds: OpenWorld[], admin: Config["admin"]): Promise<FirstAdmin | undefined> {
  let first: FirstAdmin | undefined;
  for (const { world } of worlds) {
    const made = await bootstrap(world, first ? { email: first.email, password: first.password } : admin);
    first ??= made;
  }
  return first;
}

function portsOf(environment: Environment, config: Config) {
  return environment === "live"
    ? { port: config.port, gatewayPort: config.gatewayPort }
    : { port: config.previewPort ?? 0, gatewayPort: config.previewGatewayPort };
}

async function closeAll(worlds: OpenWorld[]): Promise<void> {
  await Promise.all(worlds.map((open) => open.close()));
}

import path from "node:path";
import type { Logger } from "pino";
import type { Environment, Settings, World } from "../context.ts";
import { systemContext } from "../context.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Connection } from "../db/server-client.ts";
import { findOperatorOrganization } from "../features/organizations/organizations.ts";
import { isOutboundPaused, whenOutboundRuns } from "../features/outbound-pause/outbound-pause.ts";
import { seedPreview } from "../features/preview/preview.ts";
import { freeAllExecutions, startTaskEngine } from "../features/tasks/tasks.ts";
import { startDeliveries } from "../features/webhooks/webhooks.ts";
import { findConsole, warnOfStaleConsole } from "../http/console-files.ts";
import { freeAllIdempotencyKeys, removeOldIdempotencyKeys } from "../http/idempotency.ts";
import { startScheduler } from "../scheduler/scheduler.ts";
import { chores, freeLeasedWork, startLocalWork, startOutboundWork } from "../worker/chores.ts";
import { startWorker } from "../worker/worker.ts";
import type { FirstAdmin } from "./bootstrap.ts";
import { bootstrap, newPassword } from "./bootstrap.ts";
import type { Config } from "./config.ts";
import type { Databases } from "./databases.ts";
import { backgroundConnections } from "./databases.ts";
import type { PortListener } from "./port-listener.ts";
import { createPortListener } from "./port-listener.ts";
import type { ProcessGroup } from "./process-group.ts";
import type { StartStatus } from "./start-status.ts";
import { createStartStatus } from "./start-status.ts";
import type { Surface } from "./surface.ts";
import { openSurface, portSetting } from "./surface.ts";
import { startHealthListener } from "./health-listener.ts";
import type { WorkerTask } from "./worker-process.ts";
import type { OpenWorld } from "./world.ts";
import { openWorld } from "./world.ts";

export type OpenSurfaces = {
  surfaces: Surface[];
  /** Health and metrics, if they have a port of their own. */
  healthUrl: string | undefined;
  /** At the first start of a surface: its administrator. */
  firstAdmin: (FirstAdmin & { environments: Environment[] }) | undefined;
};

type SurfaceParts = {
  group: ProcessGroup;
  databases: Databases;
  secrets: Secrets;
  secretKeys: WorkerTask["secretKeys"];
  log: Logger;
  /** Receives a function that undoes each step, in the order of the steps. */
  stops: (() => Promise<void>)[];
  /** Aborted when the hub is to stop, even during its start. */
  stopping: AbortSignal;
  /** A newer hub migrated this database: this one has to stop. */
  onNewerSchema(environment: Environment, migration: string): void;
};

/** Opens the surfaces on the databases. The first process of a hub also migrates, and runs background work. */
export async function openSurfaces(config: Config, parts: SurfaceParts): Promise<OpenSurfaces> {
  const { group, databases, log, stops } = parts;
  const isFirst = group.number === 1;
  const worlds: World[] = [];
  const closes: (() => Promise<void>)[] = [];
  stops.push(async () => void (await Promise.all(closes.map((close) => close()))));
  const surfaces: Surface[] = [];
  const status = createStartStatus();
  const { host, healthPort: port, metricsAccess } = config;
  let healthUrl: string | undefined;
  if (port !== undefined) {
    const pending = () => databases.environments.filter((one) => !surfaces.some((open) => open.environment === one));
    const starting = () => pending().map((environment) => ({ environment, checks: status.checks(environment) }));
    const listener = await startHealthListener({ host, port, metricsAccess, watched: () => surfaces, starting });
    stops.push(() => listener.stop());
    healthUrl = listener.url;
  }
  // Where other processes serve the port already, answering "starting" would fail requests that they could serve.
  const isEarly = isFirst && !group.isReplacement;
  const ports = isEarly ? await listenEarly(config, databases.environments, status, stops) : noPorts;
  const workers: { stop(): Promise<void> }[] = [];
  // In parallel: each takes its time to complete accepted requests, and to finish or release its work.
  stops.push(async () => void (await Promise.all([...surfaces, ...workers].map((one) => one.stop()))));
  const root = path.join(import.meta.dirname, "../../..");
  const site = config.hasConsole && config.roles.has("api") ? findConsole({ root, log }) : undefined;
  const { admin } = config;
  const isNew: World[] = [];
  // One after the other: live serves while the database of the preview is still being created.
  for (const environment of databases.environments) {
    const connection = await databases.reach(environment);
    const { world, close } = await openOneWorld(environment, connection, config, { ...parts, status });
    closes.push(close);
    worlds.push(world);
    if (databases.isExclusive && !group.isReplacement) {
      // Leases that are still held belong to a hub that was killed: there is no need to wait for them to expire.
      await Promise.all([freeAllExecutions(world), freeAllIdempotencyKeys(world), freeLeasedWork(world)]);
    }
    // Before it is ready: clients sign in as soon as it is.
    if (isFirst && admin.password !== undefined && (await bootstrap(world, admin))) isNew.push(world);
    const { settings } = world;
    const { secretKeys } = parts;
    const { logLevel, logFormat, rowSecurity, plugins } = config;
    const task = { environment, connection, secretKeys, settings, rowSecurity, logLevel, logFormat, plugins };
    const startWorkerProcess = async () => (await import("./worker-process.ts")).startWorkerProcess(task);
    const listeners = ports.get(environment) ?? {};
    const options = { config, group, ...portsOf(environment, config), listeners, console: site, startWorkerProcess };
    surfaces.push(await openSurface(world, options));
    if (!isFirst) continue;
    const background = { ...world, db: world.db.background };
    if (config.roles.has("worker")) {
      workers.push(startWorker(background, [...chores, purgingOfKeys]), ...startLocalWork(background));
      workers.push(
        startOutbound(background, () => [
          startTaskEngine(background, { slots: config.taskConcurrency }),
          ...startOutboundWork(background),
          startDeliveries(background, { slots: config.webhookConcurrency }),
        ]),
      );
    }
    if (config.roles.has("scheduler")) {
      const scheduler = startOutbound(background, () => [startScheduler(background)]);
      stops.push(() => scheduler.stop());
    }
    if (isOutboundPaused(world)) world.log.warn("outbound work is paused: this hub was restored from a backup");
  }
  if (!isFirst) return { surfaces, healthUrl, firstAdmin: undefined };
  if (site) void warnOfStaleConsole({ root, log });
  const { email, password = newPassword() } = admin;
  const isGenerated = admin.password === undefined;
  // Last: a start that fails after this would have created a password that is never shown.
  if (isGenerated) isNew.push(...(await bootstrapAll(worlds, { email, password })));
  const environments = isNew.map(({ environment }) => environment);
  const firstAdmin = isNew.length === 0 ? undefined : { email, password, isGenerated, environments };
  const preview = worlds.find(({ environment }) => environment === "preview");
  const stopping = new AbortController();
  // The hub serves requests meanwhile.
  const seeding = preview ? seed(preview, stopping.signal) : Promise.resolve();
  const seeded = seeding.catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error({ err: error }, "the preview was not seeded");
  });
  stops.push(async () => {
    stopping.abort();
    await seeded;
  });
  return { surfaces, healthUrl, firstAdmin };
}

type Running = { stop(): Promise<void> };

/** Starts work that calls other systems; on a restored database, when outbound work is resumed. */
function startOutbound(world: World, start: () => Running[]): Running {
  let started: Running[] = [];
  const cancel = whenOutboundRuns(world, () => void (started = start()));
  return {
    async stop() {
      cancel();
      await Promise.all(started.map((one) => one.stop()));
    },
  };
}

const purgingOfKeys = {
  name: "idempotency keys",
  intervalMs: 600_000,
  run: (owner: World) => removeOldIdempotencyKeys(owner),
};

async function openOneWorld(
  environment: Environment,
  connection: Connection,
  config: Config,
  { group, secrets, log, status, stopping, onNewerSchema }: SurfaceParts & { status: StartStatus },
): Promise<OpenWorld> {
  return await openWorld({
    environment,
    connection,
    secrets,
    log,
    report: status.reporter(environment, log.child({ environment })),
    stopping,
    onNewerSchema: (migration) => onNewerSchema(environment, migration),
    maxConnections: config.maxConnections,
    ...(group.number === 1 ? { maxBackground: backgroundConnections(config) } : { mayMigrate: false }),
    rowSecurity: config.rowSecurity,
    settings: {
      maxSignInFailures: config.maxSignInFailures,
      maxSelectionOrders: config.maxSelectionOrders,
      maxStreams: config.maxStreams,
      retentionDays: onlyGiven(config.retentionDays),
      ...(config.eventRetentionDays === undefined ? {} : { eventRetentionDays: config.eventRetentionDays }),
      outbound: {
        ...config.outbound,
        ...(config.mailServer === undefined ? {} : { mailServer: config.mailServer }),
        // Apart: the preview must not take the files that live is waiting for.
        ...(config.filesDir === undefined ? {} : { filesRoot: path.join(config.filesDir, environment) }),
      },
      ...(config.previewPort === undefined ? {} : { ports: { live: config.port, preview: config.previewPort } }),
      ...(config.oidc ? { oidc: config.oidc } : {}),
      // The preview has a port of its own, which these origins need not lead to.
      ...(environment === "live" ? { publicUrls: config.publicUrls } : {}),
    },
  });
}

function onlyGiven(days: Config["retentionDays"]): Settings["retentionDays"] {
  return Object.fromEntries(Object.entries(days).filter(([, given]) => given !== undefined));
}

async function seed(world: World, signal: AbortSignal): Promise<void> {
  const operator = await findOperatorOrganization(world);
  if (operator) await seedPreview(systemContext(world, operator.id, "demo data"), signal);
}

/** Both surfaces get the same administrator and password. Returns the surfaces that had none. */
async function bootstrapAll(worlds: World[], admin: Config["admin"]): Promise<World[]> {
  const made = await Promise.all(worlds.map((world) => bootstrap(world, admin)));
  return worlds.filter((_, index) => made[index]);
}

type SurfaceListeners = { main?: PortListener; gateway?: PortListener };
type Ports = ReadonlyMap<Environment, SurfaceListeners>;
const noPorts: Ports = new Map();

/** Listens on the ports before the databases are migrated. */
async function listenEarly(
  config: Config,
  environments: Environment[],
  status: StartStatus,
  stops: (() => Promise<void>)[],
): Promise<Ports> {
  const { host, roles } = config;
  const ports = new Map<Environment, SurfaceListeners>();
  for (const environment of environments) {
    const { port, gatewayPort } = portsOf(environment, config);
    const listen = async (wanted: number, name: "PORT" | "GATEWAY_PORT"): Promise<PortListener> => {
      const startChecks = () => status.checks(environment);
      const setting = portSetting(environment, name);
      const listener = createPortListener({ host, port: wanted, setting, startChecks });
      await listener.listen();
      stops.push(() => listener.abandon());
      return listener;
    };
    const listeners: SurfaceListeners = {};
    if (roles.has("api") || roles.has("gateway")) listeners.main = await listen(port, "PORT");
    if (roles.has("gateway") && gatewayPort !== undefined)
      listeners.gateway = await listen(gatewayPort, "GATEWAY_PORT");
    ports.set(environment, listeners);
  }
  return ports;
}

function portsOf(environment: Environment, config: Config) {
  return environment === "live"
    ? { port: config.port, gatewayPort: config.gatewayPort }
    : { port: config.previewPort ?? 0, gatewayPort: config.previewGatewayPort };
}

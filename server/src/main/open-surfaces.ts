import path from "node:path";
import type { Logger } from "pino";
import type { Environment, Settings, World } from "../context.ts";
import { systemContext } from "../context.ts";
import type { Secrets } from "../core/secrets.ts";
import { yieldPoolThreads } from "../core/yield-processors.ts";
import type { Connection } from "../db/server-client.ts";
import { findOperatorOrganization } from "../features/organizations/organizations.ts";
import { isOutboundPaused, whenOutboundRuns } from "../features/outbound-pause/outbound-pause.ts";
import { seedPreview } from "../features/preview/preview.ts";
import { freeAllExecutions, startTaskEngine } from "../features/tasks/tasks.ts";
import { startDeliveries } from "../features/webhooks/webhooks.ts";
import { freeAllIdempotencyKeys, removeOldIdempotencyKeys } from "../http/idempotency.ts";
import { startScheduler } from "../scheduler/scheduler.ts";
import { chores, freeLeasedWork, startLocalWork, startOutboundWork } from "../worker/chores.ts";
import { startWorker } from "../worker/worker.ts";
import type { FirstAdmin } from "./bootstrap.ts";
import { bootstrap, newPassword } from "./bootstrap.ts";
import type { Config } from "./config.ts";
import { findConsole } from "./console-build.ts";
import type { Databases } from "./databases.ts";
import type { HeavyTask } from "./heavy-process.ts";
import type { HeldPort } from "./held-port.ts";
import { holdPort } from "./held-port.ts";
import { releaseMemoryWhenQuiet } from "./release-memory.ts";
import type { StartStatus } from "./start-status.ts";
import { createStartStatus } from "./start-status.ts";
import type { Surface } from "./surface.ts";
import { openSurface } from "./surface.ts";
import { startHealthListener } from "./health-listener.ts";
import type { OpenWorld } from "./world.ts";
import { openWorld } from "./world.ts";

export type OpenSurfaces = {
  surfaces: Surface[];
  /** Where health and metrics of the process are told, if they have a port of their own. */
  healthUrl: string | undefined;
  /** Present when a surface is started for the first time: its administrator, and on which surfaces. */
  firstAdmin: (FirstAdmin & { environments: Environment[] }) | undefined;
};

type SurfaceParts = {
  databases: Databases;
  secrets: Secrets;
  secretKeys: HeavyTask["secretKeys"];
  log: Logger;
  /** Gets what undoes each step, in the order of the steps. */
  stops: (() => Promise<void>)[];
  /** Aborted when the hub is asked to stop, be it in the middle of its start. */
  stopping: AbortSignal;
  /** A newer hub has migrated this database: all that is left is to stop. */
  onNewerSchema(environment: Environment, migration: string): void;
};

/** Everything beyond the databases: with it come the routes, the features and the HTTP server. */
export async function openSurfaces(config: Config, parts: SurfaceParts): Promise<OpenSurfaces> {
  const { databases, log, stops } = parts;
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
  const held = await holdPorts(config, databases.environments, status, stops);
  const workers: { stop(): Promise<void> }[] = [];
  // Side by side: each takes its time to answer what it accepted, and to end or give back what it was doing.
  stops.push(async () => void (await Promise.all([...surfaces, ...workers].map((one) => one.stop()))));
  const root = path.join(import.meta.dirname, "../../..");
  const site = config.hasConsole && config.roles.has("api") ? findConsole({ root, log }) : undefined;
  if (site) stops.push(() => site.stop());
  const { admin } = config;
  const isNew: World[] = [];
  // One after the other: live answers while the database of the preview is still being made.
  for (const environment of databases.environments) {
    const connection = await databases.reach(environment);
    const { world, close } = await openOneWorld(environment, connection, config, { ...parts, status });
    closes.push(close);
    worlds.push(world);
    if (databases.isExclusive) {
      // Whatever is still held was held by a hub that was killed; nobody should wait for its leases to run out.
      await Promise.all([freeAllExecutions(world), freeAllIdempotencyKeys(world), freeLeasedWork(world)]);
    }
    // Before it answers: whoever finds it ready signs in at once.
    if (admin.password !== undefined && (await bootstrap(world, admin))) isNew.push(world);
    const { settings } = world;
    const { secretKeys } = parts;
    const { logLevel, logFormat } = config;
    const heavy = { environment, connection, secretKeys, settings, logLevel, logFormat };
    const start = async () => (await import("./heavy-process.ts")).startHeavyProcess(heavy);
    const ports = portsOf(environment, config);
    const also = { held: held.get(environment) ?? {}, console: site, startHeavyProcess: start };
    surfaces.push(await openSurface(world, { config, ...ports, ...also }));
    const background = { ...world, db: world.db.background };
    if (config.roles.has("worker")) {
      workers.push(startWorker(background, [...chores, tidying]), ...startLocalWork(background));
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
  await yieldPoolThreads();
  site?.start();
  const { email, password = newPassword() } = admin;
  const isGenerated = admin.password === undefined;
  // Last: a start that fails after it would have made a password that nobody gets to see.
  if (isGenerated) isNew.push(...(await bootstrapAll(worlds, { email, password })));
  const environments = isNew.map(({ environment }) => environment);
  const firstAdmin = isNew.length === 0 ? undefined : { email, password, isGenerated, environments };
  const preview = worlds.find(({ environment }) => environment === "preview");
  const stopping = new AbortController();
  // Nobody has to wait for it: the hub answers meanwhile.
  const seeding = preview ? seed(preview, stopping.signal) : Promise.resolve();
  const settled = seeding.then(
    () => releaseMemoryWhenQuiet(stopping.signal),
    (error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, "the preview was not seeded");
    },
  );
  stops.push(async () => {
    stopping.abort();
    await settled;
  });
  return { surfaces, healthUrl, firstAdmin };
}

type Running = { stop(): Promise<void> };

/** What calls other systems. On a restored database it begins when outbound work is resumed. */
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

/** Of connections: some work needs two at the same time. */
const fewestInBackground = 4;

const tidying = {
  name: "idempotency keys",
  intervalMs: 600_000,
  run: (owner: World) => removeOldIdempotencyKeys(owner),
};

async function openOneWorld(
  environment: Environment,
  connection: Connection,
  config: Config,
  { secrets, log, status, stopping, onNewerSchema }: SurfaceParts & { status: StartStatus },
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
    maxBackground: Math.max(fewestInBackground, Math.ceil(config.maxConnections / 2)),
    rowSecurity: config.rowSecurity,
    settings: {
      maxSignInFailures: config.maxSignInFailures,
      maxSelectionOrders: config.maxSelectionOrders,
      maxStreams: config.maxStreams,
      retentionDays: onlyGiven(config.retentionDays),
      ...(config.eventRetentionDays === undefined ? {} : { eventRetentionDays: config.eventRetentionDays }),
      outbound: {
        ...config.outbound,
        // Apart: the preview must not take the files that live is waiting for.
        ...(config.filesDir === undefined ? {} : { filesRoot: path.join(config.filesDir, environment) }),
      },
      ...(config.oidc ? { oidc: config.oidc } : {}),
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

/** Both surfaces get the same administrator, so that one sign-in is all there is to remember. Returns those that had none. */
async function bootstrapAll(worlds: World[], admin: Config["admin"]): Promise<World[]> {
  const made = await Promise.all(worlds.map((world) => bootstrap(world, admin)));
  return worlds.filter((_, index) => made[index]);
}

type Held = Map<Environment, { main?: HeldPort; gateway?: HeldPort }>;

/** The ports that the surfaces will have, before their databases are migrated. */
async function holdPorts(
  config: Config,
  environments: Environment[],
  status: StartStatus,
  stops: (() => Promise<void>)[],
): Promise<Held> {
  const { host, roles } = config;
  const held: Held = new Map();
  for (const environment of environments) {
    const { port, gatewayPort } = portsOf(environment, config);
    const prefix = environment === "live" ? "HUB_" : "HUB_PREVIEW_";
    const hold = async (wanted: number, setting: string): Promise<HeldPort> => {
      const checks = () => status.checks(environment);
      const one = await holdPort({ host, port: wanted, setting: `${prefix}${setting}`, checks });
      stops.push(() => one.release());
      return one;
    };
    const ofSurface: { main?: HeldPort; gateway?: HeldPort } = {};
    if (roles.has("api") || roles.has("gateway")) ofSurface.main = await hold(port, "PORT");
    if (roles.has("gateway") && gatewayPort !== undefined) ofSurface.gateway = await hold(gatewayPort, "GATEWAY_PORT");
    held.set(environment, ofSurface);
  }
  return held;
}

function portsOf(environment: Environment, config: Config) {
  return environment === "live"
    ? { port: config.port, gatewayPort: config.gatewayPort }
    : { port: config.previewPort ?? 0, gatewayPort: config.previewGatewayPort };
}

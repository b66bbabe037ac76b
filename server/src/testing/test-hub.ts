import { Writable } from "node:stream";
import type { ClientConfig } from "pg";
import { pino } from "pino";
import { createClock } from "../core/clock.ts";
import type { Scope } from "../core/scopes.ts";
import { createSecrets } from "../core/secrets.ts";
import type { Environment, Settings, World } from "../context.ts";
import { startTaskEngine } from "../features/tasks/engine/task-engine.ts";
import type { Mount } from "../http/mount.ts";
import type { WorkerProcess } from "../http/worker-slots.ts";
import { bootstrap } from "../main/bootstrap.ts";
import type { SurfaceOptions } from "../main/surface.ts";
import { openSurface } from "../main/surface.ts";
import { openWorld } from "../main/world.ts";
import { afterFile } from "./after-file.ts";
import { checkEvents } from "./event-check.ts";
import type { OpenApiCheck } from "./openapi-check.ts";
import { openApiCheckOf } from "./openapi-check.ts";
import type { TestClient } from "./test-client.ts";
import { createClient } from "./test-client.ts";
import { cloneDatabase } from "./test-database.ts";

export type TestOrg = TestClient & {
  id: string;
  admin: { email: string; password: string };
  /** A client with an API key that has only these scopes. */
  withScopes(scopes: Scope[]): Promise<TestClient>;
  /** A client signed in as a new user with this role. */
  withRole(role: "viewer" | "operator" | "admin"): Promise<TestClient & { userId: string }>;
};

export type TestHub = {
  url: string;
  world: World;
  mounts: Mount[];
  connection: ClientConfig;
  /** Log lines of the hub. */
  logs: string[];
  anonymous: TestClient;
  /** Signed in as the first administrator of the hub's operator organization. */
  operator: TestClient;
  client(token: string | undefined): TestClient;
  /** A new organization and a client with an API key that has all scopes of its administrator. */
  org(): Promise<TestOrg>;
  /** Advances the hub's clock, including the clock of tokens. */
  advance(ms: number): void;
  /** A second hub on the same database. */
  secondNode(options?: Pick<TestHubOptions, "taskSlots" | "secretKeys">): Promise<TestHub>;
  stop(): Promise<void>;
};

type TestHubOptions = {
  environment?: Environment;
  settings?: Partial<Settings>;
  config?: Partial<SurfaceOptions["config"]>;
  /** Connections for background work; default: shared with requests. */
  maxBackground?: number;
  /** Concurrent tasks of this node; 0: none. */
  taskSlots?: number;
  /** `false`: organizations are separated by the queries alone. */
  rowSecurity?: boolean;
  console?: SurfaceOptions["console"];
  /** Runs costly requests; without it the hub itself, which shares the clock that tests move. */
  workerProcess?: WorkerProcess;
  /** Current key first. */
  secretKeys?: [string, ...string[]];
};

const password = "correct horse battery";
const maxConnections = 10;
export const secretKey = "test-secret-key-test-secret-key-0123456789";

/** A real hub on its own database, listening on loopback; stopped after the test file. */
export async function startTestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const database = await cloneDatabase();
  const hub = await openNode(database.connection, options, { ms: 0 });
  afterFile(async () => {
    await hub.stop();
    try {
      await checkEvents(database.connection);
    } finally {
      await database.drop();
    }
  });
  return hub;
}

async function openNode(connection: ClientConfig, options: TestHubOptions, offset: { ms: number }): Promise<TestHub> {
  const logs: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logs.push(chunk.toString());
      done();
    },
  });
  const { environment = "live", workerProcess } = options;
  const [current, ...previous] = options.secretKeys ?? [secretKey];
  const { world, close } = await openWorld({
    environment,
    connection,
    maxConnections: options.config?.maxConnections ?? maxConnections,
    ...(options.maxBackground === undefined ? {} : { maxBackground: options.maxBackground }),
    rowSecurity: options.rowSecurity ?? true,
    secrets: createSecrets(current, previous),
    log: pino({ level: "debug" }, sink),
    settings: {
      maxSignInFailures: 1_000,
      // The minimum. Default settings are tested with launched hubs.
      passwordCost: { memory: 8, passes: 1 },
      // Test doubles of shops listen on loopback.
      outbound: { allowPrivate: true, allowFromPreview: false },
      ...options.settings,
    },
    clock: createClock(() => new Date(Date.now() + offset.ms)),
  });
  await bootstrap(world, { email: "admin@hub.example", password });
  const surface = await openSurface(world, {
    port: 0,
    gatewayPort: undefined,
    console: options.console,
    ...(workerProcess ? { startWorkerProcess: () => Promise.resolve(workerProcess) } : {}),
    config: {
      host: "127.0.0.1",
      roles: new Set(["api", "gateway"]),
      rateLimit: undefined,
      maxInFlight: 512,
      maxConnections,
      // The hub shares its event loop with the tests and the machine with other files, so that a delay is not overload.
      maxEventLoopDelayMs: 60_000,
      shutdownDrainMs: 500,
      corsOrigins: [],
      trustedProxies: [],
      metricsAccess: "open",
      publicUrls: [],
      ...options.config,
    },
  });
  const slots = options.taskSlots ?? 8;
  const engine = slots === 0 ? undefined : startTaskEngine(world, { slots });
  const url = surface.urls[0]!;
  let check: Promise<OpenApiCheck> | undefined;
  const kind = [environment, ...surface.mounts.map(({ prefix }) => prefix)].join(" ");
  const loadCheck = (): Promise<OpenApiCheck> => (check ??= openApiCheckOf(kind, url));
  const client = (token: string | undefined): TestClient => createClient(url, token, loadCheck);
  const anonymous = client(undefined);
  const operator = client(await signIn(anonymous, "admin@hub.example"));
  const operatorSince = offset.ms;
  // Tests advance the clock past the expiry of its token.
  const signedIn = async (): Promise<TestClient> =>
    offset.ms === operatorSince ? operator : client(await signIn(anonymous, "admin@hub.example"));
  const nodes: TestHub[] = [];
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const node of nodes) await node.stop();
    await surface.stop();
    await engine?.stop();
    await close();
  };

  return {
    url,
    world,
    connection,
    logs,
    anonymous,
    client,
    mounts: surface.mounts,
    operator,
    org: async () => await createOrg({ anonymous, client, operator: await signedIn() }),
    advance(ms) {
      offset.ms += ms;
    },
    async secondNode(more) {
      const node = await openNode(connection, { ...options, ...more }, offset);
      nodes.push(node);
      return node;
    },
    stop: () => (stopped ??= stop()),
  };
}

type Clients = { anonymous: TestClient; client(token: string): TestClient; operator: TestClient };

async function signIn(anonymous: TestClient, email: string): Promise<string> {
  const { status, text, body } = await anonymous.post("/auth/token", { email, password });
  // Without a token, every later response would be 401.
  if (status !== 200) throw new Error(`the sign-in returned ${status}: ${text}`);
  return (body as { accessToken: string }).accessToken;
}

let count = 0;

async function createOrg(hub: Clients): Promise<TestOrg> {
  const email = `admin${++count}-${crypto.randomUUID()}@org.example`;
  const created = await hub.operator.post("/organizations", { name: `Org ${count}`, admin: { email, password } });
  const admin = hub.client(await signIn(hub.anonymous, email));
  // An API key instead of an access token, since tests advance the clock past the expiry of tokens.
  const { scopes: all } = (await admin.get("/me")).body;
  const everything = hub.client((await admin.post("/api-keys", { name: "everything", scopes: all })).body.key);
  return {
    ...everything,
    id: created.body.id,
    admin: { email, password },
    async withScopes(scopes) {
      const { body } = await everything.post("/api-keys", { name: "some scopes", scopes });
      return hub.client(body.key);
    },
    async withRole(role) {
      const userEmail = `${role}-${crypto.randomUUID()}@org.example`;
      const { body } = await everything.post("/users", { email: userEmail, role, password });
      return { ...hub.client(await signIn(hub.anonymous, userEmail)), userId: body.id };
    },
  };
}

import type { RetainedKind, Settings } from "../context.ts";
import type { MetricsAccess } from "../http/pages.ts";
import type { MailServer } from "../core/mail-server.ts";
import { parseMailUrl } from "../core/mail-server.ts";
import { passwordProblem } from "../core/password-rules.ts";
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { Env, SettingReader } from "./setting-reader.ts";
import { createSettingReader } from "./setting-reader.ts";

const logFormats = ["auto", "json", "pretty"] as const;

type Role = "api" | "gateway" | "worker" | "scheduler";
const allRoles: readonly Role[] = ["api", "gateway", "worker", "scheduler"];

export type Config = {
  host: string;
  port: number;
  previewPort: number | undefined;
  gatewayPort: number | undefined;
  previewGatewayPort: number | undefined;
  healthPort: number | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  previewDatabaseUrl: string | undefined;
  roles: ReadonlySet<Role>;
  /** HTTP processes; 1 without a role that serves HTTP. */
  processes: number;
  secretKey: string | undefined;
  previousSecretKeys: string[];
  admin: { email: string; password: string | undefined };
  oidc: Settings["oidc"];
  logLevel: string;
  /** `auto`: readable lines on a terminal, JSON elsewhere. */
  logFormat: (typeof logFormats)[number];
  rateLimit: number | undefined;
  maxInFlight: number;
  maxEventLoopDelayMs: number;
  maxConnections: number;
  shutdownDrainMs: number;
  /** Restarts a hub that dies. */
  autoRestart: boolean;
  /** Undefined: forever. */
  retentionDays: Record<RetainedKind, number | undefined>;
  /** Undefined: forever. */
  eventRetentionDays: number | undefined;
  maxSelectionOrders: number;
  maxStreams: number;
  maxSignInFailures: number;
  outbound: { allowPrivate: boolean; allowFromPreview: boolean };
  mailServer: MailServer | undefined;
  filesDir: string | undefined;
  taskConcurrency: number;
  webhookConcurrency: number;
  corsOrigins: string[];
  trustedProxies: string[];
  metricsAccess: MetricsAccess;
  /** Origins under which clients reach the hub; empty: any host name is accepted. */
  publicUrls: string[];
  /** Serves the console. */
  hasConsole: boolean;
  /** PostgreSQL's row-level security confines each request to the rows of its organization. */
  rowSecurity: boolean;
  /** Names of packages and paths of folders. */
  plugins: string[];
};

export class ConfigError extends Error {}

/** The environment of a child process: these defaults, overridden by our own environment. */
export function environmentWith(settings: Record<string, string>): Env {
  return { ...settings, ...process.env };
}

/** Variables of the command for remote hubs (docs/cli.md), which may be set in the same shell. */
const clientVariables = ["HUB_URL", "HUB_API_KEY", "HUB_PROFILE"];

/** The only reader of the environment. Reports all mistakes at once. */
export function readConfig(env: Env = process.env): Config {
  const reader = createSettingReader(env);
  const config = readSettings(reader);
  refuseSharedPorts(config, reader);
  reader.refuseUnknown("HUB_", clientVariables);
  const problems = reader.problems();
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

/** The names of all settings, for the check that each of them is documented. */
export function settingNames(): string[] {
  const reader = createSettingReader({});
  readSettings(reader);
  return reader.names();
}

const denyOrAllow = ["deny", "allow"] as const;

function readSettings(reader: SettingReader): Config {
  const { text, integer, port, oneOf, list } = reader;
  return {
    host: text("HUB_HOST") ?? "127.0.0.1",
    port: integer("HUB_PORT", 8080, 0, 65_535),
    previewPort: port("HUB_PREVIEW_PORT", 8081),
    gatewayPort: port("HUB_GATEWAY_PORT", undefined),
    previewGatewayPort: port("HUB_PREVIEW_GATEWAY_PORT", undefined),
    healthPort: port("HUB_HEALTH_PORT", undefined),
    dataDir: path.resolve(text("HUB_DATA_DIR") ?? "data"),
    ...readDatabaseUrls(reader),
    ...readRoles(reader),
    ...readSecretKeys(reader),
    admin: readAdmin(reader),
    oidc: readOidc(reader),
    logLevel: oneOf("HUB_LOG_LEVEL", ["debug", "info", "warn", "error", "silent"], "info"),
    logFormat: oneOf("HUB_LOG_FORMAT", logFormats, "auto"),
    rateLimit:
      text("HUB_RATE_LIMIT_PER_SECOND")?.toLowerCase() === "off"
        ? undefined
        : integer("HUB_RATE_LIMIT_PER_SECOND", 600, 1, 1_000_000),
    maxInFlight: integer("HUB_MAX_IN_FLIGHT_REQUESTS", 512, 1, 100_000),
    maxEventLoopDelayMs: integer("HUB_MAX_EVENT_LOOP_DELAY_MS", 500, 10, 60_000),
    maxConnections: integer("HUB_DATABASE_POOL_SIZE", 20, 2, 500),
    autoRestart: oneOf("HUB_AUTO_RESTART", ["on", "off"], "on") === "on",
    shutdownDrainMs: integer("HUB_SHUTDOWN_DRAIN_MS", 500, 0, 300_000),
    retentionDays: {
      runs: readDays(reader, "HUB_RUN_RETENTION_DAYS", 365),
      executions: readDays(reader, "HUB_EXECUTION_RETENTION_DAYS", 90),
      exceptions: readDays(reader, "HUB_EXCEPTION_RETENTION_DAYS", 180),
      comparisons: readDays(reader, "HUB_RATE_COMPARISON_RETENTION_DAYS", 365),
      pickups: readDays(reader, "HUB_PICKUP_RETENTION_DAYS", 730),
      labelFiles: readDays(reader, "HUB_LABEL_FILE_RETENTION_DAYS", 180),
      deliveries: readDays(reader, "HUB_DELIVERY_RETENTION_DAYS", 30),
      deliveryResponses: readDays(reader, "HUB_DELIVERY_RESPONSE_RETENTION_DAYS", 7),
      invocations: readDays(reader, "HUB_INVOCATION_RETENTION_DAYS", 90),
      requests: readDays(reader, "HUB_REQUEST_LOG_RETENTION_DAYS", 7),
    },
    // At least a month: consumers are promised that they can catch up after that long.
    eventRetentionDays: readDays(reader, "HUB_EVENT_RETENTION_DAYS", 90, 30),
    maxSelectionOrders: integer("HUB_MAX_SELECTION_ORDERS", 100_000, 1, 1_000_000),
    maxStreams: integer("HUB_MAX_STREAMS", 1_000, 1, 100_000),
    maxSignInFailures: integer("HUB_MAX_SIGN_IN_FAILURES", 10, 1, 1_000_000),
    outbound: {
      allowPrivate: oneOf("HUB_PRIVATE_ADDRESSES", denyOrAllow, "deny") === "allow",
      allowFromPreview: oneOf("HUB_PREVIEW_OUTBOUND", denyOrAllow, "deny") === "allow",
    },
    mailServer: readMailServer(reader),
    filesDir: text("HUB_FILES_DIR") === undefined ? undefined : path.resolve(text("HUB_FILES_DIR")!),
    taskConcurrency: integer("HUB_TASK_CONCURRENCY", 64, 1, 1_000),
    webhookConcurrency: integer("HUB_WEBHOOK_CONCURRENCY", 64, 1, 1_000),
    corsOrigins: list("HUB_CORS_ORIGINS", isOrigin, "takes origins such as https://ops.example.com, without a path"),
    trustedProxies: list("HUB_TRUSTED_PROXIES", isAddressOrRange, "takes addresses and CIDR ranges such as 10.0.0.0/8"),
    metricsAccess: readMetricsAccess(reader),
    publicUrls: list("HUB_PUBLIC_URLS", isWebOrigin, "takes origins such as https://hub.example.com, without a path"),
    hasConsole: oneOf("HUB_CONSOLE", ["on", "off"], "on") === "on",
    rowSecurity: oneOf("HUB_ROW_SECURITY", ["on", "off"], "on") === "on",
    plugins: list("HUB_PLUGINS"),
  };
}

function readDays({ text, integer }: SettingReader, name: string, fallback: number, least = 1): number | undefined {
  return text(name)?.toLowerCase() === "forever" ? undefined : integer(name, fallback, least, 36_500);
}

/** Checked here because the first listener would already serve requests when the second one fails to bind. */
function refuseSharedPorts(config: Config, { problem }: SettingReader): void {
  const ports: [string, number | undefined][] = [
    ["HUB_PORT", config.port],
    ["HUB_PREVIEW_PORT", config.previewPort],
    ["HUB_GATEWAY_PORT", config.gatewayPort],
    ["HUB_PREVIEW_GATEWAY_PORT", config.previewGatewayPort],
    ["HUB_HEALTH_PORT", config.healthPort],
  ];
  for (const [index, [name, port]] of ports.entries()) {
    const [twin] = ports.slice(0, index).find(([, other]) => other === port) ?? [];
    if (port !== undefined && port !== 0 && twin !== undefined) problem(`${name} and ${twin} are both ${port}.`);
  }
}

function readDatabaseUrls({ text, problem }: SettingReader): Pick<Config, "databaseUrl" | "previewDatabaseUrl"> {
  const read = (name: string): string | undefined => {
    const value = text(name);
    if (value !== undefined && !/^postgres(ql)?:\/\//.test(value)) {
      problem(`${name} must start with postgres:// or postgresql://.`);
    }
    const wanted = /[?&]target_session_attrs=([^&]*)/.exec(value ?? "")?.[1];
    if (wanted !== undefined && wanted !== "read-write" && wanted !== "primary") {
      problem(`${name} must use target_session_attrs=read-write, because the hub writes.`);
    }
    return value;
  };
  const [databaseUrl, previewDatabaseUrl] = [read("DATABASE_URL"), read("PREVIEW_DATABASE_URL")];
  if (previewDatabaseUrl !== undefined && databaseUrl === undefined) {
    problem("PREVIEW_DATABASE_URL needs DATABASE_URL.");
  }
  return { databaseUrl, previewDatabaseUrl };
}

function readRoles({ list, integer }: SettingReader): Pick<Config, "roles" | "processes"> {
  const isRole = (entry: string): boolean => (allRoles as readonly string[]).includes(entry);
  const given = list("HUB_ROLES", isRole, `may name ${allRoles.join(", ")}`) as Role[];
  const roles = new Set(given.length === 0 ? allRoles : given);
  // A laptop stays small; on a server, a second process keeps responses short while the first one is busy.
  const processes = integer("HUB_PROCESSES", availableParallelism() >= 4 ? 2 : 1, 1, 64);
  return { roles, processes: roles.has("api") || roles.has("gateway") ? processes : 1 };
}

/** The limits of a hub, divided among its processes. Clients are spread over them by connection. */
export function shareOfProcess(config: Config): Config {
  const { processes } = config;
  const shareOf = (whole: number, least: number): number => Math.max(least, Math.ceil(whole / processes));
  return {
    ...config,
    maxConnections: Math.min(config.maxConnections, shareOf(config.maxConnections, fewestConnections)),
    maxInFlight: shareOf(config.maxInFlight, 1),
    maxStreams: shareOf(config.maxStreams, 1),
    maxSignInFailures: shareOf(config.maxSignInFailures, 1),
  };
}

/** Per process and database: below this, requests of one organization would leave no room for another. */
const fewestConnections = 5;

function readSecretKeys({ text, list, problem }: SettingReader): Pick<Config, "secretKey" | "previousSecretKeys"> {
  const secretKey = text("HUB_SECRET_KEY");
  const previousSecretKeys = list("HUB_PREVIOUS_SECRET_KEYS");
  // The message must not contain their values: they are secrets.
  if ([secretKey, ...previousSecretKeys].some((key) => key !== undefined && key.length < 32)) {
    problem("HUB_SECRET_KEY and HUB_PREVIOUS_SECRET_KEYS need at least 32 characters each.");
  }
  return { secretKey, previousSecretKeys };
}

function readAdmin({ text, problem }: SettingReader): Config["admin"] {
  const password = text("HUB_ADMIN_PASSWORD");
  if (password !== undefined && (password.length < 10 || password.length > 256)) {
    problem("HUB_ADMIN_PASSWORD needs 10 to 256 characters.");
  }
  const email = text("HUB_ADMIN_EMAIL") ?? "admin@hub.local";
  const weakness = password === undefined ? undefined : passwordProblem(password, { email }, "");
  if (weakness) problem(`HUB_ADMIN_PASSWORD is too easy to guess. ${weakness.message}`);
  if (!/^\S+@\S+$/.test(email)) problem(`HUB_ADMIN_EMAIL must be an email address, not "${email}".`);
  return { email, password };
}

function readOidc({ text, problem }: SettingReader): Config["oidc"] {
  const issuer = text("HUB_OIDC_ISSUER");
  const audience = text("HUB_OIDC_AUDIENCE");
  if (issuer !== undefined && !isTrustworthyUrl(issuer)) {
    problem(
      "HUB_OIDC_ISSUER must be an https URL; http is for an issuer on this machine (localhost, 127.0.0.1, [::1]).",
    );
  }
  const [id, secret] = [text("HUB_OIDC_CLIENT_ID"), text("HUB_OIDC_CLIENT_SECRET")];
  if ((issuer === undefined) !== (audience === undefined && id === undefined)) {
    problem("HUB_OIDC_ISSUER is needed together with HUB_OIDC_AUDIENCE, HUB_OIDC_CLIENT_ID or both.");
  }
  if (secret !== undefined && id === undefined) problem("HUB_OIDC_CLIENT_SECRET needs HUB_OIDC_CLIENT_ID.");
  return issuer === undefined ? undefined : { issuer, audience, client: id === undefined ? undefined : { id, secret } };
}

/** The message must not contain the URL, which may hold a password. */
function readMailServer({ text, problem }: SettingReader): MailServer | undefined {
  const [url, from] = [text("HUB_SMTP_URL"), text("HUB_SMTP_FROM")];
  if ((url === undefined) !== (from === undefined)) problem("HUB_SMTP_URL and HUB_SMTP_FROM are needed together.");
  if (from !== undefined && !/^[^\s@<>,"]+@[^\s@<>,"]+$/.test(from))
    problem(`HUB_SMTP_FROM must be an email address, not "${from}".`);
  const server = url === undefined ? undefined : parseMailUrl(url);
  if (typeof server === "string") problem(`HUB_SMTP_URL ${server}.`);
  return typeof server === "object" && from !== undefined ? { ...server, from } : undefined;
}

/** Over plain http an attacker on the network could forge the issuer's keys and sign in as any user. */
function isTrustworthyUrl(text: string): boolean {
  const url = URL.parse(text);
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url?.hostname ?? "");
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
}

/** Metrics that other machines can reach are closed by default: they reveal traffic and volumes. */
function readMetricsAccess({ text }: SettingReader): MetricsAccess {
  const token = text("HUB_METRICS_TOKEN");
  if (token?.toLowerCase() === "off") return "open";
  if (token !== undefined) return { token };
  return isLoopback(text("HUB_HOST") ?? "127.0.0.1") ? "open" : "closed";
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
}

function isWebOrigin(text: string): boolean {
  return isOrigin(text) && /^https?:/.test(text);
}

/** In the form in which browsers send it: anything else would never match. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function isAddressOrRange(text: string): boolean {
  const [address = "", prefix = "0", ...more] = text.split("/");
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest && more.length === 0;
}

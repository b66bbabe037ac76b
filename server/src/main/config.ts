import type { Kept, Settings } from "../context.ts";
import type { MetricsAccess } from "../http/pages.ts";
import { passwordProblem } from "../core/password-rules.ts";
import { isIP } from "node:net";
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
  secretKey: string | undefined;
  previousSecretKeys: string[];
  admin: { email: string; password: string | undefined };
  oidc: Settings["oidc"];
  logLevel: string;
  /** `auto`: for people on a terminal, JSON elsewhere. */
  logFormat: (typeof logFormats)[number];
  rateLimit: number | undefined;
  maxInFlight: number;
  maxLoopDelayMs: number;
  maxConnections: number;
  lameDuckMs: number;
  /** A hub that dies is started again. */
  mayRestart: boolean;
  /** Undefined: for ever. */
  keepDays: Record<Kept, number | undefined>;
  /** Undefined: for ever. */
  feedDays: number | undefined;
  maxSelectedOrders: number;
  maxStreams: number;
  maxSignInFailures: number;
  outbound: { allowPrivate: boolean; allowFromPreview: boolean };
  filesDir: string | undefined;
  taskSlots: number;
  webhookSlots: number;
  corsOrigins: string[];
  trustedProxies: string[];
  metricsAccess: MetricsAccess;
  /** Origins that the hub is called by; none: by any name. */
  publicUrls: string[];
  /** Whether the console is served. */
  hasConsole: boolean;
  /** Requests see the rows of their organization only, by the rules of the database as well. */
  rowSecurity: boolean;
};

export class ConfigError extends Error {}

/** For a process that is the hub as well: these, unless somebody has said otherwise. */
export function environmentWith(settings: Record<string, string>): Env {
  return { ...settings, ...process.env };
}

/** The only reader of the environment. All mistakes are reported at once. */
export function readConfig(env: Env = process.env): Config {
  const reader = createSettingReader(env);
  const config = readSettings(reader);
  refuseSharedPorts(config, reader);
  reader.refuseUnknown("HUB_");
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

const refuseOrAllow = ["refuse", "allow"] as const;

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
    roles: readRoles(reader),
    ...readSecretKeys(reader),
    admin: readAdmin(reader),
    oidc: readOidc(reader),
    logLevel: oneOf("HUB_LOG_LEVEL", ["debug", "info", "warn", "error", "silent"], "info"),
    logFormat: oneOf("HUB_LOG_FORMAT", logFormats, "auto"),
    rateLimit:
      text("HUB_RATE_LIMIT")?.toLowerCase() === "off" ? undefined : integer("HUB_RATE_LIMIT", 600, 1, 1_000_000),
    maxInFlight: integer("HUB_MAX_IN_FLIGHT", 512, 1, 100_000),
    maxLoopDelayMs: integer("HUB_MAX_LOOP_DELAY_MS", 500, 10, 60_000),
    maxConnections: integer("HUB_DATABASE_CONNECTIONS", 20, 2, 500),
    mayRestart: oneOf("HUB_RESTART", ["on", "off"], "on") === "on",
    lameDuckMs: integer("HUB_LAME_DUCK_MS", 500, 0, 300_000),
    keepDays: {
      runs: readDays(reader, "HUB_KEEP_RUNS_DAYS", 365),
      executions: readDays(reader, "HUB_KEEP_EXECUTIONS_DAYS", 90),
      exceptions: readDays(reader, "HUB_KEEP_EXCEPTIONS_DAYS", 180),
      comparisons: readDays(reader, "HUB_KEEP_COMPARISONS_DAYS", 365),
      pickups: readDays(reader, "HUB_KEEP_PICKUPS_DAYS", 730),
      labelFiles: readDays(reader, "HUB_KEEP_LABEL_FILES_DAYS", 180),
      deliveries: readDays(reader, "HUB_KEEP_DELIVERIES_DAYS", 30),
      deliveryAnswers: readDays(reader, "HUB_KEEP_DELIVERY_ANSWERS_DAYS", 7),
      firings: readDays(reader, "HUB_KEEP_FIRINGS_DAYS", 90),
      requests: readDays(reader, "HUB_KEEP_REQUESTS_DAYS", 7),
    },
    // Whoever was away for a month is promised to find what happened meanwhile.
    feedDays: readDays(reader, "HUB_FEED_DAYS", 90, 30),
    maxSelectedOrders: integer("HUB_MAX_SELECTED_ORDERS", 100_000, 1, 1_000_000),
    maxStreams: integer("HUB_MAX_STREAMS", 1_000, 1, 100_000),
    maxSignInFailures: integer("HUB_MAX_SIGN_IN_FAILURES", 10, 1, 1_000_000),
    outbound: {
      allowPrivate: oneOf("HUB_PRIVATE_ADDRESSES", refuseOrAllow, "refuse") === "allow",
      allowFromPreview: oneOf("HUB_PREVIEW_OUTBOUND", refuseOrAllow, "refuse") === "allow",
    },
    filesDir: text("HUB_FILES_DIR") === undefined ? undefined : path.resolve(text("HUB_FILES_DIR")!),
    taskSlots: integer("HUB_TASK_SLOTS", 64, 1, 1_000),
    webhookSlots: integer("HUB_WEBHOOK_SLOTS", 64, 1, 1_000),
    corsOrigins: list("HUB_CORS_ORIGINS", isOrigin, "takes origins such as https://ops.example.com, without a path"),
    trustedProxies: list("HUB_TRUSTED_PROXIES", isAddressOrRange, "takes addresses and CIDR ranges such as 10.0.0.0/8"),
    metricsAccess: readMetricsAccess(reader),
    publicUrls: list("HUB_PUBLIC_URLS", isWebOrigin, "takes origins such as https://hub.example.com, without a path"),
    hasConsole: oneOf("HUB_CONSOLE", ["on", "off"], "on") === "on",
    rowSecurity: oneOf("HUB_ROW_SECURITY", ["on", "off"], "off") === "on",
  };
}

function readDays({ text, integer }: SettingReader, name: string, fallback: number, least = 1): number | undefined {
  return text(name)?.toLowerCase() === "off" ? undefined : integer(name, fallback, least, 36_500);
}

/** Found out when the second one listens, it would have begun to answer already. */
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
      problem(`${name} may ask for target_session_attrs=read-write only: the hub writes.`);
    }
    return value;
  };
  const [databaseUrl, previewDatabaseUrl] = [read("DATABASE_URL"), read("PREVIEW_DATABASE_URL")];
  if (previewDatabaseUrl !== undefined && databaseUrl === undefined) {
    problem("PREVIEW_DATABASE_URL needs DATABASE_URL.");
  }
  return { databaseUrl, previewDatabaseUrl };
}

function readRoles({ list }: SettingReader): ReadonlySet<Role> {
  const isRole = (entry: string): boolean => (allRoles as readonly string[]).includes(entry);
  const roles = list("HUB_ROLES", isRole, `may name ${allRoles.join(", ")}`) as Role[];
  return new Set(roles.length === 0 ? allRoles : roles);
}

function readSecretKeys({ text, list, problem }: SettingReader): Pick<Config, "secretKey" | "previousSecretKeys"> {
  const secretKey = text("HUB_SECRET_KEY");
  const previousSecretKeys = list("HUB_PREVIOUS_SECRET_KEYS");
  // No word about their values: they are secrets.
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
  if (weakness) problem(`HUB_ADMIN_PASSWORD would be guessed. ${weakness.message}`);
  if (!/^\S+@\S+$/.test(email)) problem(`HUB_ADMIN_EMAIL must be an e-mail address, not "${email}".`);
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

/** Whoever can change an answer of the issuer on its way can be anybody here. */
function isTrustworthyUrl(text: string): boolean {
  const url = URL.parse(text);
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url?.hostname ?? "");
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
}

/** What other machines can reach is no reading matter for all of them, unless that is said. */
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

/** As a browser sends it: anything else would never match. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function isAddressOrRange(text: string): boolean {
  const [address = "", prefix = "0", ...more] = text.split("/");
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest && more.length === 0;
}

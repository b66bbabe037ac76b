import path from "node:path";

export type Role = "api" | "gateway" | "worker" | "scheduler";
const allRoles: readonly Role[] = ["api", "gateway", "worker", "scheduler"];

export type Config = {
  host: string;
  port: number;
  previewPort: number | undefined;
  gatewayPort: number | undefined;
  previewGatewayPort: number | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  previewDatabaseUrl: string | undefined;
  roles: ReadonlySet<Role>;
  secretKey: string | undefined;
  previousSecretKeys: string[];
  admin: { email: string; password: string | undefined };
  oidc: { issuer: string; audience: string } | undefined;
  logLevel: string;
  rateLimit: number | undefined;
  maxInFlight: number;
  maxLoopDelayMs: number;
  maxConnections: number;
  maxSignInFailures: number;
  outbound: { allowPrivate: boolean; allowFromPreview: boolean };
  filesDir: string | undefined;
  taskSlots: number;
  corsOrigins: string[];
  trustedProxies: string[];
  metricsToken: string | undefined;
};

type Env = Record<string, string | undefined>;

export class ConfigError extends Error {}

const known = [
  "HUB_HOST",
  "HUB_PORT",
  "HUB_PREVIEW_PORT",
  "HUB_GATEWAY_PORT",
  "HUB_PREVIEW_GATEWAY_PORT",
  "HUB_DATA_DIR",
  "HUB_ROLES",
  "HUB_SECRET_KEY",
  "HUB_PREVIOUS_SECRET_KEYS",
  "HUB_ADMIN_EMAIL",
  "HUB_ADMIN_PASSWORD",
  "HUB_OIDC_ISSUER",
  "HUB_OIDC_AUDIENCE",
  "HUB_LOG_LEVEL",
  "HUB_RATE_LIMIT",
  "HUB_MAX_IN_FLIGHT",
  "HUB_MAX_LOOP_DELAY_MS",
  "HUB_DATABASE_CONNECTIONS",
  "HUB_MAX_SIGN_IN_FAILURES",
  "HUB_PRIVATE_ADDRESSES",
  "HUB_PREVIEW_OUTBOUND",
  "HUB_FILES_DIR",
  "HUB_TASK_SLOTS",
  "HUB_CORS_ORIGINS",
  "HUB_TRUSTED_PROXIES",
  "HUB_METRICS_TOKEN",
] as const;

const refuseOrAllow = ["refuse", "allow"] as const;

/** The only reader of the environment. All mistakes are reported at once. */
export function readConfig(env: Env = process.env): Config {
  const problems: string[] = [];

  function text(name: string): string | undefined {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  }
  function integer(name: string, fallback: number, min: number, max: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
    return fallback;
  }
  function port(name: string, fallback: number | undefined): number | undefined {
    if (text(name)?.toLowerCase() === "off") return undefined;
    return text(name) === undefined ? fallback : integer(name, fallback ?? 0, 0, 65_535);
  }
  function oneOf<Value extends string>(name: string, allowed: readonly Value[], fallback: Value): Value {
    const value = text(name) ?? fallback;
    if (allowed.includes(value as Value)) return value as Value;
    problems.push(`${name} must be one of ${allowed.join(", ")}, not "${value}".`);
    return fallback;
  }
  function list(name: string): string[] {
    return (text(name) ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  function databaseUrl(name: string): string | undefined {
    const value = text(name);
    if (value !== undefined && !/^postgres(ql)?:\/\//.test(value)) {
      problems.push(`${name} must start with postgres:// or postgresql://.`);
    }
    return value;
  }

  for (const name of Object.keys(env)) {
    if (name.startsWith("HUB_") && !(known as readonly string[]).includes(name)) {
      problems.push(
        `${name} is not a setting of the hub. Settings are ${known.join(", ")}, DATABASE_URL and PREVIEW_DATABASE_URL.`,
      );
    }
  }
  const roles = list("HUB_ROLES");
  const wrongRoles = roles.filter((role) => !(allRoles as string[]).includes(role));
  if (wrongRoles.length > 0) problems.push(`HUB_ROLES may name ${allRoles.join(", ")}, not ${wrongRoles.join(", ")}.`);
  const secretKeys = [text("HUB_SECRET_KEY"), ...list("HUB_PREVIOUS_SECRET_KEYS")];
  if (secretKeys.some((key) => key !== undefined && key.length < 32)) {
    problems.push("HUB_SECRET_KEY and HUB_PREVIOUS_SECRET_KEYS need at least 32 characters each.");
  }
  const password = text("HUB_ADMIN_PASSWORD");
  if (password !== undefined && (password.length < 10 || password.length > 256)) {
    problems.push("HUB_ADMIN_PASSWORD needs 10 to 256 characters.");
  }
  const email = text("HUB_ADMIN_EMAIL") ?? "admin@hub.local";
  if (!/^\S+@\S+$/.test(email)) problems.push(`HUB_ADMIN_EMAIL must be an e-mail address, not "${email}".`);
  const issuer = text("HUB_OIDC_ISSUER");
  const audience = text("HUB_OIDC_AUDIENCE");
  if (issuer !== undefined && !URL.canParse(issuer)) problems.push("HUB_OIDC_ISSUER must be a URL.");
  if ((issuer === undefined) !== (audience === undefined)) {
    problems.push("HUB_OIDC_ISSUER and HUB_OIDC_AUDIENCE are needed together.");
  }
  if (databaseUrl("PREVIEW_DATABASE_URL") !== undefined && databaseUrl("DATABASE_URL") === undefined) {
    problems.push("PREVIEW_DATABASE_URL needs DATABASE_URL.");
  }
  const rateLimitOff = text("HUB_RATE_LIMIT")?.toLowerCase() === "off";

  const config: Config = {
    host: text("HUB_HOST") ?? "127.0.0.1",
    port: integer("HUB_PORT", 8080, 0, 65_535),
    previewPort: port("HUB_PREVIEW_PORT", 8081),
    gatewayPort: port("HUB_GATEWAY_PORT", undefined),
    previewGatewayPort: port("HUB_PREVIEW_GATEWAY_PORT", undefined),
    dataDir: path.resolve(text("HUB_DATA_DIR") ?? "data"),
    databaseUrl: databaseUrl("DATABASE_URL"),
    previewDatabaseUrl: databaseUrl("PREVIEW_DATABASE_URL"),
    roles: new Set(roles.length === 0 ? allRoles : (roles as Role[])),
    secretKey: text("HUB_SECRET_KEY"),
    previousSecretKeys: list("HUB_PREVIOUS_SECRET_KEYS"),
    admin: { email, password },
    oidc: issuer !== undefined && audience !== undefined ? { issuer, audience } : undefined,
    logLevel: oneOf("HUB_LOG_LEVEL", ["debug", "info", "warn", "error", "silent"], "info"),
    rateLimit: rateLimitOff ? undefined : integer("HUB_RATE_LIMIT", 600, 1, 1_000_000),
    maxInFlight: integer("HUB_MAX_IN_FLIGHT", 512, 1, 100_000),
    maxLoopDelayMs: integer("HUB_MAX_LOOP_DELAY_MS", 500, 10, 60_000),
    maxConnections: integer("HUB_DATABASE_CONNECTIONS", 20, 2, 500),
    maxSignInFailures: integer("HUB_MAX_SIGN_IN_FAILURES", 10, 1, 1_000_000),
    outbound: {
      allowPrivate: oneOf("HUB_PRIVATE_ADDRESSES", refuseOrAllow, "refuse") === "allow",
      allowFromPreview: oneOf("HUB_PREVIEW_OUTBOUND", refuseOrAllow, "refuse") === "allow",
    },
    filesDir: text("HUB_FILES_DIR") === undefined ? undefined : path.resolve(text("HUB_FILES_DIR")!),
    taskSlots: integer("HUB_TASK_SLOTS", 32, 1, 1_000),
    corsOrigins: list("HUB_CORS_ORIGINS"),
    trustedProxies: list("HUB_TRUSTED_PROXIES"),
    metricsToken: text("HUB_METRICS_TOKEN"),
  };
  if (problems.length > 0) throw new ConfigError([...new Set(problems)].join("\n"));
  return config;
}

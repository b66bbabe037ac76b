import { expect, test } from "vitest";
import { ConfigError, readConfig, settingNames } from "./config.ts";

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split("\n");
  }
}

test("without any setting the hub runs with its defaults", () => {
  expect(readConfig({})).toMatchObject({ host: "127.0.0.1", port: 8080, previewPort: 8081, rateLimit: 600 });
});

test("all mistakes are reported at once, each with the name of its setting", () => {
  const problems = problemsOf({
    HUB_PORT: "eighty",
    HUB_ROLES: "api,wroker",
    HUB_LOG_LEVEL: "loud",
    HUB_SECRET_KEY: "short",
    HUB_OIDC_ISSUER: "https://id.example",
    DATABASE_URL: "mysql://db",
  });
  expect(problems).toEqual([
    'HUB_PORT must be a whole number from 0 to 65535, not "eighty".',
    "DATABASE_URL must start with postgres:// or postgresql://.",
    'HUB_ROLES may name api, gateway, worker, scheduler, not "wroker".',
    "HUB_SECRET_KEY and HUB_PREVIOUS_SECRET_KEYS need at least 32 characters each.",
    "HUB_OIDC_ISSUER is needed together with HUB_OIDC_AUDIENCE, HUB_OIDC_CLIENT_ID or both.",
    'HUB_LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud".',
  ]);
});

test("a misspelt name is rejected with a suggestion", () => {
  expect(problemsOf({ HUB_PROT: "80", HUB_QQQQQQQQQQQQQQQQQ: "1", OTHER: "x" })).toEqual([
    "HUB_PROT is not a setting of the hub; did you mean HUB_PORT?",
    "HUB_QQQQQQQQQQQQQQQQQ is not a setting of the hub; docs/operate.md lists them.",
  ]);
});

test("variables of the command for remote hubs are left alone", () => {
  expect(() =>
    readConfig({ HUB_URL: "http://127.0.0.1:8080", HUB_API_KEY: "ooh_live_x", HUB_PROFILE: "live" }),
  ).not.toThrow();
});

test("an origin that no browser sends is rejected, since no page would ever match it", () => {
  const good = "https://ops.example.com,http://localhost:3000";
  expect(readConfig({ HUB_CORS_ORIGINS: good }).corsOrigins).toEqual(good.split(","));
  for (const origin of ["ops.example.com", "*", "https://ops.example.com/", "https://ops.example.com/app", "null"]) {
    expect(problemsOf({ HUB_CORS_ORIGINS: origin })).toEqual([
      `HUB_CORS_ORIGINS takes origins such as https://ops.example.com, without a path, not "${origin}".`,
    ]);
  }
});

test("metrics are open on loopback only, unless a token or `off` is set", () => {
  const access = (env: Record<string, string>) => readConfig(env).metricsAccess;
  expect(access({})).toBe("open");
  for (const host of ["localhost", "127.0.0.1", "::1"]) expect(access({ HUB_HOST: host })).toBe("open");
  for (const host of ["0.0.0.0", "::", "192.0.2.7", "hub.example.com"])
    expect(access({ HUB_HOST: host })).toBe("closed");
  expect(access({ HUB_HOST: "0.0.0.0", HUB_METRICS_TOKEN: "off" })).toBe("open");
  expect(access({ HUB_METRICS_TOKEN: "let-me-in" })).toEqual({ token: "let-me-in" });
});

test("a public address is an origin that pages can have", () => {
  const good = ["https://hub.example.com", "http://hub.internal:8080"];
  expect(readConfig({ HUB_PUBLIC_URLS: good.join(",") }).publicUrls).toEqual(good);
  for (const url of ["hub.example.com", "https://hub.example.com/", "https://a@hub.example.com", "ftp://hub.example"]) {
    expect(problemsOf({ HUB_PUBLIC_URLS: url })).toHaveLength(1);
  }
});

test("a proxy is an address or a range of addresses", () => {
  const good = ["10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8"];
  expect(readConfig({ HUB_TRUSTED_PROXIES: good.join(", ") }).trustedProxies).toEqual(good);
  for (const proxy of ["nginx", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/8/8", "::1/129", "10.0.0.0/"]) {
    expect(problemsOf({ HUB_TRUSTED_PROXIES: proxy })).toHaveLength(1);
  }
});

test("every setting has one name, and those of the hub start with HUB_", () => {
  expect(settingNames().filter((name) => !name.startsWith("HUB_"))).toEqual(["DATABASE_URL", "PREVIEW_DATABASE_URL"]);
});

test("an issuer without TLS is rejected, except on loopback (security 18)", () => {
  const audience = { HUB_OIDC_AUDIENCE: "hub" };
  for (const issuer of [
    "https://id.example",
    "http://localhost:9000",
    "http://127.0.0.1:9000/x",
    "http://[::1]:9000",
  ]) {
    expect(readConfig({ ...audience, HUB_OIDC_ISSUER: issuer }).oidc?.issuer).toBe(issuer);
  }
  for (const issuer of ["http://id.example", "http://127.0.0.1.id.example", "ftp://localhost", "id.example"]) {
    expect(problemsOf({ ...audience, HUB_OIDC_ISSUER: issuer })[0]).toMatch(/^HUB_OIDC_ISSUER must be an https URL/);
  }
});

test("a guessable password of the administrator is rejected (security 15)", () => {
  expect(problemsOf({ HUB_ADMIN_PASSWORD: "password12" })[0]).toMatch(/^HUB_ADMIN_PASSWORD is too easy to guess/);
  expect(readConfig({ HUB_ADMIN_PASSWORD: "five-minute-tour" }).admin.password).toBe("five-minute-tour");
});

test("two surfaces on one port are rejected before anything listens; port 0 may be used twice (reliability R10)", () => {
  expect(problemsOf({ HUB_PORT: "9000", HUB_PREVIEW_PORT: "9000" })).toEqual([
    "HUB_PREVIEW_PORT and HUB_PORT are both 9000.",
  ]);
  expect(problemsOf({ HUB_GATEWAY_PORT: "8081" })).toEqual(["HUB_GATEWAY_PORT and HUB_PREVIEW_PORT are both 8081."]);
  expect(problemsOf({ HUB_PORT: "0", HUB_PREVIEW_PORT: "0" })).toEqual([]);
});

test("with several database hosts only read-write is accepted (reliability R6)", () => {
  const url = "postgres://hub@one,two/hub?target_session_attrs=";
  const env = { HUB_SECRET_KEY: "x".repeat(32) };
  expect(problemsOf({ ...env, DATABASE_URL: `${url}read-write` })).toEqual([]);
  expect(problemsOf({ ...env, DATABASE_URL: `${url}standby` })).toEqual([
    "DATABASE_URL must use target_session_attrs=read-write, because the hub writes.",
  ]);
});

test("the mail server needs a URL and a sender, and a mistake does not reveal its password", () => {
  const from = { HUB_SMTP_FROM: "hub@example.com" };
  const serverAt = (url: string) => readConfig({ ...from, HUB_SMTP_URL: url }).mailServer;
  const login = { username: "a@b", password: "p:/%" };
  expect(serverAt("smtps://a%40b:p%3A%2F%25@mail.example.com")).toEqual({
    host: "mail.example.com",
    port: 465,
    security: "tls",
    login,
    from: "hub@example.com",
  });
  expect(serverAt("smtp://mail.example.com")).toMatchObject({ port: 587, security: "starttls" });
  expect(serverAt("smtp://[::1]:2525?security=none")).toMatchObject({ host: "::1", port: 2525, security: "none" });
  expect(readConfig({}).mailServer).toBeUndefined();
  expect(problemsOf(from)).toEqual(["HUB_SMTP_URL and HUB_SMTP_FROM are needed together."]);
  const wrong = [
    "https://secret@x",
    "smtp://x/secret",
    "smtps://secret@x",
    "smtp://u:secret@x?security=none",
    "smtp://secret%zz:p@x",
  ];
  for (const url of [...wrong, "smtp://x?security=off", "smtp://x?tls=secret"]) {
    const [problem, ...more] = problemsOf({ ...from, HUB_SMTP_URL: url });
    expect(problem).toMatch(/^HUB_SMTP_URL /);
    expect([more, problem!.includes("secret")]).toEqual([[], false]);
  }
  expect(problemsOf({ HUB_SMTP_URL: "smtp://x", HUB_SMTP_FROM: "Hub <hub@x>" })).toHaveLength(1);
});

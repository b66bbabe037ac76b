import { mkdir, stat, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HubProcess } from "../testing/hub-process.ts";
import {
  clientOf,
  makeFolder,
  ordinaryUser,
  runHub,
  signIn,
  spawnHub,
  startHubProcess,
} from "../testing/hub-process.ts";
import { databaseOf, postmasterOf } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

let first: HubProcess;
let token: string;
let admin: { email: string; password: string };
beforeAll(async () => {
  first = await startHubProcess();
  admin = first.firstAdmin()!;
  token = (await signIn(first.url, admin)).token!;
});
afterAll(async () => {
  await first.stop();
});

describe("a first start", () => {
  test("hashes passwords at the recommended cost, also those of new users", async () => {
    const credentials = { email: "boss@tenant.example", password: "correct horse battery" };
    const operator = clientOf(first.url, token);
    expect((await operator.post("/organizations", { name: "Tenant", admin: credentials })).status).toBe(201);
    const boss = await signIn(first.url, credentials);
    const clerk = { email: "clerk@tenant.example", role: "viewer", password: "another horse battery" };
    expect((await boss.post("/users", clerk)).status).toBe(201);
    const db = new pg.Client(databaseOf(first.dataDir));
    await db.connect();
    const { rows } = await db.query<{ password_hash: string }>("select password_hash from users");
    await db.end();
    expect(rows).toHaveLength(3);
    for (const { password_hash } of rows) expect(password_hash).toMatch(/^argon2id\$19456\$2\$1\$/);
  });

  test("prints a password once, which works on both surfaces, also after the next start", async () => {
    expect(first.stdout()).toContain(`${first.url}/api/v1/auth/token`);
    expect(first.stdout()).toContain("both surfaces");
    await signIn(first.url, admin);
    await signIn(first.previewUrl, admin);
    expect(await first.stop()).toBe(0);
    expect(postmasterOf(first.dataDir)).toBeUndefined();

    const second = await startHubProcess({ dataDir: first.dataDir });
    expect(second.stdout()).not.toContain("password");
    expect(second.stdout()).not.toContain(admin.password);
    await signIn(second.url, admin);
    await signIn(second.previewUrl, admin);
    expect(await second.stop()).toBe(0);
  });

  test("stores its secret key in a file that only its user can read", async () => {
    const { mode } = await stat(path.join(first.dataDir, "secret.key"));
    expect(mode & 0o777).toBe(0o600);
  });

  test("rejects an emptied secret key file instead of using an empty key", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, "secret.key"), "\n");
    const { code, stderr } = await runHub(["serve"], { dataDir });
    expect(code).toBe(1);
    expect(stderr).toContain(path.join(dataDir, "secret.key"));
  });
});

describe("a first start with its own administrator, without preview, as an ordinary user", () => {
  const chief = { email: "chief@shop.example", password: "only the chief knows" };
  let hub: HubProcess;
  beforeAll(async () => {
    const env = { HUB_ADMIN_EMAIL: chief.email, HUB_ADMIN_PASSWORD: chief.password, HUB_PREVIEW_PORT: "off" };
    hub = await startHubProcess({ env, user: ordinaryUser() });
  });

  test("uses HUB_ADMIN_EMAIL and HUB_ADMIN_PASSWORD and does not print the password", async () => {
    await signIn(hub.url, chief);
    expect(hub.stdout()).toContain(chief.email);
    expect(hub.stdout() + hub.stderr()).not.toContain(chief.password);
  });

  test("serves no preview with HUB_PREVIEW_PORT=off", () => {
    expect(hub.stdout()).not.toMatch(/^preview /m);
  });

  test("prints how to sign in to the preview when it is turned on later", async () => {
    await hub.stop();
    const later = await startHubProcess({ dataDir: hub.dataDir, user: ordinaryUser() });
    const printed = later.firstAdmin()!;
    const [, curlUrl] = /curl -s (http:\/\/[^/]+)/.exec(later.stdout())!;
    await signIn(curlUrl!, printed);
    expect(later.stdout()).not.toContain("both surfaces");
    await signIn(later.url, chief);
    await later.stop();
  });
});

describe("on a terminal", () => {
  test("a first start prints its progress, the address and how to sign in, in readable lines", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    const hub = await startHubProcess({ dataDir, env: { HUB_LOG_FORMAT: "pretty", HUB_PREVIEW_PORT: "off" } });
    const { url } = hub;
    const [, password] = /^Sign in as admin@hub\.local with the password (\S+) \(shown this one time\)\.$/m.exec(
      hub.stdout(),
    )!;
    await signIn(url, { email: "admin@hub.local", password: password! });
    const lines = hub.stdout().split("\n");
    expect(lines[0]).toMatch(/^Order Operations Hub \d/);
    const steps = [
      "creating the database in",
      "creating the tables",
      `Open ${url} in your browser.`,
      `docs     ${url}/docs`,
    ];
    const places = steps.map((step) => lines.findIndex((line) => line.includes(step)));
    expect(places).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
    expect(hub.stdout()).not.toMatch(/^\{|0001_foundation/m);
    await hub.printed(/^\d\d:\d\d:\d\d  POST \/api\/v1\/auth\/token 200 in \d+ ms$/m, 40_000);
    expect(await hub.stop()).toBe(0);
  });
});

describe("a port that is taken", () => {
  const blocker = createServer();
  let port: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    port = String((blocker.address() as AddressInfo).port);
  });
  afterAll(() => {
    blocker.close();
  });

  test("ends the start with the port and its setting, and the first password is not lost", async () => {
    const dataDir = await readyDataDir();
    for (const setting of ["HUB_PORT", "HUB_PREVIEW_PORT", "HUB_GATEWAY_PORT"]) {
      const { code, stderr, stdout } = await runHub(["serve"], { dataDir, env: { [setting]: port } });
      expect(code).toBe(1);
      expect(stderr).toContain(`Port ${port}`);
      expect(stderr.match(/HUB_\w+/g)).toEqual([setting]);
      expect(stdout).not.toContain("password");
      expect(postmasterOf(dataDir)).toBeUndefined();
    }
    const hub = await startHubProcess({ dataDir });
    await signIn(hub.url, hub.firstAdmin()!);
    await signIn(hub.previewUrl, hub.firstAdmin()!);
    await hub.stop();
  });
});

describe("settings", () => {
  test("that are wrong are all reported at once, with unknown names", async () => {
    const env = { HUB_PORT: "eighty", HUB_ROLES: "api,cook", HUB_SECRET_KEY: "short", HUB_PROT: "1" };
    const { code, stderr } = await runHub(["serve"], { env });
    expect(code).toBe(1);
    for (const name of ["HUB_PORT", "cook", "HUB_SECRET_KEY", "HUB_PROT"]) expect(stderr).toContain(name);
  });

  test("with an address of another machine are rejected with the name HUB_HOST", async () => {
    const { code, stderr } = await runHub(["serve"], { dataDir: first.dataDir, env: { HUB_HOST: "192.0.2.1" } });
    expect(code).toBe(1);
    expect(stderr).toContain("192.0.2.1");
    expect(stderr).toContain("HUB_HOST");
  });

  test("with a data directory that this user may not write are rejected with the path", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    await mkdir(dataDir, { mode: process.getuid?.() === 0 ? 0o755 : 0o555 });
    const { code, stderr } = await runHub(["serve"], { dataDir, user: ordinaryUser() });
    expect(code).toBe(1);
    expect(stderr).toContain(dataDir);
    expect(stderr).toContain("HUB_DATA_DIR");
  });

  test("with a file as the data directory are rejected with the path", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    await writeFile(dataDir, "not a folder");
    const { code, stderr } = await runHub(["serve"], { dataDir });
    expect(code).toBe(1);
    expect(stderr).toContain(`${dataDir} is not a folder`);
  });
});

describe("roles", () => {
  test("without HTTP roles, health and metrics are on the health port (reliability, gaps)", async () => {
    const env = { HUB_ROLES: "worker,scheduler", HUB_HEALTH_PORT: "0", HUB_METRICS_TOKEN: "let-me-in" };
    const hub = await spawnHub({ dataDir: await readyDataDir(), env });
    const [, url] = await hub.printed(/^health +(http\S+)/m, 40_000);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    const checks = { database: "ok", signals: "ok", traffic: "ok", outbound: "ok" };
    expect(await ready.json()).toEqual({ status: "ready", checks: { live: checks, preview: checks } });
    const ask = async (path: string): Promise<string> =>
      await (await fetch(`${url}${path}`, { headers: { authorization: "Bearer let-me-in" } })).text();
    expect(await ask("/metrics")).toMatch(/^hub_jobs_waiting\{queue="tasks",environment="live"\} 0$/m);
    expect(await ask("/preview/metrics")).toMatch(/^hub_jobs_waiting\{queue="tasks",environment="preview"\} \d+$/m);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/api/v1/me`)).status).toBe(404);
    expect(await hub.stop()).toBe(0);
  });

  test("with the gateway alone, its routes are on its own port too, and others are reported as not served", async () => {
    const env = { HUB_ROLES: "gateway", HUB_GATEWAY_PORT: "0", HUB_PREVIEW_PORT: "off" };
    const hub = await startHubProcess({ dataDir: first.dataDir, env });
    const [, gatewayUrl] = /gateway (http:\/\/\S+)/.exec(hub.stdout())!;
    expect(gatewayUrl).not.toBe(hub.url);
    for (const url of [hub.url, gatewayUrl!]) {
      const { status, body } = await clientOf(url, token).get("/v1/capabilities");
      expect(status).toBe(200);
      const statuses = (routes: { status: string }[]) => new Set(routes.map((route) => route.status));
      expect(statuses(body.data.services.main.routes)).toEqual(new Set(["disabled"]));
      expect(statuses(body.data.routes)).not.toContain("disabled");
      expect(await clientOf(url, token).get("/condition-sets")).toMatchObject({ status: 404 });
    }
    await hub.stop();
  });
});

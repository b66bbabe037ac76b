import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { EmbeddedPostgres } from "../db/embedded-postgres.ts";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { readMigrations } from "../db/read-migrations.ts";
import { freePort } from "../testing/free-port.ts";
import type { HubProcess } from "../testing/hub-process.ts";
import { clientOf, makeFolder, runHub, signIn, spawnHub, startHubProcess } from "../testing/hub-process.ts";

const secretKey = "one-secret-key-for-all-hubs-of-a-database";
const admin = { email: "admin@hub.example", password: "correct horse battery" };
const settings = { HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password, HUB_SECRET_KEY: secretKey };

let server: EmbeddedPostgres;
let port: number;

beforeAll(async () => {
  port = await freePort();
  server = await startEmbeddedPostgres({
    dataDir: await makeFolder(),
    settings: { listen_addresses: "127.0.0.1", port: String(port), fsync: "off" },
    log: () => {},
  });
});
afterAll(async () => {
  await server.stop();
});

const urlOf = (name: string): string => `postgres://hub@127.0.0.1:${port}/${name}`;

async function sql(database: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
}

/** Holds up or lets through what PostgreSQL has to tell the hubs of the shared database. */
async function signalListeners(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const found = await sql(
    "shared_live",
    "select pid from pg_stat_activity where application_name like '% signals %' and datname = current_database()",
  );
  expect(found).toHaveLength(2);
  for (const { pid } of found) process.kill(pid as number, signal);
}

/** Two databases on the external server, as settings. */
async function makeDatabases(name: string): Promise<Record<string, string>> {
  await sql("postgres", `create database ${name}_live`);
  await sql("postgres", `create database ${name}_preview`);
  return { ...settings, DATABASE_URL: urlOf(`${name}_live`), PREVIEW_DATABASE_URL: urlOf(`${name}_preview`) };
}

describe("hubs on one external PostgreSQL", () => {
  let env: Record<string, string>;
  let hubs: HubProcess[];
  beforeAll(async () => {
    env = await makeDatabases("shared");
    hubs = await Promise.all([startHubProcess({ env }), startHubProcess({ env })]);
  });

  test("start concurrently on empty databases and share their administrator", async () => {
    expect(hubs.filter((hub) => hub.stdout().includes("First start"))).not.toHaveLength(0);
    for (const hub of hubs) {
      await signIn(hub.url, admin);
      await signIn(hub.previewUrl, admin);
    }
  });

  test("accept each other's tokens, and reject a key with the request after another hub deleted it", async () => {
    const [one, other] = hubs as [HubProcess, HubProcess];
    const { token } = await signIn(one.url, admin);
    const owner = clientOf(one.url, token);
    expect((await clientOf(other.url, token).get("/condition-sets")).status).toBe(200);
    for (const isSlow of [false, false, true]) {
      const { body: key } = await owner.post("/api-keys", { name: "Short-lived" });
      const guest = clientOf(other.url, key.key as string);
      expect((await guest.get("/condition-sets")).status).toBe(200);
      if (isSlow) await signalListeners("SIGSTOP");
      const afterwards = owner.delete(`/api-keys/${key.id}`).then(async ({ status }) => {
        expect(status).toBe(200);
        return await guest.get("/condition-sets");
      });
      // Until the other hub has heard of it, the deletion is not answered: these are before it, not after.
      if (isSlow) for (let i = 0; i < 5; i++) expect((await guest.get("/condition-sets")).status).toBe(200);
      if (isSlow) await signalListeners("SIGCONT");
      expect((await afterwards).status).toBe(401);
    }
  });

  test("keep serving when one of them ends", async () => {
    const [one, other] = hubs as [HubProcess, HubProcess];
    expect(await one.stop()).toBe(0);
    await signIn(other.url, admin);
    expect(await other.stop()).toBe(0);
  });
});

describe("an external PostgreSQL that cannot be used", () => {
  test("without HUB_SECRET_KEY is rejected with the name of that setting", async () => {
    const { code, stderr } = await runHub(["serve"], { env: { DATABASE_URL: urlOf("postgres") } });
    expect(code).toBe(1);
    expect(stderr).toContain("HUB_SECRET_KEY");
  });

  test("because it is unreachable, or its URL is invalid, is named without its password", async () => {
    const closed = await freePort();
    for (const address of [`127.0.0.1:${closed}`, "127.0.0.1:99999"]) {
      const url = `postgres://hub:verysecret@${address}/hub`;
      const { code, stderr } = await runHub(["serve"], { env: { ...settings, DATABASE_URL: url } });
      expect(code).toBe(1);
      expect(stderr).toContain("live database");
      expect(stderr).not.toContain("verysecret");
    }
  });

  test("because live and preview are one database is rejected: a preview reset would empty the live one", async () => {
    const env = await makeDatabases("same");
    const { code, stderr } = await runHub(["serve"], {
      env: { ...env, PREVIEW_DATABASE_URL: `${env["DATABASE_URL"]}?application_name=other` },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("PREVIEW_DATABASE_URL");
  });

  test("because a newer hub has migrated the preview ends the start, although the live one works", async () => {
    const env = await makeDatabases("newer");
    expect((await runHub(["migrate"], { env })).code).toBe(0);
    await sql("newer_preview", "insert into schema_migrations values (9999, '9999_later.sql', 'x')");
    const { code, stderr } = await runHub(["serve"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("9999_later.sql");
  });
});

describe("a database that is not up to date", () => {
  test("is migrated only by serve and migrate: doctor and create-admin report it and change nothing (reliability R3)", async () => {
    const env = await makeDatabases("older");
    const all = await readMigrations();
    const connection = { connectionString: urlOf("older_live") };
    const db = openDatabase({ connection, maxConnections: 1, onError: () => {} });
    await migrate(connection, db, all.slice(0, -1));
    await db.close();
    const newest = async (): Promise<unknown> =>
      (await sql("older_live", "select max(version) as version from schema_migrations"))[0]?.["version"];
    for (const args of [["doctor"], ["create-admin", "boss@hub.example"]]) {
      const { code, stderr } = await runHub(args, { env });
      expect(code).toBe(1);
      expect(stderr).toContain(all.at(-1)!.name);
      expect(stderr).toContain("hub migrate");
      expect(await newest()).toBe(all.at(-2)!.version);
    }
    expect((await runHub(["migrate"], { env })).code).toBe(0);
    expect(await newest()).toBe(all.at(-1)!.version);
    expect((await runHub(["doctor"], { env })).stdout).toContain("migrations up to date");
  });
});

/** As the hub before this one has left it: the newest migration is missing. */
async function makeOlderDatabase(name: string): Promise<{ env: Record<string, string>; missing: string }> {
  await sql("postgres", `create database ${name}`);
  const connection = { connectionString: urlOf(name) };
  const db = openDatabase({ connection, maxConnections: 1, onError: () => {} });
  const all = await readMigrations();
  await migrate(connection, db, all.slice(0, -1));
  await db.close();
  const env = { ...settings, DATABASE_URL: urlOf(name), HUB_PREVIEW_PORT: "off" };
  return { env, missing: all.at(-1)!.name };
}

describe("a long migration (operations N2)", () => {
  const soon = { timeout: 30_000, interval: 20 };

  test("is reported on the port and in the log; SIGTERM ends it and rolls it back", async () => {
    const { env, missing } = await makeOlderDatabase("slow");
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const holder = new pg.Client({ connectionString: urlOf("slow") });
    await holder.connect();
    await holder.query("begin; lock table schema_migrations in share mode");
    const hub = await spawnHub({ env: { ...env, HUB_PORT: port } });
    await vi.waitFor(async () => {
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).toBe(503);
      const checks = { database: "migrating", migration: missing, progress: "1 of 1" };
      expect(await ready.json()).toEqual({ status: "not_ready", checks });
    }, soon);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const refused = await fetch(`${url}/api/v1/orders`, { method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({
      code: "not_ready",
      detail: expect.stringContaining(missing) as string,
    });
    await hub.printed(/"migrations":1,.*"msg":"migrating the database; requests are answered 503/, soon.timeout);
    await vi.waitFor(() => expect(hub.stdout()).toContain(`"migration":"${missing}","msg":"migration 1 of 1"`), soon);

    hub.send("SIGTERM");
    expect(await hub.exited).toBe(0);
    const waiting = "select from pg_stat_activity where datname = 'slow' and wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect(await sql("postgres", waiting)).toEqual([]), soon);
    await holder.end();

    const again = await startHubProcess({ env: { ...env, HUB_PORT: port } });
    expect(again.url).toBe(url);
    await signIn(url, admin);
    expect(await again.stop()).toBe(0);
  });
});

describe("a running hub (operations N1)", () => {
  test("is named by a newer one that has to migrate the database, which is not changed", async () => {
    const env = { ...(await makeDatabases("busy")), HUB_PREVIEW_PORT: "off" };
    const hub = await startHubProcess({ env });
    await sql(
      "busy_live",
      "delete from schema_migrations where version = (select max(version) from schema_migrations)",
    );
    const newer = await runHub(["migrate"], { env });
    expect(newer.code).toBe(1);
    expect(newer.stderr).toContain(`(process ${hub.pid} on `);
    expect(newer.stderr).toContain("Stop every hub process on this database");
    expect(hub.hasExited()).toBe(false);
    expect(await hub.stop()).toBe(0);
  });

  test.for([
    ["announcement", "select pg_notify('hub_signals', 'schema||')"],
    ["gap", "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% signals %'"],
  ] as const)("that meets a newer schema (%s) says so, does nothing more, and stops", async ([how, tell]) => {
    const name = `overtaken_${how}`;
    const env = { ...(await makeDatabases(name)), HUB_PREVIEW_PORT: "off", HUB_SHUTDOWN_DRAIN_MS: "3000" };
    const hub = await startHubProcess({ env: { ...env, HUB_AUTO_RESTART: "on" } });
    const { url } = hub;
    const client = await signIn(url, admin);
    await sql(`${name}_live`, "insert into schema_migrations values (9999, '9999_later.sql', 'x')");
    await sql(`${name}_live`, tell);
    await vi.waitFor(
      async () => {
        const ready = await fetch(`${url}/readyz`);
        expect(ready.status).toBe(503);
        const checks = { database: "newer_schema", migration: "9999_later.sql" };
        expect(await ready.json()).toMatchObject({ status: "not_ready", checks });
      },
      { timeout: 40_000, interval: 10 },
    );
    const write = await client.post("/condition-sets", { name: "Too late" });
    expect([write.status, write.body.code]).toEqual([503, "not_ready"]);
    expect(await hub.exited).toBe(3);
    expect(hub.stdout()).toContain("the live database was migrated by a newer hub (9999_later.sql)");
    expect(hub.stderr()).not.toContain("starting it again");
    expect(await sql(`${name}_live`, "select from condition_sets where name = 'Too late'")).toEqual([]);
  });
});

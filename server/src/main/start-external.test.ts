import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmbeddedPostgres } from "../db/embedded-postgres.ts";
import { startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { openDatabase } from "../db/database.ts";
import { migrate, readMigrations } from "../db/migrate.ts";
import type { HubProcess } from "../testing/hub-process.ts";
import { clientOf, makeFolder, runHub, signIn, startHubProcess } from "../testing/hub-process.ts";

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

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

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
    "select pid from pg_stat_activity where application_name like '%signals' and datname = current_database()",
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

  test("start at the same moment on empty databases and share their administrator", async () => {
    expect(hubs.filter((hub) => hub.stdout().includes("First start"))).not.toHaveLength(0);
    for (const hub of hubs) {
      await signIn(hub.url, admin);
      await signIn(hub.previewUrl, admin);
    }
  });

  test("accept each other's tokens and refuse a key on the request after another hub deleted it", async () => {
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

  test("go on when one of them ends", async () => {
    const [one, other] = hubs as [HubProcess, HubProcess];
    expect(await one.stop()).toBe(0);
    await signIn(other.url, admin);
    expect(await other.stop()).toBe(0);
  });
});

describe("an external PostgreSQL that cannot be used", () => {
  test("for want of HUB_SECRET_KEY is refused with that setting named", async () => {
    const { code, stderr } = await runHub(["serve"], { env: { DATABASE_URL: urlOf("postgres") } });
    expect(code).toBe(1);
    expect(stderr).toContain("HUB_SECRET_KEY");
  });

  test("because it does not answer, or its URL is broken, is named without its password", async () => {
    const closed = await freePort();
    for (const address of [`127.0.0.1:${closed}`, "127.0.0.1:99999"]) {
      const url = `postgres://hub:verysecret@${address}/hub`;
      const { code, stderr } = await runHub(["serve"], { env: { ...settings, DATABASE_URL: url } });
      expect(code).toBe(1);
      expect(stderr).toContain("live database");
      expect(stderr).not.toContain("verysecret");
    }
  });

  test("because live and preview are one database is refused: a preview reset would empty the live one", async () => {
    const env = await makeDatabases("same");
    const { code, stderr } = await runHub(["serve"], {
      env: { ...env, PREVIEW_DATABASE_URL: `${env["DATABASE_URL"]}?application_name=other` },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("PREVIEW_DATABASE_URL");
  });

  test("because a newer hub has migrated the preview ends the start although the live one works", async () => {
    const env = await makeDatabases("newer");
    expect((await runHub(["migrate"], { env })).code).toBe(0);
    await sql("newer_preview", "insert into schema_migrations values (9999, '9999_later.sql', 'x')");
    const { code, stderr } = await runHub(["serve"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("9999_later.sql");
  });
});

describe("a database that is not up to date", () => {
  test("is migrated by serve and migrate alone: doctor and create-admin say so and change nothing (reliability R3)", async () => {
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

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./database.ts";
import type { MigrationProgress } from "./migrate.ts";
import { migrate } from "./migrate.ts";
import { readMigrations } from "./read-migrations.ts";
import type { Connection } from "./server-client.ts";

let connection: Connection;
let db: Database;
let folder: string;
beforeAll(async () => {
  const cloned = await cloneDatabase();
  ({ connection } = cloned);
  db = openDatabase({ connection, maxConnections: 4, onError: () => {} });
  folder = await mkdtemp(path.join(tmpdir(), "hub-migrations-"));
  afterFile(async () => {
    await db.close();
    await cloned.drop();
    await rm(folder, { recursive: true });
  });
});

const first = "create table parcels (id integer primary key, weight integer, heavy boolean)";
const batched = `-- hub: in batches
update parcels set heavy = weight > 10
 where id in (select id from parcels where heavy is null order by id limit 100)
returning id`;
const last = "alter table parcels alter heavy set not null";

beforeEach(async () => {
  await db.query("drop schema public cascade");
  await db.query("create schema public");
  await writeFile(path.join(folder, "0001_parcels.sql"), first);
  await migrate(connection, db, (await readMigrations(folder)).slice(0, 1));
  await db.query("insert into parcels select id, id % 20 from generate_series(1, 450) id");
  await db.query("analyze parcels");
  await writeFile(path.join(folder, "0002_heavy.sql"), batched);
  await writeFile(path.join(folder, "0003_always_known.sql"), last);
});

const appliedNames = async (): Promise<string[]> =>
  (await db.query<{ name: string }>("select name from schema_migrations order by version")).map(({ name }) => name);

describe("a migration in batches", () => {
  test("runs in its own transactions, reports its progress, and later migrations follow its last batch", async () => {
    const seen: MigrationProgress[] = [];
    await migrate(connection, db, await readMigrations(folder), { report: (progress) => seen.push(progress) });
    expect(await appliedNames()).toEqual(["0001_parcels.sql", "0002_heavy.sql", "0003_always_known.sql"]);
    const [begin, ...steps] = seen;
    expect(begin).toEqual({ step: "begin", version: 1, count: 2, rows: { parcels: 450, schema_migrations: 1 } });
    const batch = { step: "apply", name: "0002_heavy.sql", number: 1, of: 2 };
    expect(steps).toEqual([
      batch,
      ...[100, 200, 300, 400, 450].map((rows) => ({ ...batch, rows })),
      { step: "apply", name: "0003_always_known.sql", number: 2, of: 2 },
    ]);
  });

  test("that is stopped keeps its batches, and the next start continues after them", async () => {
    const stopping = new AbortController();
    const report = (progress: MigrationProgress): void => {
      if (progress.step === "apply" && progress.rows === 200) stopping.abort();
    };
    const migrations = await readMigrations(folder);
    const stopped = migrate(connection, db, migrations, { report, stopping: stopping.signal });
    await expect(stopped).rejects.toThrow("The migration was stopped");
    expect(await appliedNames()).toEqual(["0001_parcels.sql"]);
    const [{ done } = { done: 0 }] = await db.query<{ done: number }>("select count(heavy) as done from parcels");
    expect(done).toBeGreaterThanOrEqual(200);
    expect(done).toBeLessThan(450);

    const seen: MigrationProgress[] = [];
    await migrate(connection, db, migrations, { report: (progress) => seen.push(progress) });
    const changed = seen.filter((progress) => progress.step === "apply").map(({ rows }) => rows ?? 0);
    expect(Math.max(...changed)).toBe(450 - done);
    expect(await appliedNames()).toHaveLength(3);
  });
});

describe("a database that has to be migrated (operations N1)", () => {
  async function hubAtWork(name: string): Promise<pg.Client> {
    const client = new pg.Client({ ...connection, application_name: name });
    await client.connect();
    return client;
  }

  test("is not changed while hubs use it; they are named, of any version", async () => {
    const hubs = [
      await hubAtWork("order-operations-hub signals"),
      await hubAtWork("order-operations-hub signals 0.9.1 4711@web-1"),
    ];
    // Of a hub that is about to migrate, too, and not at work yet.
    const starting = await hubAtWork("order-operations-hub");
    const seen: MigrationProgress[] = [];
    const report = (progress: MigrationProgress): void => void seen.push(progress);
    const refused = migrate(connection, db, await readMigrations(folder), { report, hubsTimeoutMs: 0 });
    await expect(refused).rejects.toThrow(
      /2 hubs are running on it:\n  hub of an earlier version, from .*\n  hub 0\.9\.1 \(process 4711 on web-1\), connected since .*\nStop every hub process/,
    );
    expect(seen).toMatchObject([
      { step: "waiting", hubs: [/earlier version/, /4711/].map((one) => expect.stringMatching(one) as string) },
    ]);
    expect(await appliedNames()).toEqual(["0001_parcels.sql"]);

    // As when a node is stopped and its successor is started at the same time.
    const patient = migrate(connection, db, await readMigrations(folder));
    for (const hub of hubs) await hub.end();
    expect((await patient).map(({ name }) => name)).toEqual(["0002_heavy.sql", "0003_always_known.sql"]);
    await starting.end();
  });

  test("that is locked by other programs is reported with advice, not with PostgreSQL's message", async () => {
    await writeFile(
      path.join(folder, "0002_heavy.sql"),
      "alter table parcels add a integer; alter table crates add b integer",
    );
    await db.query("create table crates (id integer)");
    const other = await hubAtWork("psql");
    let isOver = false;
    // Takes the two tables in the other order; the migration has to be the one that PostgreSQL ends. It is repeated after a
    // deadlock, so the first table stays locked, and the second is locked again and again.
    await other.query("set deadlock_timeout = '1min'");
    await other.query("begin");
    await other.query("lock table crates in access exclusive mode");
    const locking = (async () => {
      while (!isOver) {
        await other.query("savepoint before_parcels");
        await other.query("select from pg_sleep(0.1)");
        await other.query("lock table parcels in access exclusive mode");
        await other.query("rollback to before_parcels");
      }
      await other.query("rollback");
    })();
    const failed = migrate(connection, db, await readMigrations(folder));
    await expect(failed).rejects.toThrow(
      /waited for each other's locks \(deadlock\)\. Stop whatever else uses this database/,
    );
    isOver = true;
    await locking;
    await other.end();
  });
});

describe("a baseline", () => {
  const baseline = `-- hub: baseline\n${first}`;
  const refusal = async (): Promise<string> =>
    await migrate(connection, db, await readMigrations(folder)).then(
      () => "accepted",
      (error: Error) => error.message,
    );

  beforeEach(async () => {
    for (const name of await readdir(folder)) await rm(path.join(folder, name));
    await writeFile(path.join(folder, "0048_baseline.sql"), baseline);
    await writeFile(path.join(folder, "0049_always_known.sql"), last);
    await db.query("delete from parcels");
    await db.query("delete from schema_migrations");
  });

  test("counts as applied if the last step it replaces was applied, and later migrations run", async () => {
    await db.query("insert into schema_migrations values (1, '0001_parcels.sql', 'x'), (48, '0048_heavy.sql', 'x')");
    expect(await refusal()).toBe("accepted");
    expect(await appliedNames()).toEqual(["0001_parcels.sql", "0048_heavy.sql", "0049_always_known.sql"]);
  });

  test("rejects an older database with its last step and the version that upgrades it", async () => {
    await db.query("insert into schema_migrations values (1, '0001_parcels.sql', 'x'), (47, '0047_access.sql', 'x')");
    expect(await refusal()).toMatch(
      /too old for this hub: its last migration is 0047_access.sql\. Start commit [0-9a-f]{8}/,
    );
    expect(await appliedNames()).toEqual(["0001_parcels.sql", "0047_access.sql"]);
  });

  test("that was changed after it was applied is rejected", async () => {
    await db.query("insert into schema_migrations values (48, '0048_baseline.sql', 'other')");
    expect(await refusal()).toMatch(/0048_baseline.sql was changed after it was applied/);
  });
});

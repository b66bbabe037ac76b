import fc from "fast-check";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ClientConfig } from "pg";
import pg from "pg";
import { beforeAll, expect, inject, test } from "vitest";
import { createSecrets } from "../../core/secrets.ts";
import { openDatabase } from "../database.ts";
import type { AppliedMigration } from "../schema-mismatch.ts";
import { migrate } from "../migrate.ts";
import { readMigrations } from "../read-migrations.ts";
import { afterFile } from "../../testing/after-file.ts";
import { buildOneOfEverything } from "../../testing/builders.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { createBackupFile, requireSignature } from "./backup-file.ts";
import type { Manifest } from "./backup-manifest.ts";
import { loadBackup } from "./load-backup.ts";
import { checkBackup } from "./read-backup.ts";
import { createRowDigest } from "./row-digest.ts";
import { openSnapshot } from "./snapshot.ts";

const secrets = createSecrets("the-key-that-these-backups-are-signed-with");
const folder = await mkdtemp(path.join(tmpdir(), "hub-backup-"));
afterFile(async () => await rm(folder, { recursive: true }));
const fileOf = (name: string): string => path.join(folder, name);

let hub: TestHub;
let org: TestOrg;
let file: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  await buildOneOfEverything(org);
  // Each of them is something that the text format of COPY has to escape.
  await org.post("/orders", {
    number: "ESCAPED",
    notes: [{ text: 'tab\tline\nreturn\rslash\\N \\. quote" ☃ \u{1f600}' }],
  });
  file = fileOf("hub.backup");
  await write(file, hub.connection);
});

async function write(to: string, connection: ClientConfig, changes: Partial<Manifest> = {}): Promise<Manifest> {
  const writer = await createBackupFile(to);
  const snapshot = await openSnapshot("live", connection);
  try {
    const surfaces = [await snapshot.write(writer)];
    const manifest = {
      hubVersion: "0",
      takenAt: new Date().toISOString(),
      hasSecretKey: false,
      keyIds: [],
      surfaces,
      ...changes,
    };
    await writer.write("M", JSON.stringify(manifest));
    await writer.finish(secrets);
    return manifest;
  } finally {
    await snapshot.close();
  }
}

const owner = "backup_owner";

/** An empty database that belongs to an ordinary role, as an external one does. */
async function emptyDatabase(): Promise<ClientConfig> {
  const cluster = inject("cluster");
  const name = `r_${crypto.randomUUID().replaceAll("-", "")}`;
  await query({ ...cluster, database: "postgres" }, [
    `do $$ begin create role ${owner} login; exception when duplicate_object then null; end $$`,
    `create database ${name} owner ${owner} template template0`,
  ]);
  afterFile(
    async () => void (await query({ ...cluster, database: "postgres" }, [`drop database ${name} with (force)`])),
  );
  return { ...cluster, user: owner, database: name };
}

async function query<Row>(connection: ClientConfig, statements: string[]): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
}

async function load(from: string, connection: ClientConfig): Promise<void> {
  await loadBackup(await checkBackup(from), [{ environment: "live", connection, mayReplace: false }], {
    pause: undefined,
  });
}

/** Everything that migrations make of a database, in words. */
const schemaOf = (connection: ClientConfig) =>
  query<{ what: string }>(connection, [
    `select what from (
       select format('%s %s %s %s', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid)) as what
         from pg_constraint where connamespace = 'public'::regnamespace
       union all select format('%s %s', tgenabled, pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
       union all select indexdef from pg_indexes where schemaname = 'public'
       union all select format('%s %s %s', tablename, policyname, qual) from pg_policies
       union all select format('%s %s %s', relname, relkind, relrowsecurity) from pg_class where relnamespace = 'public'::regnamespace
     ) s order by 1`,
  ]);

test("an ordinary role restores every kind of record, with constraints, triggers, policies and sequences", async () => {
  const target = await emptyDatabase();
  await load(file, target);
  expect(await schemaOf(target)).toEqual(await schemaOf(hub.connection));
  const again = fileOf("again.backup");
  const [first] = (await checkBackup(file)).manifest.surfaces;
  const [second] = (await write(again, target)).surfaces;
  expect(second).toEqual(first);
  expect(first!.tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(40);

  // What is inserted next has numbers that no restored row has, and the rules of the audit log hold again.
  const [{ next, highest } = { next: 0, highest: 0 }] = await query<{ next: string; highest: string }>(target, [
    `select (select max(position) from condition_set_values) as highest,
            nextval(pg_get_serial_sequence('condition_set_values', 'position')) as next`,
  ]);
  expect(Number(next)).toBeGreaterThan(Number(highest));
  await expect(query(target, ["truncate events cascade"])).rejects.toThrow("append-only");
  await expect(query(target, ["delete from events"])).rejects.toThrow("append-only");
});

test("a database that is not empty is not changed", async () => {
  const target = await emptyDatabase();
  await query(target, ["create table theirs (id integer)", "insert into theirs values (1)"]);
  await expect(load(file, target)).rejects.toThrow("The live database is not empty: it has theirs.");
  expect(await schemaOf(target)).toHaveLength(1);
});

test("a restore that fails leaves an empty database", async () => {
  const target = await emptyDatabase();
  const { manifest, ...rest } = await checkBackup(file);
  const [surface] = manifest.surfaces;
  // As if a row had been lost between the file and the table.
  const tables = surface!.tables.map((table) =>
    table.table === "orders" ? { ...table, rows: table.rows + 1 } : table,
  );
  const wrong = { ...rest, manifest: { ...manifest, surfaces: [{ ...surface!, tables }] } };
  const targets = [{ environment: "live", connection: target, mayReplace: false }];
  await expect(loadBackup(wrong, targets, { pause: undefined })).rejects.toThrow(
    /orders has \d+ rows that do not match/,
  );
  expect(await schemaOf(target)).toEqual([]);
});

test("a backup of a newer hub, or with other migrations, is rejected before anything is changed", async () => {
  const target = await emptyDatabase();
  const { manifest, ...rest } = await checkBackup(file);
  const [surface] = manifest.surfaces;
  const refusalOf = async (migrations: AppliedMigration[]): Promise<unknown> => {
    const changed = { ...rest, manifest: { ...manifest, surfaces: [{ ...surface!, migrations }] } };
    const targets = [{ environment: "live", connection: target, mayReplace: false }];
    return await loadBackup(changed, targets, { pause: undefined }).catch((error: Error) => error.message);
  };
  const own = surface!.migrations;
  const newer = [...own, { version: 9999, name: "9999_new.sql", checksum: "" }];
  expect(await refusalOf(newer)).toMatch(/made by a newer hub: it has the migration 9999_new.sql/);
  const other = own.map((migration, index) => (index === 1 ? { ...migration, checksum: "other" } : migration));
  expect(await refusalOf(other)).toMatch(/its migration \S+ is not the one here/);
  const old = [{ version: 47, name: "0047_access.sql", checksum: "" }];
  expect(await refusalOf(old)).toMatch(/is too old for this hub: its last migration is 0047_access.sql/);
  expect(await schemaOf(target)).toEqual([]);
});

test("a backup of an older schema gets that schema, and is migrated like the database it came from", async () => {
  const all = await readMigrations();
  const source = await emptyDatabase();
  await bringTo(source, all.slice(0, -6));
  await query(source, [
    "insert into organizations (id, name, created_at, updated_at) values (gen_random_uuid(), 'Old', now(), now())",
  ]);
  const old = fileOf("old.backup");
  await write(old, source);
  const target = await emptyDatabase();
  await load(old, target);
  expect(await schemaOf(target)).toEqual(await schemaOf(source));
  expect(await bringTo(target, all)).toEqual(all.slice(-6).map(({ name }) => name));
  expect(await query(target, ["select name from organizations"])).toEqual([{ name: "Old" }]);
});

type Migrations = Awaited<ReturnType<typeof readMigrations>>;

async function bringTo(connection: ClientConfig, migrations: Migrations): Promise<string[]> {
  const db = openDatabase({ connection, maxConnections: 1, onError: () => {} });
  try {
    return (await migrate(connection, db, migrations)).map(({ name }) => name);
  } finally {
    await db.close();
  }
}

test("a snapshot does not contain later writes, and blocks no writer", async () => {
  const snapshot = await openSnapshot("live", hub.connection);
  const { status } = await org.post("/orders", { number: "AFTER" });
  expect(status).toBe(201);
  const found = await snapshot.db.query("select from orders where number in ('AFTER', 'ESCAPED')");
  await snapshot.close();
  expect(found).toHaveLength(1);
});

test("an existing file is never overwritten, and an abandoned backup leaves no file", async () => {
  await expect(write(file, hub.connection)).rejects.toThrow(/exists already/);
  const writer = await createBackupFile(fileOf("abandoned.backup"));
  await writer.write("K", "x".repeat(1_000_000));
  await writer.abandon();
  await expect(stat(fileOf("abandoned.backup"))).rejects.toThrow("ENOENT");
  await expect(stat(`${fileOf("abandoned.backup")}.${process.pid}.part`)).rejects.toThrow("ENOENT");
});

test("a file with any byte changed, removed or added is rejected", async () => {
  const whole = await readFile(file);
  const changed = fileOf("changed.backup");
  const refusal = async (bytes: Buffer): Promise<string> => {
    await writeFile(changed, bytes);
    return await checkBackup(changed).then(
      () => "accepted",
      (error: Error) => error.message,
    );
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= by;
      // The last line has an HMAC that is checked with the key, not by every reader of the file.
      const isOfKey = at >= whole.length - 156 + 73;
      expect(await refusal(bytes)).toMatch(isOfKey ? /./ : /altered|cut short|not a backup|format/);
    }),
    { numRuns: 40 },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
      expect(await refusal(whole.subarray(0, length))).toMatch(/cut short|not a backup/);
    }),
    { numRuns: 20 },
  );
  expect(await refusal(Buffer.concat([whole, Buffer.from("more")]))).toMatch(/cut short, or something was added/);
  expect(await refusal(Buffer.from("PGDMP a dump of another program"))).toMatch(/is not a backup of this hub/);
  expect(await refusal(whole)).toBe("accepted");
});

test("a file that was recreated without the key is detected with the key", async () => {
  const { signature } = await checkBackup(file);
  expect(() => requireSignature(file, signature, secrets)).not.toThrow();
  const forged = fileOf("forged.backup");
  const text = (await readFile(file)).toString("latin1");
  const [, before, digit, end] = /^([\s\S]*)([0-9a-f])(\n)$/.exec(text)!;
  await writeFile(forged, Buffer.from(`${before}${digit === "0" ? "1" : "0"}${end}`, "latin1"));
  const check = await checkBackup(forged);
  expect(() => requireSignature(forged, check.signature, secrets)).toThrow(/was altered: it was not signed with/);
});

test("the digest of a table depends on its rows, not on their order", () => {
  const digestOf = (rows: string[]) => {
    const digest = createRowDigest();
    digest.addAll(Buffer.from(rows.map((row) => `${row}\n`).join("")));
    return digest.end();
  };
  const row = fc.string().map((text) => text.replaceAll("\n", "\\n"));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.nat(), row, (rows, at, other) => {
      const digest = digestOf(rows);
      expect(digestOf(rows.toReversed())).toEqual(digest);
      const index = at % rows.length;
      fc.pre(rows[index] !== other);
      expect(digestOf(rows.with(index, other)).digest).not.toBe(digest.digest);
      expect(digestOf([...rows, other])).not.toEqual(digest);
    }),
  );
});

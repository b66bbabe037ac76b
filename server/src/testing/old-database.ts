import type { Ctx, World } from "../context.ts";
import { systemContext } from "../context.ts";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { readMigrations } from "../db/read-migrations.ts";
import { afterFile } from "./after-file.ts";
import { cloneDatabase } from "./test-database.ts";

/** A database as left by a hub before this migration, with one organization; dropped after the test file. */
export async function openOldDatabase(
  world: World,
  migration: number,
): Promise<{ old: Database; ctx: Ctx; upgradeTo(version: number): ReturnType<typeof migrate> }> {
  const { connection, drop } = await cloneDatabase();
  const old = openDatabase({ connection, maxConnections: 4, onError: () => {} });
  afterFile(async () => {
    await old.close();
    await drop();
  });
  const migrations = await readMigrations();
  const upgradeTo = (last: number): ReturnType<typeof migrate> =>
    migrate(
      connection,
      old,
      migrations.filter(({ version }) => version <= last),
    );
  await old.query("drop schema public cascade");
  await old.query("create schema public");
  await upgradeTo(migration - 1);
  const ctx = { ...systemContext(world, world.newId(), "test"), db: old };
  await old.query(
    "insert into organizations (id, name, is_operator, created_at, updated_at) values ($1, 'Old', true, now(), now())",
    [ctx.orgId],
  );
  return { old, ctx, upgradeTo };
}

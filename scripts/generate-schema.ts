import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabase } from "../server/src/db/database.ts";
import { startEmbeddedPostgres } from "../server/src/db/embedded-postgres.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { readMigrations } from "../server/src/db/read-migrations.ts";
import { describeSchema } from "../server/src/testing/describe-schema.ts";

/**
 * Writes docs/schema.md from a new database with all migrations. server/src/db/schema-doc.test.ts checks that the file is
 * current, since starting PostgreSQL would slow down `npm run check`.
 */
const dataDir = await mkdtemp(path.join(tmpdir(), "hub-schema-"));
await chmod(dataDir, 0o755);
const postgres = await startEmbeddedPostgres({
  dataDir,
  settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off" },
  log: () => {},
});
try {
  const connection = postgres.connection("postgres");
  const db = openDatabase({ connection, maxConnections: 1, onError: () => {} });
  await migrate(connection, db, await readMigrations());
  await writeFile(path.join(import.meta.dirname, "../docs/schema.md"), await describeSchema(db));
  await db.close();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

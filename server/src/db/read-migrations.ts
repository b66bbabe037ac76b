import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type Migration = {
  version: number;
  name: string;
  sql: string;
  checksum: string;
  /** The statement is repeated, each time in its own transaction, until it returns no rows. */
  isBatched: boolean;
  /** Creates the schema that all migrations up to its version made. Databases that have those count as having it. */
  isBaseline: boolean;
};

const migrationsFolder = path.join(import.meta.dirname, "../../migrations");
const batchedHeader = /^-- hub: in batches$/m;
const baselineHeader = /^-- hub: baseline$/m;

export async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name), "utf8");
      return {
        version: Number.parseInt(name, 10),
        name,
        sql,
        checksum: createHash("sha256").update(sql).digest("hex"),
        isBatched: batchedHeader.test(sql),
        isBaseline: baselineHeader.test(sql),
      };
    }),
  );
}

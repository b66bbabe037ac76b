import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { describeSchema } from "../testing/describe-schema.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { openDatabase } from "./database.ts";

test("docs/schema.md describes the migrated database; `npm run generate` writes it", async () => {
  const { connection, drop } = await cloneDatabase();
  const db = openDatabase({ connection, maxConnections: 1, onError: () => {} });
  try {
    const file = path.join(import.meta.dirname, "../../../docs/schema.md");
    expect(await readFile(file, "utf8")).toBe(await describeSchema(db));
  } finally {
    await db.close();
    await drop();
  }
});

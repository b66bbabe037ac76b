import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { trimPostgresLog } from "./postgres-log.ts";

test("a long log is rotated while it is written, and the previous part is kept (reliability R10)", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hub-log-"));
  afterFile(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "postgres.log");
  await trimPostgresLog(file, 10);
  const writer = await open(file, "a");
  await writer.write("short\n");
  await trimPostgresLog(file, 10);
  expect(await readFile(file, "utf8")).toBe("short\n");
  await writer.write("long enough\n");
  await trimPostgresLog(file, 10);
  await writer.write("after\n");
  await writer.close();
  expect(await readFile(file, "utf8")).toBe("after\n");
  expect(await readFile(`${file}.1`, "utf8")).toBe("short\nlong enough\n");
});

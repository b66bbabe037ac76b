import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { inject } from "vitest";
import { makeFolder } from "./hub-process.ts";
import { launchHub } from "./launch-hub.ts";

const run = promisify(execFile);
const lock = 7_246_001;

/**
 * A data directory after `hub migrate`, with empty databases. Created once per test run and copied, since a first start takes more
 * CPU time than most tests.
 */
export async function readyDataDir(): Promise<string> {
  const template = await findTemplate();
  const dataDir = path.join(await makeFolder(), "data");
  await run("cp", ["-Rp", template, dataDir]);
  return dataDir;
}

/** Created by the first test file that needs it; others wait. */
async function findTemplate(): Promise<string> {
  const template = inject("readyDataDir");
  if (existsSync(template)) return template;
  const client = new pg.Client({ ...inject("cluster"), database: "postgres" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lock]);
    if (!existsSync(template)) await makeTemplate(template);
  } finally {
    await client.end();
  }
  return template;
}

async function makeTemplate(template: string): Promise<void> {
  const draft = `${template}.new`;
  const hub = launchHub(draft, { args: ["migrate"] });
  if ((await hub.exited) !== 0) throw new Error(`hub migrate failed: ${hub.stderr()}`);
  await rename(draft, template);
}

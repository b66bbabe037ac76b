import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { ConfigError } from "./config.ts";

/** A file in the data directory that keeps every hub from using it. Its text says why, and what to do. */
type Mark = "restoring" | "moved";

const fileOf = (dataDir: string, mark: Mark): string => path.join(dataDir, mark);

export function hasMark(dataDir: string, mark: Mark): boolean {
  return existsSync(fileOf(dataDir, mark));
}

export async function setMark(dataDir: string, mark: Mark, text: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const handle = await open(fileOf(dataDir, mark), "w", 0o600);
  await handle.writeFile(`${text}\n`);
  await handle.sync();
  await handle.close();
}

export async function clearMark(dataDir: string, mark: Mark): Promise<void> {
  await rm(fileOf(dataDir, mark), { force: true });
}

export function refuseMarked(dataDir: string): void {
  for (const mark of ["restoring", "moved"] as const) {
    if (hasMark(dataDir, mark)) throw new ConfigError(readFileSync(fileOf(dataDir, mark), "utf8").trim());
  }
}

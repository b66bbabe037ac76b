import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Environment } from "../context.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import { findMissingKeys, recordKey } from "../db/sealed-columns.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";

const minLength = 32;

export function secretKeyFile(dataDir: string): string {
  return path.join(dataDir, "secret.key");
}

/** HUB_SECRET_KEY, or a key made at the first start and kept in a file only this user can read. */
export async function findSecretKey(config: Config): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey;
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      "With DATABASE_URL, HUB_SECRET_KEY is needed too: every hub on that database must have the same.",
    );
  }
  const file = secretKeyFile(config.dataDir);
  if (!existsSync(file)) await writeKeyFile(file, randomBytes(32).toString("base64url"));
  return await readKeyFile(file);
}

/** The key of this data directory, as far as there is one. */
export async function findKeyFile(dataDir: string): Promise<string | undefined> {
  const file = secretKeyFile(dataDir);
  return existsSync(file) ? await readKeyFile(file) : undefined;
}

async function readKeyFile(file: string): Promise<string> {
  const key = (await readFile(file, "utf8")).trim();
  if (key.length < minLength) throw new ConfigError(`${file} is damaged: it holds no key. Restore it from a backup.`);
  return key;
}

/** A hub with another key than the others could read nothing that they sealed, and they nothing of its own. */
export async function checkSecretKeys(db: Database, secrets: Secrets, environment: Environment): Promise<void> {
  const missing = await findMissingKeys(db, secrets);
  if (missing.length > 0) throw new ConfigError(describeMissingKeys(environment, missing));
  await recordKey(db, secrets, new Date());
}

export function describeMissingKeys(environment: Environment, missing: string[]): string {
  return (
    `The ${environment} database is used with the secret ${missing.length === 1 ? "key" : "keys"} ${missing.join(", ")}, ` +
    "which this hub does not have. Set HUB_SECRET_KEY to it, or name it in HUB_PREVIOUS_SECRET_KEYS. " +
    "If it is lost, `hub rewrap --discard-lost-keys` gives up what it sealed."
  );
}

/** Written whole beside its place and then linked there: of two hubs that start at once, both read the same key. */
export async function writeKeyFile(file: string, key: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  await handle.writeFile(`${key}\n`);
  await handle.sync();
  await handle.close();
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  await rm(draft);
  // What is sealed with this key is lost without it: the name, too, must be on disk before anything is.
  const folder = await open(path.dirname(file));
  await folder.sync();
  await folder.close();
}

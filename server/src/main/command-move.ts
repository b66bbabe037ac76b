import { rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { createSecrets } from "../core/secrets.ts";
import { checkBackup } from "../db/backup/read-backup.ts";
import { writeBackup } from "./command-backup.ts";
import { loadInto } from "./command-restore.ts";
import type { Config } from "./config.ts";
import { ConfigError, environmentWith, readConfig } from "./config.ts";
import { setMark } from "./data-dir-marks.ts";
import { openDatabases } from "./databases.ts";
import { findSecretKey, secretKeyFile } from "./secret-key.ts";
import { withDatabases } from "./with-worlds.ts";

/**
 * Moves from the embedded database to an external one. The hub is stopped meanwhile, and the data directory is marked before the
 * target commits, so that no hub can ever work on both.
 */
export async function runMove(config: Config, args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { preview: { type: "string" } } });
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0) {
    throw new ConfigError("Name one database: hub move-to postgres://USER@HOST/DATABASE [--preview postgres://...]");
  }
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      "DATABASE_URL is set: the hub is on an external database already. Use hub backup and hub restore.",
    );
  }
  const { dataDir } = config;
  const where = [url, values.preview]
    .filter((one) => one !== undefined)
    .map(withoutPassword)
    .join(" and ");
  const file = path.join(dataDir, `moving.${process.pid}`);
  await withDatabases(config, { mayShare: false, mayCreate: false }, async (databases) => {
    const key = await findSecretKey(config);
    const target = readConfig({
      ...environmentWith({}),
      HUB_SECRET_KEY: key,
      DATABASE_URL: url,
      PREVIEW_DATABASE_URL: values.preview,
    });
    const to = await openDatabases(target, { log: () => {}, mayShare: false, mayCreate: false });
    // Until the target commits it is empty, and this data directory stays usable.
    const beforeCommit = async (): Promise<void> => await setMark(dataDir, "moved", markText(dataDir, where));
    try {
      await writeBackup(config, databases, { file, hasSecretKey: false });
      const backup = await checkBackup(file);
      const keys = { secrets: createSecrets(key, config.previousSecretKeys), fromFile: undefined, missing: [] };
      await loadInto(target, to, { backup, mayReplace: false, keys, pause: undefined, beforeCommit });
    } finally {
      await rm(file, { force: true });
      await to.stop();
    }
  });
  const keyWords =
    config.secretKey === undefined
      ? `HUB_SECRET_KEY set to the content of ${secretKeyFile(dataDir)}`
      : "the same HUB_SECRET_KEY";
  console.log(
    `Moved. Start the hub with DATABASE_URL${values.preview === undefined ? "" : " and PREVIEW_DATABASE_URL"} and ${keyWords}.\n` +
      `No hub starts on ${dataDir} any more; delete it when the new database has been backed up.`,
  );
}

function markText(dataDir: string, where: string): string {
  return (
    `The data of ${dataDir} was moved to ${where} at ${new Date().toISOString()}. Start the hub with DATABASE_URL. ` +
    `To use this data directory again, after making sure that no hub works on the other database, delete ${path.join(dataDir, "moved")}.`
  );
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)([^@/]*@)?/, "$1").replace(/\?.*$/, "");
}

import { randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import path from "node:path";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";

/** HUB_SECRET_KEY, or a key made at the first start and kept in a file only this user can read. */
export async function findSecretKey(config: Config): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey;
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      "With DATABASE_URL, HUB_SECRET_KEY is needed too: every hub on that database must have the same.",
    );
  }
  const file = path.join(config.dataDir, "secret.key");
  await mkdir(config.dataDir, { recursive: true });
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(`${randomBytes(32).toString("base64url")}\n`);
    await handle.sync();
    await handle.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return (await readFile(file, "utf8")).trim();
}

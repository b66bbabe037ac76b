import { copyFile, stat, truncate } from "node:fs/promises";

const maxBytes = 10 * 1024 * 1024;

/**
 * Keeps the log and the part before it, about so much each. PostgreSQL goes on writing to the file it was given, and at
 * its end wherever that is; so the file is emptied, not renamed.
 */
export async function trimPostgresLog(file: string, limit = maxBytes): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size <= limit) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}

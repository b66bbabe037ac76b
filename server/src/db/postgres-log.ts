import { copyFile, stat, truncate } from "node:fs/promises";

const maxBytes = 10 * 1024 * 1024;

/**
 * Keeps the current log and one previous part, about `limit` bytes each. The file is truncated, not renamed, since PostgreSQL
 * keeps it open in append mode.
 */
export async function trimPostgresLog(file: string, limit = maxBytes): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size <= limit) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}

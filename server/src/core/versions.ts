import { HubError } from "./errors.ts";

/** If-Match: the caller names the version it read; undefined means it does not care. */
export function checkVersion(record: { version: number }, ifMatch: number | undefined): void {
  if (ifMatch === undefined || ifMatch === record.version) return;
  throw new HubError("version_mismatch", `The record is at version ${record.version}, not ${ifMatch}. Read it again.`, {
    extra: { version: record.version },
  });
}

export function requirePatch(patch: object): void {
  if (Object.keys(patch).length === 0) throw new HubError("empty_patch", "Name at least one field to change.");
}

/** The record as it is after a change. */
export function nextVersion<T extends { updatedAt: string; version: number }>(
  record: T,
  patch: Partial<T>,
  at: Date,
): T {
  return { ...record, ...patch, updatedAt: at.toISOString(), version: record.version + 1 };
}

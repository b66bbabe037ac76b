import { HubError } from "./errors.ts";

/** If-Match: the caller names the version it read, or several that are right for it; undefined means it does not care. */
export type IfMatch = readonly number[] | undefined;

export function checkVersion({ version }: { version: number }, ifMatch: IfMatch): void {
  if (ifMatch === undefined || ifMatch.includes(version)) return;
  const wanted = ifMatch.length === 0 ? "and If-Match names no version" : `not ${ifMatch.join(" or ")}`;
  throw new HubError("version_mismatch", `The record is at version ${version}, ${wanted}. Read it again.`, {
    extra: { version },
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

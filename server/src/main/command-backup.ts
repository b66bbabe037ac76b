import { parseArgs } from "node:util";
import type { Environment } from "../context.ts";
import type { Secrets } from "../core/secrets.ts";
import { createSecrets } from "../core/secrets.ts";
import type { BackupWriter } from "../db/backup/backup-file.ts";
import { createBackupFile } from "../db/backup/backup-file.ts";
import type { Manifest, SurfaceManifest } from "../db/backup/backup-manifest.ts";
import { schemaVersionOf, totalRows } from "../db/backup/backup-manifest.ts";
import { checkBackup } from "../db/backup/read-backup.ts";
import type { Snapshot } from "../db/backup/snapshot.ts";
import { openSnapshot } from "../db/backup/snapshot.ts";
import { readMigrations } from "../db/read-migrations.ts";
import { listKeyIds } from "../db/sealed-columns.ts";
import { createHeadSigner } from "../events/audit-head.ts";
import { verifyAllSealedAcrossOrgs } from "../features/audit/audit.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";
import type { Databases } from "./databases.ts";
import { findSecretKey } from "./secret-key.ts";
import { hubVersion } from "../core/hub-version.ts";
import { withDatabases } from "./with-worlds.ts";

/** Works while a hub runs: it reads a snapshot of each database, and no request waits for it. */
export async function runBackup(config: Config, args: string[]): Promise<void> {
  const options = { "without-secret-key": { type: "boolean", default: false } } as const;
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
  const file = requireFile(positionals, "backup");
  await withDatabases(config, { mayShare: true, mayCreate: false }, async (databases) => {
    // A key from HUB_SECRET_KEY is stored by the operator and not part of the file.
    const hasSecretKey = config.secretKey === undefined && !values["without-secret-key"];
    const { size, manifest } = await writeBackup(config, databases, { file, hasSecretKey });
    console.log(describe(file, size, manifest).join("\n"));
  });
}

export function requireFile(positionals: string[], command: string): string {
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new ConfigError(`Name one file: hub ${command} FILE`);
  return file;
}

type BackupOptions = { file: string; hasSecretKey: boolean };

/** Writes the file, then reads it back: the returned figures come from the file, not from memory. */
export async function writeBackup(
  config: Config,
  databases: Databases,
  { file, hasSecretKey }: BackupOptions,
): Promise<{ size: number; manifest: Manifest }> {
  const key = await findSecretKey(config);
  const secrets = createSecrets(key, config.previousSecretKeys);
  const writer = await createBackupFile(file);
  const snapshots: Snapshot[] = [];
  let size: number;
  try {
    const takenAt = new Date().toISOString();
    // Opens all snapshots first, so that the surfaces have the same time, however long writing takes.
    for (const environment of databases.environments) {
      snapshots.push(await openSnapshot(environment, await databases.reach(environment)));
    }
    if (hasSecretKey) await writer.write("K", key);
    const { surfaces } = await writeAll(writer, snapshots, { takenAt, hasSecretKey, secrets });
    for (const [index, snapshot] of snapshots.entries()) await verifyLogs(snapshot, surfaces[index]!, secrets);
    size = await writer.finish(secrets);
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    await Promise.all(snapshots.map((snapshot) => snapshot.close()));
  }
  return { size, manifest: (await checkBackup(file)).manifest };
}

async function writeAll(
  writer: BackupWriter,
  snapshots: Snapshot[],
  { takenAt, hasSecretKey, secrets }: { takenAt: string; hasSecretKey: boolean; secrets: Secrets },
): Promise<Manifest> {
  const surfaces: SurfaceManifest[] = [];
  const keyIds = new Set([secrets.keyId]);
  for (const snapshot of snapshots) {
    surfaces.push(await snapshot.write(writer));
    for (const keyId of await listKeyIds(snapshot.db)) keyIds.add(keyId);
  }
  const manifest: Manifest = { hubVersion, takenAt, hasSecretKey, keyIds: [...keyIds], surfaces };
  await writer.write("M", JSON.stringify(manifest));
  return manifest;
}

/** A broken audit log does not prevent the backup: the rest of the data is still worth saving. */
async function verifyLogs({ environment, db }: Snapshot, surface: SurfaceManifest, secrets: Secrets): Promise<void> {
  const newest = (await readMigrations()).at(-1)!.version;
  if (schemaVersionOf(surface) !== newest)
    return console.log(`${environment}: the audit logs of an older schema are not checked`);
  const signer = createHeadSigner(secrets, environment);
  const place = { db, environment: environment as Environment, sealer: { signer } };
  for (const { name, found } of await verifyAllSealedAcrossOrgs(place)) {
    if (found.ok) console.log(`${environment}: audit log of ${name}: ${found.entries} entries, chain whole`);
    else {
      const { sequence, reason } = found.firstInvalidEntry!;
      console.error(`PROBLEM ${environment}: audit log of ${name} is broken at ${sequence}: ${reason}`);
      process.exitCode = 1;
    }
  }
}

function describe(file: string, size: number, manifest: Manifest): string[] {
  const { hasSecretKey, keyIds, surfaces, takenAt } = manifest;
  return [
    ...surfaces.map((surface) => `${surface.environment}: ${describeSurface(surface)}`),
    `Read back from the file: its checksum, and rows and checksum of every table, are right.`,
    `${file}: ${(size / 1e6).toFixed(1)} MB. Everything that was acknowledged before ${takenAt} is in it.`,
    hasSecretKey
      ? "It contains the secret key: guard it like the hub itself."
      : `It does not contain the secret key. To restore it you need ${keyIds.join(", ")} (HUB_SECRET_KEY, HUB_PREVIOUS_SECRET_KEYS).`,
  ];
}

export function describeSurface(surface: SurfaceManifest): string {
  return `${surface.tables.length} tables with ${totalRows(surface)} rows, schema ${schemaVersionOf(surface)}`;
}

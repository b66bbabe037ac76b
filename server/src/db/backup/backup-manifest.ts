import type { AppliedMigration } from "../schema-mismatch.ts";
import type { TableDigest } from "./row-digest.ts";

/** The content of a backup file. It is written last, when the rows have been counted. */
export type Manifest = {
  hubVersion: string;
  /** Everything that was acknowledged before this time is in the backup. */
  takenAt: string;
  /** Whether the secret key is in the file, and which keys hubs on these databases were started with. */
  hasSecretKey: boolean;
  keyIds: string[];
  surfaces: SurfaceManifest[];
};

export type SurfaceManifest = {
  environment: string;
  serverVersion: string;
  migrations: AppliedMigration[];
  tables: TableManifest[];
  sequences: SequenceManifest[];
};

export type TableManifest = TableName & TableDigest;
export type TableName = { environment: string; table: string; columns: string[] };
export type SequenceManifest = { table: string; column: string; lastValue: string; isCalled: boolean };

export function schemaVersionOf({ migrations }: SurfaceManifest): number {
  return Math.max(0, ...migrations.map(({ version }) => version));
}

export function totalRows({ tables }: SurfaceManifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

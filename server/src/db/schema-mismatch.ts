import type { Migration } from "./read-migrations.ts";

export type AppliedMigration = Pick<Migration, "version" | "name" | "checksum">;

/** The last version of the hub that has the migrations before the baseline. */
const lastBeforeBaseline = "commit e14b1c20";

export type Mismatch = { kind: "newer" | "changed" | "too old"; name: string };

/** Why this hub cannot work with a schema that these migrations made, or upgrade it. */
export function findMismatch(applied: AppliedMigration[], migrations: Migration[]): Mismatch | undefined {
  const baseline = migrations.find(({ isBaseline }) => isBaseline);
  const last = applied.at(-1);
  if (baseline && last && last.version < baseline.version) return { kind: "too old", name: last.name };
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of applied) {
    // The steps that the baseline replaces. The last of them has its version.
    if (baseline && version <= baseline.version && name !== baseline.name) continue;
    const migration = known.get(version);
    if (!migration) return { kind: "newer", name };
    if (migration.checksum !== checksum) return { kind: "changed", name };
  }
  return undefined;
}

export function explainMismatch({ kind, name }: Mismatch): string {
  if (kind === "newer") return `The database is newer than this hub: it has migration ${name}. Upgrade the hub.`;
  if (kind === "changed") return `Migration ${name} was changed after it was applied. Add a new migration instead.`;
  return (
    `The database is too old for this hub: its last migration is ${name}. ` +
    `Start ${lastBeforeBaseline} of the hub on it once, which upgrades it, then this one. Nothing was changed.`
  );
}

import { HubError } from "../core/errors.ts";
import { hubVersion } from "../core/hub-version.ts";
import type { Database } from "./database.ts";
import type { Migration } from "./read-migrations.ts";
import { findNewerMigration } from "./migrate.ts";
import type { Signals } from "./signals.ts";

/**
 * Detects that a newer hub has migrated the database, by its announcement or after a gap in the signals. From then on all
 * statements are rejected, since this hub does not know the new tables.
 */
export function watchSchema(
  { db, signals }: { db: Database; signals: Signals },
  migrations: Migration[],
  onNewer: (migration: string) => void,
): void {
  function check(): void {
    if (db.refusal()) return;
    findNewerMigration(db, migrations).then(
      (migration) => {
        if (migration === undefined || db.refusal()) return;
        db.refuseAll(new NewerSchema(migration));
        onNewer(migration);
      },
      // The database is unavailable, so the signals have a gap, too, after which this is repeated.
      () => {},
    );
  }
  signals.subscribe("schema", check);
  signals.onGap(check);
  // Another hub may have migrated between the check at the start and the subscription.
  check();
}

export class NewerSchema extends HubError {
  readonly migration: string;

  constructor(migration: string) {
    super(
      "not_ready",
      `The database was migrated by a newer hub (${migration}). This process (hub ${hubVersion}) does not know the new schema and is stopping.`,
    );
    this.migration = migration;
  }
}

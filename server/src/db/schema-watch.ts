import { HubError } from "../core/errors.ts";
import { hubVersion } from "../core/hub-version.ts";
import type { Database } from "./database.ts";
import type { Migration } from "./migrate.ts";
import { findNewerMigration } from "./migrate.ts";
import type { Signals } from "./signals.ts";

/**
 * Notices when a newer hub migrates the database under this one: by its announcement, or after a gap in the signals. From then
 * on no statement is sent any more, since the tables are no longer those that this hub was written for.
 */
export function watchSchema(
  { db, signals }: { db: Database; signals: Signals },
  migrations: Migration[],
  onNewer: (migration: string) => void,
): void {
  function look(): void {
    if (db.refusal()) return;
    findNewerMigration(db, migrations).then(
      (migration) => {
        if (migration === undefined || db.refusal()) return;
        db.refuseAll(new NewerSchema(migration));
        onNewer(migration);
      },
      // The database is away; there is a gap in the signals as well, after which this is done again.
      () => {},
    );
  }
  signals.subscribe("schema", look);
  signals.onGap(look);
  // Between looking at the schema and listening, another hub may have been quick.
  look();
}

export class NewerSchema extends HubError {
  readonly migration: string;

  constructor(migration: string) {
    super(
      "not_ready",
      `The database was migrated by a newer hub (${migration}). This process (hub ${hubVersion}) does not know its tables and is stopping.`,
    );
    this.migration = migration;
  }
}

import type { Queryable } from "../db/database.ts";
import { eventually } from "./eventually.ts";

type Which = {
  /** Default: any lock. */
  lock?: "advisory" | "transactionid";
  /** Regular expression of the statement that waits. Default: any. */
  statement?: string;
};

/** Connections to this database that wait for a lock. Test files share a PostgreSQL: those of other databases do not count. */
export async function countLockWaits(db: Queryable, { lock, statement }: Which = {}): Promise<number> {
  const rows = await db.query(
    `select from pg_stat_activity
      where datname = current_database()
        and wait_event_type = 'Lock'
        and ($1::text is null or wait_event = $1)
        and ($2::text is null or query ~ $2)`,
    [lock ?? null, statement ?? null],
  );
  return rows.length;
}

/** Waits until as many connections wait for a lock. */
export async function lockWaits(
  db: Queryable,
  { count = 1, ...which }: Which & { count?: number } = {},
): Promise<void> {
  await eventually(
    () => countLockWaits(db, which),
    (waiting) => waiting >= count,
  );
}

import type { Database } from "../db/database.ts";

/**
 * Runs a request in a hub that crashes before storing a response outside of a change: a repeated Idempotency-Key then finds only
 * responses that were committed with a change.
 */
export async function dyingBeforeKeeping<T>(db: Database, work: () => Promise<T>): Promise<T> {
  await db.query(`create function die() returns trigger language plpgsql as
    $$ begin
      if pg_current_xact_id_if_assigned() is null then raise exception 'the process is dead'; end if;
      return null;
    end $$`);
  await db.query(`create trigger dead before update of answer on idempotency_keys
    for each statement execute function die()`);
  try {
    return await work();
  } finally {
    await db.query("drop function die cascade");
  }
}

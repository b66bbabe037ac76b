import type { Database } from "../db/database.ts";

/**
 * Does something in a hub that dies whenever it would keep an answer by itself: all that is left for a repeated
 * Idempotency-Key is what was committed together with a change.
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

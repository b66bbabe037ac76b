import type { Database } from "../db/database.ts";
import { eventually } from "./eventually.ts";

/**
 * Checks that `run` locks two rows in the order of their IDs, since different orders can deadlock: while another transaction holds
 * the first row, the second must be unlocked.
 */
export async function waitsAtFirst(
  db: Database,
  table: string,
  ids: [string, string],
  run: () => Promise<unknown>,
): Promise<boolean> {
  const [first, second] = ids.toSorted();
  let running: Promise<unknown> = Promise.resolve();
  const isFree = await db.transaction(async (tx) => {
    await tx.query(`select from ${table} where id = $1 for update`, [first]);
    const [{ pid } = { pid: 0 }] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
    running = run();
    await eventually(
      () => db.query("select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", [pid]),
      (waiting) => waiting.length > 0,
    );
    return (await db.query(`select from ${table} where id = $1 for update skip locked`, [second])).length === 1;
  });
  await running;
  return isFree;
}

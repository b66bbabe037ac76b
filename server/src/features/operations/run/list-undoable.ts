import type { Queryable } from "../../../db/database.ts";
import type { Effects } from "./run-effects.ts";
import { mapWithEffects } from "./run-effects.ts";
import { listChanged } from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";

/** The orders that something of this run is left on. */
export async function listUndoable(db: Queryable, run: RunRow): Promise<{ ref: string; order_id: string }[]> {
  const listed = await listChanged(db, run.id);
  const hasEffect = ({ effectOf }: Effects, { ref }: { ref: string }): boolean => effectOf(run.id, ref) !== 0;
  const isLeft = await mapWithEffects(db, run.root_run_id, listed, hasEffect);
  return listed.filter((_, i) => isLeft[i]);
}

import type { Queryable } from "../../../db/database.ts";
import type { DoneSteps } from "./run-results.store.ts";
import { listChanged, listDoneSteps } from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";

/** Remaining effects of the runs of a chain after all undos, and undos of undos, as bit masks of steps. */
export type Effects = {
  /** Steps this run applied to the order that are not undone. */
  effectOf(runId: string, ref: string): number;
  /** Steps that any run applied to the order and that are undone. */
  undoneSteps(ref: string): number;
};

export async function readEffects(db: Queryable, rootRunId: string, orderIds: string[]): Promise<Effects> {
  const rows = await listDoneSteps(db, rootRunId, orderIds);
  const done = new Map(rows.map((row) => [keyOf(row.run_id, row.ref), row.steps]));
  const undos = Map.groupBy(rows, ({ undo_of, ref }) => undo_of && keyOf(undo_of, ref));
  const forward = Map.groupBy(rows, ({ undo_of, ref }) => (undo_of === null ? ref : undefined));
  // An undo is a run too: once it is undone, the effect is back.
  const effectOf = (runId: string, ref: string): number => {
    const key = keyOf(runId, ref);
    const taken = (undos.get(key) ?? []).reduce((bits, undo) => bits | effectOf(undo.run_id, ref), 0);
    return (done.get(key) ?? 0) & ~taken;
  };
  const undoneSteps = (ref: string): number => {
    const runs: DoneSteps[] = forward.get(ref) ?? [];
    const everDone = runs.reduce((bits, { steps }) => bits | steps, 0);
    return everDone & ~runs.reduce((bits, { run_id }) => bits | effectOf(run_id, ref), 0);
  };
  return { effectOf, undoneSteps };
}

const ordersAtOnce = 5_000;

/** Maps many orders with their effects, in batches that release the event loop in between. */
export async function mapWithEffects<One extends { order_id: string | null }, T>(
  db: Queryable,
  rootRunId: string,
  orders: readonly One[],
  use: (effects: Effects, one: One) => T,
): Promise<T[]> {
  const used: T[] = [];
  for (let from = 0; from < orders.length; from += ordersAtOnce) {
    const some = orders.slice(from, from + ordersAtOnce);
    const ids = some.flatMap(({ order_id }) => order_id ?? []);
    const effects = await readEffects(db, rootRunId, ids);
    for (const one of some) used.push(use(effects, one));
  }
  return used;
}

function keyOf(runId: string, ref: string): string {
  return `${runId} ${ref}`;
}

/** The orders on which this run still has an effect. */
export async function listUndoable(db: Queryable, run: RunRow): Promise<{ ref: string; order_id: string }[]> {
  const changed = await listChanged(db, run.id);
  const hasEffect = ({ effectOf }: Effects, { ref }: { ref: string }): boolean => effectOf(run.id, ref) !== 0;
  const isLeft = await mapWithEffects(db, run.root_run_id, changed, hasEffect);
  return changed.filter((_, i) => isLeft[i]);
}

import type { Queryable } from "../../../db/database.ts";
import type { DoneSteps } from "./run-results.store.ts";
import { listDoneSteps } from "./run-results.store.ts";

/** What is left of the runs of a chain after all undos, and undos of undos; steps are bits. */
export type Effects = {
  /** The steps that this run did to the order and that no undo has taken back. */
  effectOf(runId: string, ref: string): number;
  /** The steps that were done to the order by some run, and taken back since. */
  undoneSteps(ref: string): number;
};

export async function readEffects(db: Queryable, rootRunId: string, orderIds: string[]): Promise<Effects> {
  const rows = await listDoneSteps(db, rootRunId, orderIds);
  const done = new Map(rows.map((row) => [keyOf(row.run_id, row.ref), row.steps]));
  const undos = Map.groupBy(rows, ({ undo_of, ref }) => undo_of && keyOf(undo_of, ref));
  const forward = Map.groupBy(rows, ({ undo_of, ref }) => (undo_of === null ? ref : undefined));
  // An undo is a run as well: what it took back is there again once it is undone itself.
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

/** The effects on many orders, some at a time: others have their turn in between. `use` is asked about each of them. */
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

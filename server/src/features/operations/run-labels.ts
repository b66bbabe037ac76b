import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { RunLabels } from "../labels/labels.ts";
import { countLabelsOfRuns, countOpenOfRuns } from "../labels/labels.ts";
import type { RunRow } from "./run/runs.store.ts";

/** `open`: label and void requests of the run that are pending at carriers. */
export type LabelCounts = RunLabels & { open: number };

export const noLabels: LabelCounts = { requested: 0, bought: 0, failed: 0, refundsPending: 0, open: 0 };

export async function countRunLabels(ctx: Ctx, db: Queryable, run: RunRow): Promise<LabelCounts> {
  return (await countLabels(ctx, db, [run])).get(run.id) ?? noLabels;
}

const labelActions = new Set(["buy_label", "void_label"]);

/** Nothing is read for runs without such actions: most have none. */
export async function countLabels(ctx: Ctx, db: Queryable, runs: RunRow[]): Promise<Map<string, LabelCounts>> {
  const ids = runs.filter(({ actions }) => actions.some(({ type }) => labelActions.has(type))).map(({ id }) => id);
  const counted = await countLabelsOfRuns(db, ctx.orgId, ids);
  const open = await countOpenOfRuns(db, ctx.orgId, ids);
  return new Map(ids.map((id) => [id, { ...(counted.get(id) ?? noLabels), open: open.get(id) ?? 0 }]));
}

import { badField, HubError } from "../../core/errors.ts";
import { isUuid } from "../../core/ids.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { OrderFilterRequest } from "../orders/order-filter.schemas.ts";
import { readFilter, resolveRefs } from "../orders/orders.ts";
import type { Pipeline } from "./evaluate.ts";
import { wholeStepOf } from "./evaluate.ts";
import type { OrderSource } from "./operations.schemas.ts";
import type { Selection, SelectionRequest } from "./selections.schemas.ts";
import { findRun } from "./run/runs.store.ts";
import type { SelectionRow } from "./selections.store.ts";
import * as store from "./selections.store.ts";

const lifetimeMs = 60 * 60_000;
const defaultMost = 100_000;
/** Limit for actions that need all orders at once. */
export const maxOrdersAtOnce = 1_000;

export async function createSelection(ctx: Ctx, request: SelectionRequest): Promise<Selection> {
  const sources = [request.filter, request.refs, request.run].filter((source) => source !== undefined);
  if (sources.length !== 1) {
    const code = sources.length > 1 ? "one_of" : "required";
    throw badField("/filter", code, "Exactly one of `filter`, `refs` and `run` is required.");
  }
  if (request.run && !(await findRun(ctx.db, ctx.orgId, request.run.id))) {
    throw badField("/run/id", "operation_run_not_found", "The run does not exist.");
  }
  return await change(ctx, async (tx) => present(await freeze(tx, ctx, request)));
}

export async function getSelection(ctx: Ctx, id: string): Promise<Selection> {
  return present(orNotFound("selection", await store.findSelection(ctx.db, ctx.orgId, id, ctx.clock.now())));
}

/** The given selection, or a new one from the filter; not larger than the pipeline allows. */
export async function takeSelection(ctx: Ctx, source: OrderSource, pipeline: Pipeline): Promise<SelectionRow> {
  const whole = wholeStepOf(pipeline);
  if (source.filter) {
    return await freeze(ctx.db, ctx, { filter: source.filter }, whole ? maxOrdersAtOnce : undefined);
  }
  const id = source.selection_id!;
  const found = isUuid(id) ? await store.findSelection(ctx.db, ctx.orgId, id, ctx.clock.now()) : undefined;
  if (!found) {
    const message = "The selection does not exist or has expired after one hour. Create a new one.";
    throw badField("/selection_id", "selection_not_found", message);
  }
  if (whole && found.matched > maxOrdersAtOnce) throw tooMany(found.matched, maxOrdersAtOnce, whole.action.type);
  return found;
}

/** The IDs of all orders that match a filter now, oldest first; possibly none. */
export async function selectOrders(ctx: Ctx, filter: OrderFilterRequest, pipeline: Pipeline): Promise<string[]> {
  try {
    const { id, matched } = await takeSelection(ctx, { filter }, pipeline);
    const batches = Array.from({ length: Math.ceil(matched / store.selectionBatch) }, (_, n) => n);
    const ids: string[] = [];
    for (const n of batches) ids.push(...(await store.readSelected(ctx.db, ctx.orgId, id, n * store.selectionBatch)));
    return ids;
  } catch (error) {
    if (error instanceof HubError && error.code === "empty_selection") return [];
    throw error;
  }
}

export async function removeExpiredSelections({ db, clock }: World): Promise<void> {
  await store.deleteExpiredSelectionsAcrossOrgs(db, clock.now());
}

async function freeze(
  db: Queryable,
  ctx: Ctx,
  { filter, refs = [], run, exclude_order_ids = [] }: SelectionRequest,
  atMost?: number,
): Promise<SelectionRow> {
  const asOf = ctx.clock.now();
  const named = await resolveRefs(db, ctx.orgId, [...new Set(refs)]);
  const excluded = exclude_order_ids.length === 0 ? [] : await resolveRefs(db, ctx.orgId, exclude_order_ids);
  const max = atMost ?? ctx.settings.maxSelectionOrders ?? defaultMost;
  const { matched, row } = await store.insertSelection(db, ctx.orgId, {
    id: ctx.newId(),
    filter: filter ? readFilter(ctx, filter, "/filter") : null,
    named: [...named.values()],
    run,
    not_found: new Set(refs).size - named.size,
    excluded: [...excluded.values()],
    max,
    as_of: asOf,
    expires_at: new Date(asOf.getTime() + lifetimeMs),
  });
  if (matched > max) throw tooMany(matched, max);
  if (!row) throw new HubError("empty_selection");
  await store.deleteOldestSelections(db, ctx.orgId);
  return row;
}

function tooMany(matched: number, max: number, type?: string): HubError {
  const what = type === undefined ? "A selection has" : `${type} needs all orders at once and takes`;
  return new HubError("too_many_orders", `${what} at most ${max} orders; the filter matches ${matched}.`, {
    extra: { matched, max },
  });
}

function present({ id, matched, not_found, by_status, sample, as_of, expires_at }: SelectionRow): Selection {
  return {
    id,
    matched,
    not_found,
    by_status,
    sample,
    as_of: as_of.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}

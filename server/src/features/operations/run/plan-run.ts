import { badField, HubError } from "../../../core/errors.ts";
import type { Ctx } from "../../../context.ts";
import { readVersions } from "../../orders/orders.ts";
import type { Pipeline } from "../evaluate.ts";
import { isGrouped } from "../evaluate.ts";
import type { RunRequest } from "../operations.schemas.ts";
import { readSeenOrders, readSeenSelection } from "../preflight-token.ts";
import { takeSelection } from "../selections.ts";
import { listDrifted } from "../selections.store.ts";
import type { FoundOrders } from "./run-orders.ts";
import { findOrders, sourceOf } from "./run-orders.ts";
import type { NewBatch } from "./run-results.store.ts";
import type { NewRun, SelectedOrders } from "./runs.store.ts";

/** Orders of a run that are changed in one transaction. */
export const batchSize = 500;
/** Maximum number of changed orders that are listed. */
const maxDrifted = 10_000;

/** Orders given by ID or number. `versions`: those they must still have when they are processed. */
export type PlannedOrders = FoundOrders & { todo?: number[]; versions?: (number | null)[] };

/** The orders of a run, and the fields of the run that describe them. */
export type RunOrders = {
  orders: PlannedOrders | SelectedOrders;
  about: Partial<Pick<NewRun, "drifted" | "excluded_count" | "selection_id" | "filter">>;
};

/** Writes nothing except the selection of a filter. */
export async function planOrders(ctx: Ctx, request: RunRequest, pipeline: Pipeline): Promise<RunOrders> {
  const source = sourceOf(request);
  for (const name of ["on_drift", "exclude_codes"] as const) {
    if (request[name] === undefined || request.preflight_token !== undefined) continue;
    throw badField(`/${name}`, "preflight_required", `${name} requires the preflight_token of a preflight.`);
  }
  if (source.order_ids && request.recheck_filter !== undefined) {
    throw badField("/recheck_filter", "filter_required", "Only allowed with filter or selection_id.");
  }
  if (source.order_ids) return await planNamed(ctx, request, await findOrders(ctx, source.order_ids, pipeline));
  return await planSelected(ctx, request, pipeline);
}

async function planNamed(ctx: Ctx, request: RunRequest, found: FoundOrders): Promise<RunOrders> {
  const { preflight_token: token, on_drift, exclude_codes = [] } = request;
  if (token === undefined) return { orders: found, about: {} };
  const now = await readVersions(
    ctx.db,
    ctx.orgId,
    found.orderIds.filter((id) => id !== null),
  );
  const versions = new Map(now.map(({ id, version }) => [id, version]));
  const seen = readSeenOrders(ctx, token, request, [...versions.keys()]);
  const isExcluded = (id: string | null): boolean =>
    (id === null ? "order_not_found order_number_ambiguous" : (seen.get(id)?.codes ?? ""))
      .split(" ")
      .some((code) => exclude_codes.includes(code));
  const kept = found.orderIds.map((id) => !isExcluded(id));
  const orders: PlannedOrders = {
    refs: found.refs.filter((_, i) => kept[i]),
    orderIds: found.orderIds.filter((_, i) => kept[i]),
    duplicatesRemoved: found.duplicatesRemoved,
  };
  if (orders.refs.length === 0) throw new HubError("empty_selection");
  const drifted = orders.orderIds.filter((id) => id !== null && seen.get(id)?.version !== versions.get(id)) as string[];
  rejectDrifted(request, drifted);
  if (checksVersions(on_drift)) {
    orders.versions = orders.orderIds.map((id) => (id === null ? null : (seen.get(id)?.version ?? null)));
  }
  return { orders, about: { drifted, excluded_count: found.refs.length - orders.refs.length } };
}

async function planSelected(ctx: Ctx, request: RunRequest, pipeline: Pipeline): Promise<RunOrders> {
  const { preflight_token: token, on_drift, exclude_codes: excludeCodes = [], recheck_filter = true } = request;
  const { id: selectionId, matched, filter } = await takeSelection(ctx, request, pipeline);
  const about = { selection_id: selectionId, ...(recheck_filter ? { filter } : {}) };
  const size = isGrouped(pipeline) ? matched : batchSize;
  const orders: SelectedOrders = {
    selectionId,
    matched,
    size,
    preflightId: null,
    excludeCodes,
    checksVersions: checksVersions(on_drift),
    todo: everything(pipeline),
  };
  if (token === undefined) return { orders, about };
  const preflightId = readSeenSelection(ctx, token, request, selectionId);
  const drifted = await listDrifted(ctx.db, ctx.orgId, { selectionId, preflightId, excludeCodes }, maxDrifted);
  rejectDrifted(request, drifted);
  return { orders: { ...orders, preflightId }, about: { ...about, drifted } };
}

/** A caller that rejects changed orders also wants to skip those that change before they are processed. */
function checksVersions(on_drift: RunRequest["on_drift"]): boolean {
  return on_drift === "skip" || on_drift === "reject";
}

const firstDrifted = 100;

function rejectDrifted({ on_drift }: RunRequest, drifted: string[]): void {
  if (on_drift !== "reject" || drifted.length === 0) return;
  const message = "Orders have changed since the preflight. Make a new one.";
  throw new HubError("orders_drifted", message, { extra: { drifted_orders: drifted.slice(0, firstDrifted) } });
}

/** All steps of the pipeline as a bit mask. */
function everything({ steps }: Pipeline): number {
  return 2 ** steps.length - 1;
}

export function toBatches({ refs, orderIds, todo, versions }: PlannedOrders, pipeline: Pipeline): NewBatch[] {
  const size = isGrouped(pipeline) ? refs.length : batchSize;
  const batches: NewBatch[] = [];
  for (let from = 0; from < refs.length; from += size) {
    const until = Math.min(from + size, refs.length);
    batches.push({
      position: from,
      refs: refs.slice(from, until),
      orderIds: orderIds.slice(from, until),
      todo: todo?.slice(from, until) ?? Array.from({ length: until - from }, () => everything(pipeline)),
      versions: versions?.slice(from, until) ?? null,
    });
  }
  return batches;
}

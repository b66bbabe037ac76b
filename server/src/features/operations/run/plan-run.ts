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
import type { NewPortion } from "./run-results.store.ts";
import type { NewRun, SelectedOrders } from "./runs.store.ts";

/** The orders of a run that are changed in one transaction. */
export const portionSize = 500;
/** So many are named of those that were changed since the preflight. */
const maxDrifted = 10_000;

/** Orders that were named. `versions`: those that they must still have when their turn comes. */
export type PlannedOrders = FoundOrders & { todo?: number[]; versions?: (number | null)[] };

/** Which orders a run is about, and what it is told about them. */
export type RunOrders = {
  orders: PlannedOrders | SelectedOrders;
  about: Partial<Pick<NewRun, "drifted" | "excluded_count" | "selection_id" | "filter">>;
};

/** Nothing is written yet, but for a selection that is made of a filter. */
export async function planOrders(ctx: Ctx, request: RunRequest, pipeline: Pipeline): Promise<RunOrders> {
  const source = sourceOf(request);
  for (const name of ["on_drift", "exclude_codes"] as const) {
    if (request[name] === undefined || request.preflight_token !== undefined) continue;
    throw badField(
      `/${name}`,
      "preflight_required",
      `${name} needs the preflight_token of the preflight that it is about.`,
    );
  }
  if (source.order_ids && request.recheck_filter !== undefined) {
    throw badField("/recheck_filter", "filter_required", "Orders that are named by order_ids have no filter to meet.");
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
  const isLeftOut = (id: string | null): boolean =>
    (id === null ? "order_not_found order_number_ambiguous" : (seen.get(id)?.codes ?? ""))
      .split(" ")
      .some((code) => exclude_codes.includes(code));
  const kept = found.orderIds.map((id) => !isLeftOut(id));
  const orders: PlannedOrders = {
    refs: found.refs.filter((_, i) => kept[i]),
    orderIds: found.orderIds.filter((_, i) => kept[i]),
    duplicatesRemoved: found.duplicatesRemoved,
  };
  if (orders.refs.length === 0) throw new HubError("empty_selection");
  const drifted = orders.orderIds.filter((id) => id !== null && seen.get(id)?.version !== versions.get(id)) as string[];
  refuseDrifted(request, drifted);
  if (checksVersions(on_drift)) {
    orders.versions = orders.orderIds.map((id) => (id === null ? null : (seen.get(id)?.version ?? null)));
  }
  return { orders, about: { drifted, excluded_count: found.refs.length - orders.refs.length } };
}

async function planSelected(ctx: Ctx, request: RunRequest, pipeline: Pipeline): Promise<RunOrders> {
  const { preflight_token: token, on_drift, exclude_codes: excludeCodes = [], recheck_filter = true } = request;
  const { id: selectionId, matched, filter } = await takeSelection(ctx, request, pipeline);
  const about = { selection_id: selectionId, ...(recheck_filter ? { filter } : {}) };
  const size = isGrouped(pipeline) ? matched : portionSize;
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
  refuseDrifted(request, drifted);
  return { orders: { ...orders, preflightId }, about: { ...about, drifted } };
}

/** Whoever refuses to start over changed orders does not want those changed that are changed a moment later. */
function checksVersions(on_drift: RunRequest["on_drift"]): boolean {
  return on_drift === "skip" || on_drift === "reject";
}

const firstDrifted = 100;

function refuseDrifted({ on_drift }: RunRequest, drifted: string[]): void {
  if (on_drift !== "reject" || drifted.length === 0) return;
  const message = "Orders were changed since the preflight. Make a new one.";
  throw new HubError("orders_drifted", message, { extra: { drifted_orders: drifted.slice(0, firstDrifted) } });
}

/** All steps of the pipeline, as bits. */
function everything({ steps }: Pipeline): number {
  return 2 ** steps.length - 1;
}

export function toPortions({ refs, orderIds, todo, versions }: PlannedOrders, pipeline: Pipeline): NewPortion[] {
  const size = isGrouped(pipeline) ? refs.length : portionSize;
  const portions: NewPortion[] = [];
  for (let from = 0; from < refs.length; from += size) {
    const until = Math.min(from + size, refs.length);
    portions.push({
      position: from,
      refs: refs.slice(from, until),
      orderIds: orderIds.slice(from, until),
      todo: todo?.slice(from, until) ?? Array.from({ length: until - from }, () => everything(pipeline)),
      versions: versions?.slice(from, until) ?? null,
    });
  }
  return portions;
}

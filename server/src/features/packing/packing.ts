import { HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { toMoment } from "../../core/time-zones.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { findRun, openActions, queueRun } from "../operations/operations.ts";
import { remainingOf } from "../orders/order.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { findIdByRef, insertChanges } from "../orders/orders.ts";
import { findTimeZone, today } from "../organizations/organizations.ts";
import { isComplete } from "./packing-count.ts";
import { expectedWeightOf, holdActions, labelActions } from "./packing-runs.ts";
import type { LoadedSession } from "./packing-session.ts";
import {
  aboutSession,
  loadSession,
  loadSessions,
  lockOwn,
  presentSession,
  saveSession,
  sessionItems,
} from "./packing-session.ts";
import type {
  CancelRequest,
  ConfirmRequest,
  PackingSession,
  PackingStats,
  SessionPatch,
  SessionQuery,
} from "./packing.schemas.ts";
import * as store from "./packing.store.ts";

export { countByHand, scanCode, undoScan } from "./scan-items.ts";

export async function listSessions(ctx: Ctx, query: SessionQuery): Promise<Page<PackingSession>> {
  const orderId = await findIdByRef(ctx, query.orderId);
  const page = await store.listSessions(ctx.db, ctx.orgId, { ...query, ...(orderId && { orderId }) });
  const loaded = await loadSessions(ctx.db, ctx.orgId, page.data);
  return { ...page, data: loaded.map(presentSession) };
}

export async function getSession(ctx: Ctx, id: string): Promise<PackingSession> {
  return presentSession(await readSession(ctx, id));
}

async function readSession(ctx: Ctx, id: string): Promise<LoadedSession> {
  return await loadSession(ctx.db, ctx.orgId, await store.sessions.get(ctx.db, ctx.orgId, id));
}

export async function getStats(ctx: Ctx): Promise<PackingStats> {
  const since = toMoment(await today(ctx), await findTimeZone(ctx, ctx.orgId));
  return await store.readStats(ctx.db, ctx.orgId, since);
}

export async function updateSession(
  ctx: Ctx,
  id: string,
  patch: SessionPatch,
  ifMatch: IfMatch,
): Promise<PackingSession> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    const loaded = await lockOwn(tx, ctx, id);
    checkVersion(loaded.session, ifMatch);
    const next = { ...loaded, session: await saveSession(tx, ctx, loaded.session, patch) };
    const { box, weight } = next.session;
    const data = { ...aboutSession(next), box: box?.name ?? null, weight };
    recordEvent(tx, ctx, { type: "packing.updated", objectId: id, data });
    return presentSession(next);
  });
}

/**
 * Ends the session of a completely packed order, and buys its label. The run is committed with it: after a crash the order is packed
 * and its label is bought, or neither. A packed session can be confirmed again to buy the label after a failed or voided one.
 */
export async function confirmSession(
  ctx: Ctx,
  id: string,
  { buyLabel = false }: ConfirmRequest,
): Promise<PackingSession> {
  const before = await readSession(ctx, id);
  if (buyLabel) await requireRunEnded(ctx, before);
  const open = buyLabel ? await openActions(ctx, purchaseOf(before)) : undefined;
  return await change(ctx, async (tx) => {
    const current = await store.sessions.lock(tx, ctx.orgId, id);
    const isAgain = current.status === "packed";
    const loaded = isAgain ? await loadSession(tx, ctx.orgId, current) : await lockOwn(tx, ctx, id);
    // Nothing is left to do, or another request has just done it.
    if (isAgain && (!open || before.session.status === "open")) return presentSession(loaded);
    const { order } = loaded;
    requirePacked(loaded);
    const note = `Packed${current.station === null ? "" : ` at ${current.station}`}`;
    const about = { orderIds: [order.id], cause: null, condition: null, filter: null, note };
    const labelRunId = open ? await queueRun(tx, ctx, open, about) : current.labelRunId;
    const at = ctx.clock.now();
    const ended = isAgain ? {} : { status: "packed" as const, packer: ctx.actor, endedAt: at.toISOString() };
    const session = await saveSession(tx, ctx, current, { ...ended, labelRunId });
    const next = { ...loaded, session };
    const items = sessionItems(next).map(({ line, packed }) => ({ sku: line.sku, quantity: packed }));
    const data = { ...aboutSession(next), contents: items.slice(0, maxShownItems), labelRunId };
    recordEvent(tx, ctx, { type: isAgain ? "packing.label_requested" : "packing.packed", objectId: id, data });
    if (!isAgain) {
      const listed = items.slice(0, maxShownItems).map(({ sku, quantity }) => `${quantity} × ${sku}`);
      const changes = [{ path: "/packed", from: null, to: listed.join(", ") }];
      const entry = { orderId: order.id, changes, version: order.version };
      insertChanges(tx, ctx.orgId, [entry], { ...ctx, kind: "packed", at });
    }
    return presentSession(next);
  });
}

/** An event and a timeline entry list at most this many. */
const maxShownItems = 100;

function purchaseOf(loaded: LoadedSession) {
  const { box, weight } = loaded.session;
  return labelActions(loaded.order, { box, weight, expectedWeight: expectedWeightOf(sessionItems(loaded), box) });
}

/** A second run beside an unfinished one would find the label of the first, and end without one of its own. */
async function requireRunEnded(ctx: Ctx, { session: { labelRunId } }: LoadedSession): Promise<void> {
  const run = labelRunId === null ? undefined : await findRun(ctx, labelRunId);
  if (run && run.finished_at === null) throw new HubError("run_not_finished", "The label is still being bought.");
}

function requirePacked(loaded: LoadedSession): void {
  const { session, order } = loaded;
  const problem = shippingProblem(order);
  if (problem) throw new HubError("invalid_state", `${order.number}: ${problem.message} ${problem.fix}`);
  if (session.status === "packed") {
    if (order.lines.every((line) => remainingOf(line) === 0)) throw new HubError("label_exists");
    return;
  }
  const items = sessionItems(loaded);
  if (isComplete(items)) return;
  const missing = items.filter(({ needed, packed }) => needed !== packed).slice(0, 5);
  const listed = missing.map(({ line, needed, packed }) => `${packed} of ${needed} ${line.sku}`).join(", ");
  throw new HubError("packing_incomplete", `Packed: ${listed}.`);
}

/** Ends the session without packing the order, which may be placed on hold. */
export async function cancelSession(ctx: Ctx, id: string, { hold }: CancelRequest): Promise<PackingSession> {
  const open = hold ? await openActions(ctx, holdActions(hold)) : undefined;
  return await change(ctx, async (tx) => {
    const loaded = await lockOwn(tx, ctx, id);
    const orderIds = [loaded.order.id];
    const about = { orderIds, cause: null, condition: null, filter: null, note: "Packing stopped" };
    if (open) await queueRun(tx, ctx, open, about);
    const ended = { status: "stopped" as const, endedAt: ctx.clock.now().toISOString() };
    const next = { ...loaded, session: await saveSession(tx, ctx, loaded.session, ended) };
    const data = { ...aboutSession(next), holdReason: hold?.reason ?? null };
    recordEvent(tx, ctx, { type: "packing.stopped", objectId: id, data });
    return presentSession(next);
  });
}

import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { isAllShipped } from "../orders/order.ts";
import type { Order } from "../orders/order.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { findByRef, lockOrders } from "../orders/orders.ts";
import { listShipments } from "../shipments/shipments.ts";
import type { Match, PackItem } from "./packing-count.ts";
import { itemsOf, matchCode, whyNotNeeded } from "./packing-count.ts";
import type { LoadedSession } from "./packing-session.ts";
import { aboutSession, isOwn, loadSession, lockOwn, presentSession, saveSession, takenBy } from "./packing-session.ts";
import type { CountRequest, PackingSession, ScanAnswer, ScanRequest } from "./packing.schemas.ts";
import type { StoredSession } from "./packing.store.ts";
import * as store from "./packing.store.ts";

/** Counts an item of the session, or opens the session of the order that the code names. */
export async function scanCode(ctx: Ctx, request: ScanRequest): Promise<ScanAnswer> {
  const { code, sessionId } = request;
  if (sessionId === undefined) {
    const orderId = await findOrderId(ctx, code);
    if (orderId !== undefined) return await openSession(ctx, orderId, request);
    throw new HubError("order_not_found", `No order has the number or tracking number ${code.trim()}.`);
  }
  // Not locked yet: a packer who switches orders holds no lock on the session that is left, so that two who switch cannot deadlock.
  const session = await store.sessions.get(ctx.db, ctx.orgId, sessionId);
  const { order, packed } = await loadSession(ctx.db, ctx.orgId, session);
  const orderId = matchCode(order, packed, code) ? undefined : await findOrderId(ctx, code);
  return orderId === undefined ? await countCode(ctx, sessionId, request) : await openSession(ctx, orderId, request);
}

/** By number, also typed in lower case, by ID, or by the tracking number of a shipment. */
async function findOrderId(ctx: Ctx, given: string): Promise<string | undefined> {
  const code = given.trim();
  for (const ref of new Set([code, code.toUpperCase()])) {
    try {
      return (await findByRef(ctx.db, ctx, ref)).id;
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== "order_not_found") throw error;
    }
  }
  const { data } = await listShipments(ctx, { trackingNumber: code, page: 1, limit: 1 });
  return data[0]?.orderId ?? undefined;
}

type Opening = Pick<ScanRequest, "station" | "takeOver">;

async function openSession(ctx: Ctx, orderId: string, { station, takeOver = false }: Opening): Promise<ScanAnswer> {
  return await change(ctx, async (tx): Promise<ScanAnswer> => {
    const [order] = await lockOrders(tx, ctx.orgId, [orderId]);
    if (!order) throw new HubError("order_not_found");
    refuseUnpackable(order);
    const existing = await store.lockOpenSession(tx, ctx.orgId, orderId);
    if (!existing) return { outcome: "opened", lineId: null, session: await startSession(tx, ctx, order, station) };
    const loaded = await loadSession(tx, ctx.orgId, existing);
    if (isOwn(ctx, existing, station)) return { outcome: "resumed", lineId: null, session: presentSession(loaded) };
    // A session without a scan claims nothing: the order was only looked at.
    if (!takeOver && loaded.packed.size > 0) throw takenBy(existing);
    const session = await saveSession(tx, ctx, existing, { packer: ctx.actor, station: station ?? null });
    const next = { ...loaded, session };
    const data = { ...aboutSession(next), previousPacker: existing.packer };
    recordEvent(tx, ctx, { type: "packing.taken_over", objectId: session.id, data });
    return { outcome: "resumed", lineId: null, session: presentSession(next) };
  });
}

/** The rules of labels apply: what cannot be shipped is not packed. */
function refuseUnpackable(order: Order): void {
  const problem = shippingProblem(order);
  if (problem) throw new HubError("invalid_state", `${order.number}: ${problem.message} ${problem.fix}`);
  if (!isAllShipped(order.lines)) return;
  const isShipped = order.lines.some(({ shippedQuantity }) => shippedQuantity > 0);
  const why = isShipped ? "All items are shipped already." : "None of its items is shipped.";
  throw new HubError("invalid_state", `${order.number}: ${why}`);
}

async function startSession(tx: Tx, ctx: Ctx, order: Order, station: string | undefined): Promise<PackingSession> {
  const at = ctx.clock.now().toISOString();
  const session: StoredSession = {
    id: ctx.newId(),
    orderId: order.id,
    status: "open",
    station: station ?? null,
    packer: ctx.actor,
    box: null,
    weight: null,
    labelRunId: null,
    createdAt: at,
    endedAt: null,
    updatedAt: at,
    version: 1,
  };
  await store.sessions.insert(tx, ctx.orgId, session);
  const loaded = { session, order, packed: new Map<string, number>() };
  recordEvent(tx, ctx, { type: "packing.started", objectId: session.id, data: aboutSession(loaded) });
  return presentSession(loaded);
}

async function countCode(ctx: Ctx, id: string, { code, station }: ScanRequest): Promise<ScanAnswer> {
  return await change(ctx, async (tx) => {
    const loaded = await lockOwn(tx, ctx, id, station);
    refuseUnpackable(loaded.order);
    const match = matchCode(loaded.order, loaded.packed, code);
    if (match?.kind !== "item") return reject(tx, ctx, loaded, match, code);
    const { line } = match.item;
    const session = await addUnits(tx, ctx, loaded, match.item, { quantity: 1, byHand: false });
    return { outcome: "counted" as const, lineId: line.id, session };
  });
}

/** For items without a barcode. */
export async function countByHand(
  ctx: Ctx,
  id: string,
  { lineId, quantity = 1 }: CountRequest,
): Promise<PackingSession> {
  return await change(ctx, async (tx) => {
    const loaded = await lockOwn(tx, ctx, id);
    const { order, packed } = loaded;
    refuseUnpackable(order);
    const line = order.lines.find((one) => one.id === lineId);
    if (!line) return reject(tx, ctx, loaded, undefined, lineId);
    const item = itemsOf(order, packed).find((one) => one.line === line);
    if (!item) return reject(tx, ctx, loaded, { kind: "not_needed", line }, line.sku);
    if (item.packed + quantity > item.needed) return reject(tx, ctx, loaded, { kind: "full", item }, line.sku);
    return await addUnits(tx, ctx, loaded, item, { quantity, byHand: true });
  });
}

async function addUnits(
  tx: Tx,
  ctx: Ctx,
  loaded: LoadedSession,
  { line, needed, packed }: PackItem,
  { quantity, byHand }: { quantity: number; byHand: boolean },
): Promise<PackingSession> {
  const { session } = loaded;
  await store.insertScan(tx, ctx.orgId, session.id, { lineId: line.id, quantity }, ctx.clock.now());
  const count = packed + quantity;
  const next = {
    ...loaded,
    session: await saveSession(tx, ctx, session),
    packed: new Map(loaded.packed).set(line.id, count),
  };
  const data = { ...aboutSession(next), lineId: line.id, sku: line.sku, quantity, packed: count, needed, byHand };
  recordEvent(tx, ctx, { type: "packing.scanned", objectId: session.id, data });
  return presentSession(next);
}

/** A refused scan is an event, too. Returned, not thrown, so that the event is committed. */
function reject(tx: Tx, ctx: Ctx, loaded: LoadedSession, match: Match, code: string): HubError {
  const { order, packed, session } = loaded;
  const refusal = refusalOf(match, code.trim(), itemsOf(order, packed));
  const data = { ...aboutSession(loaded), code: code.trim(), reason: refusal.code };
  recordEvent(tx, ctx, { type: "packing.scan_rejected", objectId: session.id, data });
  return refusal;
}

function refusalOf(match: Match, code: string, items: PackItem[]): HubError {
  if (match?.kind === "not_needed") {
    const { id: lineId, sku } = match.line;
    const message = `${sku} ${whyNotNeeded(match.line)}: it is not part of this package.`;
    return new HubError("item_not_needed", message, { extra: { lineId, sku } });
  }
  if (match) {
    const { needed, packed, line } = match.item;
    const left = needed - packed;
    const message =
      left <= 0 ? `All ${needed} of ${line.sku} are packed.` : `Only ${left} of ${line.sku} are left to pack.`;
    return new HubError("too_many_items", message, { extra: { lineId: line.id, sku: line.sku } });
  }
  const needed = items.filter((item) => item.packed < item.needed).map(({ line }) => line.sku);
  const shown = needed.slice(0, 5).join(", ") + (needed.length > 5 ? ` and ${needed.length - 5} more` : "");
  const message = `${code} is not in this order. ${needed.length === 0 ? "All items are packed." : `It needs ${shown}.`}`;
  return new HubError("wrong_item", message, { extra: { scanned: code, needed: needed.slice(0, 100) } });
}

/** Takes the last scan back. */
export async function undoScan(ctx: Ctx, id: string): Promise<PackingSession> {
  return await change(ctx, async (tx) => {
    const loaded = await lockOwn(tx, ctx, id);
    const scan = await store.deleteLastScan(tx, ctx.orgId, id);
    if (!scan) throw new HubError("invalid_state", "No item of this session is packed.");
    const { lineId, quantity } = scan;
    const count = (loaded.packed.get(lineId) ?? 0) - quantity;
    const next = {
      ...loaded,
      session: await saveSession(tx, ctx, loaded.session),
      packed: new Map(loaded.packed).set(lineId, count),
    };
    const data = { ...aboutSession(next), lineId, quantity, packed: count };
    recordEvent(tx, ctx, { type: "packing.scan_undone", objectId: id, data });
    return presentSession(next);
  });
}

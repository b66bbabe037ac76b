import type { Ctx } from "../../context.ts";
import { canMove } from "../../core/states.ts";
import { createFinder } from "../../core/validation.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { insertPrepared, prepareOrders, takeFreeNumbers } from "./create-orders.ts";
import { fieldsOf, ruleErrors } from "./order-fields.ts";
import { insertChanges } from "./order-history.store.ts";
import type { HistoryEntry } from "./order-history.store.ts";
import type { Order, OrderFields } from "./order.ts";
import { changesOf, isOnHold } from "./order.ts";
import type { OrderRequest } from "./orders.schemas.ts";
import { OrderRequest as OrderRequestShape } from "./orders.schemas.ts";
import { orderMoves, orderStatuses } from "./orders.states.ts";
import * as store from "./orders.store.ts";
import * as pulled from "./pulled-orders.store.ts";

/** An order as a bridge delivers it: the body of a request, and its identity and age there. */
export type PulledOrder = { externalId: string; updatedAt: string | undefined; body: Record<string, unknown> };

export type PulledOutcome = { counts: Record<string, number>; failures: unknown[] };

const findErrors = createFinder(OrderRequestShape, "body");

/** Fields that belong to the hub once the order is here: the shop may fill them, not overwrite them. */
const ownedByHub: ReadonlySet<string> = new Set(["number", "status", "tags", "notes", "priority", "assigneeId"]);

/**
 * Creates those that are new and updates those that changed, one statement each for the whole page. A state older than
 * the one that is stored changes nothing, so that pages may overlap, repeat and arrive late.
 */
export async function upsertPulledOrders(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  items: PulledOrder[],
): Promise<PulledOutcome> {
  const outcome: PulledOutcome = { counts: { created: 0, updated: 0, unchanged: 0, failed: 0 }, failures: [] };
  const newest = keepNewest(items);
  const externalIds = [...newest.keys()];
  await pulled.lockExternalIds(tx, bridgeId, externalIds);
  const known = await pulled.findByExternalIds(tx, ctx.orgId, bridgeId, externalIds);
  const existing = new Map(
    (
      await store.lockOrders(
        tx,
        ctx.orgId,
        known.map(({ id }) => id),
      )
    ).map((o) => [o.id, o]),
  );
  const isKnown = new Map(known.map((row) => [row.external_id, row]));

  const fresh = externalIds.filter((id) => !isKnown.has(id)).map((id) => newest.get(id)!);
  await createFresh(tx, ctx, bridgeId, fresh, outcome);
  const changed = known.flatMap(({ id, external_id, source_updated_at }) => {
    const item = newest.get(external_id)!;
    const isStale =
      source_updated_at !== null && item.updatedAt !== undefined && new Date(item.updatedAt) < source_updated_at;
    if (isStale) outcome.counts.unchanged!++;
    return isStale ? [] : [{ item, order: existing.get(id)! }];
  });
  await updateChanged(tx, ctx, changed, outcome);
  await pulled.rememberAges(tx, ctx.orgId, bridgeId, ages(newest));
  return outcome;
}

function keepNewest(items: PulledOrder[]): Map<string, PulledOrder> {
  const newest = new Map<string, PulledOrder>();
  for (const item of items) {
    const other = newest.get(item.externalId);
    if (!other || (item.updatedAt ?? "") >= (other.updatedAt ?? "")) newest.set(item.externalId, item);
  }
  return newest;
}

function ages(items: Map<string, PulledOrder>): { externalId: string; updatedAt: string }[] {
  return [...items.values()].flatMap(({ externalId, updatedAt }) =>
    updatedAt === undefined ? [] : [{ externalId, updatedAt }],
  );
}

async function createFresh(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  items: PulledOrder[],
  outcome: PulledOutcome,
): Promise<void> {
  if (items.length === 0) return;
  const requests = items.map(({ externalId, body }) => ({ ...body, bridgeId, externalId }));
  const prepared = await prepareOrders(tx, ctx.orgId, requests);
  const missing = prepared.drafts.filter(({ request }) => request.number === undefined).length;
  const given = new Set(prepared.drafts.flatMap(({ request }) => request.number ?? []));
  const numbers = missing === 0 ? [] : await takeFreeNumbers(tx, ctx.orgId, missing, given);
  const outcomes = await insertPrepared(tx, ctx, prepared, numbers, "imported");
  const created: string[] = [];
  for (const [index, one] of outcomes.entries()) {
    if ("order" in one) created.push(one.order.id);
    else fail(outcome, items[index]!, one.failure.code, one.failure.message, one.failure.errors);
  }
  outcome.counts.created! += created.length;
  if (created.length > 0) {
    const data = { count: created.length, source: "bridge", bridgeId, firstIds: created.slice(0, 100) };
    await recordEvent(tx, ctx, { type: "orders.created", objectType: "order_batch", objectId: ctx.newId(), data });
  }
}

async function updateChanged(
  tx: Tx,
  ctx: Ctx,
  pairs: { item: PulledOrder; order: Order }[],
  outcome: PulledOutcome,
): Promise<void> {
  const at = ctx.clock.now();
  const env = { now: at.toISOString(), actor: ctx.actor, newId: ctx.newId };
  const updated: Order[] = [];
  const entries: HistoryEntry[] = [];
  const fields = new Set<keyof OrderFields>();
  for (const { item, order } of pairs) {
    const request = withLineIds(item.body, order);
    const shapeErrors = findErrors(request);
    const errors = shapeErrors.length > 0 ? shapeErrors : ruleErrors(request, order);
    if (errors.length > 0) {
      fail(outcome, item, "validation_failed", errors[0]!.message, errors.slice(0, 5));
      continue;
    }
    const given = (Object.keys(request) as (keyof OrderRequest)[]).filter((field) => !ownedByHub.has(field));
    const patch = fieldsOf(request, given, env, order);
    if (request.status !== undefined && mayFollow(order, request.status)) patch.status = request.status;
    const tags = [...new Set([...order.tags, ...(request.tags ?? [])])];
    if (tags.length > order.tags.length) patch.tags = tags;
    const changes = changesOf(order, patch);
    if (changes.length === 0) {
      outcome.counts.unchanged!++;
      continue;
    }
    const next = { ...order, ...patch, updatedAt: env.now, version: order.version + 1 };
    updated.push(next);
    entries.push({ orderId: order.id, changes, version: next.version });
    for (const { path } of changes) fields.add(path.slice(1) as keyof OrderFields);
  }
  outcome.counts.updated! += updated.length;
  if (updated.length === 0) return;
  await store.updateOrders(tx, ctx.orgId, updated, fields, env.now);
  await insertChanges(tx, ctx.orgId, entries, { ...ctx, kind: "imported", at });
  const data = { count: updated.length, source: "bridge", firstIds: updated.slice(0, 100).map(({ id }) => id) };
  await recordEvent(tx, ctx, { type: "orders.updated", objectType: "order_batch", objectId: ctx.newId(), data });
}

/** A shop's lines have no ids of ours: the same SKU at the same place is the same line. */
function withLineIds(request: OrderRequest, order: Order): OrderRequest {
  if (!Array.isArray(request.lines)) return request;
  const free = [...order.lines];
  const lines = request.lines.map((line) => {
    const index = free.findIndex(({ sku }) => sku === (line as { sku?: unknown } | null)?.sku);
    const [known] = index === -1 ? [] : free.splice(index, 1);
    return known && line.id === undefined ? { ...line, id: known.id } : line;
  });
  return { ...request, lines };
}

/** What happened at the shop moves the order on, never back, and never past a hold. */
function mayFollow(order: Order, to: Order["status"]): boolean {
  // The table has ways back, for people: a shop that still calls an order ready must not have it sent a second time.
  const isOnward = orderStatuses.indexOf(to) > orderStatuses.indexOf(order.status);
  return isOnward && canMove(orderMoves, order.status, to) && (to === "cancelled" || !isOnHold(order));
}

function fail(outcome: PulledOutcome, item: PulledOrder, code: string, message: string, errors: unknown[]): void {
  outcome.counts.failed!++;
  outcome.failures.push({ externalId: item.externalId, code, message, errors });
}

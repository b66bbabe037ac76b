import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../../context.ts";
import { createFinder } from "../../../core/validation.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import type { Followed, Marks } from "./follow-source.ts";
import { followSource } from "./follow-source.ts";
import { ruleErrors } from "../order-fields.ts";
import type { HistoryEntry } from "../order-history.store.ts";
import { insertChanges } from "../order-history.store.ts";
import { findMissingReferences } from "../order-references.ts";
import type { Order, OrderFields } from "../order.ts";
import { changesOf } from "../order-changes.ts";
import type { OrderRequest } from "../orders.schemas.ts";
import { OrderRequest as OrderRequestShape } from "../orders.schemas.ts";
import * as store from "../orders.store.ts";
import type { PulledOrder, PulledOutcome } from "./pulled-order.ts";
import { envOf, fail } from "./pulled-order.ts";
import * as pulled from "./pulled-orders.store.ts";

const findErrors = createFinder(OrderRequestShape, "body");

/** What a bridge says about an order, and the order as it is here, locked. */
type Pair = { item: PulledOrder; order: Order };
type Plan = Pair & { request: OrderRequest; followed: Followed };

export async function updateChanged(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  pairs: Pair[],
  outcome: PulledOutcome,
): Promise<void> {
  if (pairs.length === 0) return;
  const ids = pairs.map(({ order }) => order.id);
  const marks = await pulled.findMarks(tx, ctx.orgId, ids);
  const plans = await planUpdates(tx, ctx, bridgeId, pairs, marks, outcome);
  const at = ctx.clock.now();
  const now = at.toISOString();
  const updated: Order[] = [];
  const entries: HistoryEntry[] = [];
  const fields = new Set<keyof OrderFields>();
  for (const { item, order, followed } of plans) {
    noteConflicts(outcome, item, order, followed);
    const changes = changesOf(order, followed.patch);
    const leftOut = [...followed.leftOut].map(([field, to]) => ({
      path: `/${field}`,
      from: order[field],
      to,
      kept: true as const,
    }));
    const version = order.version + (changes.length > 0 ? 1 : 0);
    if (changes.length + leftOut.length > 0)
      entries.push({ orderId: order.id, changes: [...changes, ...leftOut], version });
    if (changes.length > 0) updated.push({ ...order, ...followed.patch, updatedAt: now, version });
    else outcome.counts.unchanged!++;
    for (const { path } of changes) fields.add(path.slice(1) as keyof OrderFields);
  }
  const isNews = ({ order, followed }: Plan): boolean => !isDeepStrictEqual(marks.get(order.id), followed.marks);
  const news = plans.filter(isNews).map(({ order, followed }) => [order.id, followed.marks] as const);
  await pulled.saveMarks(tx, ctx.orgId, new Map(news));
  await insertChanges(tx, ctx.orgId, entries, { ...ctx, kind: "imported", at });
  outcome.counts.updated! += updated.length;
  if (updated.length === 0) return;
  await store.updateOrders(tx, ctx.orgId, updated, fields, now);
  const data = { count: updated.length, source: "bridge", firstIds: updated.slice(0, 100).map(({ id }) => id) };
  await recordEvent(tx, ctx, { type: "orders.updated", objectType: "order_batch", objectId: ctx.newId(), data });
}

/** What each order becomes; those that cannot become it fail alone. */
async function planUpdates(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  pairs: Pair[],
  marks: ReadonlyMap<string, Marks>,
  outcome: PulledOutcome,
): Promise<Plan[]> {
  const env = envOf(ctx);
  const plans: Plan[] = [];
  for (const { item, order } of pairs) {
    const request = withLineIds(item.body, order);
    const shapeErrors = findErrors(request);
    const errors = shapeErrors.length > 0 ? shapeErrors : ruleErrors(request);
    const followed = errors.length > 0 ? undefined : followSource(order, request, marks.get(order.id), env);
    // It was left behind by a bridge that was deleted: from now on it is this one's.
    if (followed && order.bridgeId !== bridgeId) followed.patch.bridgeId = bridgeId;
    // Lines that stay as they are here need not fit what was shipped of them.
    if (followed?.patch.lines && request.lines) errors.push(...ruleErrors({ lines: request.lines }, order));
    if (errors.length > 0) fail(outcome, item, "validation_failed", errors[0]!.message, errors.slice(0, 5));
    else plans.push({ item, order, request, followed: followed! });
  }
  const missing = await findMissingReferences(tx, ctx.orgId, plans.map(newReferences));
  return plans.filter(({ item }, index) => {
    const [first] = missing[index]!;
    if (first) fail(outcome, item, first.code, first.message, missing[index]!);
    return !first;
  });
}

/** Only what the order is about to point at: what it points at already may have been closed since. */
function newReferences({ request, order, followed: { patch } }: Plan): OrderRequest {
  const account = patch.shipping?.carrierAccountId;
  return {
    ...(patch.locationId && patch.locationId !== order.locationId ? { locationId: patch.locationId } : {}),
    ...(account !== undefined && account !== order.shipping.carrierAccountId ? { shipping: request.shipping } : {}),
  };
}

function noteConflicts(outcome: PulledOutcome, item: PulledOrder, order: Order, followed: Followed): void {
  const { kept, overwritten } = followed;
  if (kept.length > 0) outcome.counts.kept!++;
  if (overwritten.length > 0) outcome.counts.overwritten!++;
  if (kept.length + overwritten.length === 0) return;
  outcome.conflicts.push({ externalId: item.externalId, orderId: order.id, number: order.number, kept, overwritten });
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

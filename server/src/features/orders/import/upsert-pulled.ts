import { instantOf } from "../../../connectors/shape.ts";
import { invalidRow } from "../../../core/row-failure.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { createImported } from "../create-orders.ts";
import type { SourceSnapshot } from "./source-snapshot.ts";
import { firstSnapshot } from "./follow-source.ts";
import { hasNoLines, settleBody } from "./inbound-body.ts";
import { recordOrders } from "../order-events.ts";
import type { Order } from "../order.ts";
import { normalizeNumber, orderEnv } from "../order.ts";
import * as store from "../orders.store.ts";
import type { PulledOrder, PulledOutcome } from "./pulled-order.ts";
import { fail } from "./pulled-order.ts";
import * as pulled from "./pulled-orders.store.ts";
import type { FindSentTo } from "./recall-partners.ts";
import { withLocationIds } from "./source-locations.ts";
import { updateChanged } from "./update-pulled.ts";

/**
 * Creates new orders and updates changed ones, one statement each for the whole page. A state older than the stored one changes
 * nothing, so pages may overlap, repeat and arrive late.
 */
export async function upsertPulledOrders(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  items: PulledOrder[],
  findSentTo: FindSentTo = () => Promise.resolve(new Map()),
): Promise<PulledOutcome> {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, kept: 0, overwritten: 0, held: 0, recalled: 0 };
  const outcome: PulledOutcome = { counts, failures: [], conflicts: [], recalls: [], failedSince: undefined };
  const settled = items.map((item) => ({ ...item, body: settleBody(item.body) }));
  const newest = keepNewest(await withLocationIds(tx, ctx.orgId, bridgeId, settled));
  for (const item of newest.values()) {
    if (!hasNoLines(item.body)) continue;
    newest.delete(item.externalId);
    fail(outcome, item, noLines);
  }
  const externalIds = [...newest.keys()];
  await pulled.lockExternalIds(tx, bridgeId, externalIds);
  const known = await pulled.findByExternalIds(tx, ctx.orgId, bridgeId, externalIds);
  const ofThisBridge = new Set(known.map((row) => row.external_id));
  const others = [...newest.values()].filter(({ externalId }) => !ofThisBridge.has(externalId));
  const left = await pulled.findLeftBehind(tx, ctx.orgId, bridgeId, others.flatMap(traitsOf));
  const ids = [...known, ...left].map(({ id }) => id);
  const existing = new Map((await store.lockOrders(tx, ctx.orgId, ids)).map((order) => [order.id, order]));

  const isLeft = new Set(left.map((row) => row.external_id));
  const isFresh = ({ externalId, body }: PulledOrder): boolean => !isLeft.has(externalId) && body.deleted !== true;
  const fresh = others.filter(isFresh);
  counts.unchanged += others.length - left.length - fresh.length;
  const changed = [...known, ...left].flatMap(({ id, external_id, source_updated_at }) => {
    const item = newest.get(external_id)!;
    const order = existing.get(id);
    const isStale =
      source_updated_at !== null && item.updatedAt !== undefined && new Date(item.updatedAt) < source_updated_at;
    if (isStale) outcome.counts.unchanged!++;
    // An order that was just deleted is created again by the next import.
    return isStale || !order ? [] : [{ item, order }];
  });
  // Orders of deleted bridges first: a new order with the same number fails alone.
  await updateChanged(tx, ctx, bridgeId, changed, outcome, findSentTo);
  await createFresh(tx, ctx, bridgeId, fresh, outcome);
  await pulled.saveSourceTimes(tx, ctx.orgId, bridgeId, ages(newest));
  return outcome;
}

const noLines = invalidRow([
  { pointer: "/lines", code: "no_lines", message: "The order has no lines, so there is nothing to ship." },
]);

function keepNewest(items: PulledOrder[]): Map<string, PulledOrder> {
  const newest = new Map<string, PulledOrder>();
  for (const item of items) {
    const other = newest.get(item.externalId);
    if (!other || ageOf(item) >= ageOf(other)) newest.set(item.externalId, item);
  }
  return newest;
}

/** As a number: texts with different offsets do not sort by time. */
function ageOf({ updatedAt }: PulledOrder): number {
  return updatedAt === undefined ? -Infinity : Date.parse(updatedAt);
}

/** The traits that identify an order of a deleted bridge. The external ID alone could be that of another shop. */
function traitsOf({ externalId, body }: PulledOrder): pulled.Traits[] {
  const orderedAt = instantOf(body.orderedAt);
  return typeof body.number === "string" && orderedAt !== undefined
    ? [{ externalId, number: normalizeNumber(body.number), orderedAt }]
    : [];
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
  const outcomes = await createImported(tx, ctx, requests);
  const created: Order[] = [];
  const snapshots = new Map<string, SourceSnapshot>();
  for (const [index, one] of outcomes.entries()) {
    if ("order" in one) {
      created.push(one.order);
      snapshots.set(one.order.id, firstSnapshot(one.order, requests[index]!, orderEnv(ctx)));
    } else fail(outcome, items[index]!, one.failure);
  }
  await pulled.saveSnapshots(tx, ctx.orgId, snapshots);
  outcome.counts.created! += created.length;
  recordOrders(tx, ctx, { type: "orders.created", source: "bridge", bridgeId, orders: created });
}

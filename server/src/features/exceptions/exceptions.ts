import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { batchesOf, recordEvents } from "../../events/record-event.ts";
import type { StoredException, NewException } from "./exception.ts";
import { presentException, presentSummary } from "./present-exception.ts";
import type {
  CountsQuery,
  Exception,
  ExceptionCounts,
  ExceptionQuery,
  ExceptionSummary,
} from "./exceptions.schemas.ts";
import { exceptionKinds } from "./exceptions.schemas.ts";
import type { Noticed, OrderState } from "./exceptions.store.ts";
import * as store from "./exceptions.store.ts";
import { actionsForGroup } from "./available-actions.ts";

export { exceptionKeys, openRecord } from "./exception.ts";
export type { KeptRecord, StoredException, NewException } from "./exception.ts";
export {
  deleteOldExceptionsAcrossOrgs,
  findException,
  listRecordsLeft,
  listToResolve,
  lockOpen,
  markAttempted,
} from "./exceptions.store.ts";
export { actionsFor, scopeOf } from "./available-actions.ts";

export async function listExceptions(ctx: Ctx, query: ExceptionQuery): Promise<Page<ExceptionSummary>> {
  return mapPage(await store.listExceptions(ctx.db, ctx.orgId, query), (row) => presentSummary(ctx, row));
}

export async function getException(ctx: Ctx, id: string, db: Queryable = ctx.db): Promise<Exception> {
  return presentException(ctx, orNotFound("exception", await store.findException(db, ctx.orgId, id)));
}

const shownGroups = 100;

export async function countExceptions(ctx: Ctx, query: CountsQuery): Promise<ExceptionCounts> {
  const groups = await store.groupExceptions(ctx.db, ctx.orgId, query);
  const sumBy = <Key>(keyOf: (group: (typeof groups)[number]) => Key): [Key, number][] =>
    [...Map.groupBy(groups, keyOf)]
      .map(([key, of]): [Key, number] => [key, of.reduce((sum, { count }) => sum + count, 0)])
      .toSorted(([, a], [, b]) => b - a);
  const byKind = Object.fromEntries(sumBy(({ kind }) => kind));
  return {
    total: groups.reduce((sum, { count }) => sum + count, 0),
    byKind: Object.fromEntries(exceptionKinds.map((kind) => [kind, byKind[kind] ?? 0])) as ExceptionCounts["byKind"],
    byCode: sumBy(({ code }) => code).map(([code, count]) => ({ code, count })),
    byBridge: sumBy(({ bridgeId }) => bridgeId).map(([bridgeId, count]) => ({ bridgeId, count })),
    groups: groups.slice(0, shownGroups).map((group) => ({
      ...group,
      lastSeenAt: group.lastSeenAt.toISOString(),
      availableActions: actionsForGroup(group.kind, group.code),
    })),
  };
}

/** In the transaction of what went wrong. The same trouble again is the same exception, seen once more. */
export async function openExceptions(tx: Tx, ctx: Ctx, troubles: NewException[]): Promise<void> {
  if (troubles.length === 0) return;
  const once = [...new Map(troubles.map((trouble) => [trouble.key, trouble])).values()];
  recordOpened(tx, ctx, await store.openExceptions(tx, ctx, once));
}

/** In the transaction of what went well: what was wrong with it before is over. */
export async function resolveExceptions(tx: Tx, ctx: Ctx, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  recordResolved(tx, ctx, await store.closeByKeys(tx, ctx.orgId, keys, causeGone(ctx)));
}

/** In the transaction that changes the holds or the status of these orders. */
export async function resolveForOrders(tx: Tx, ctx: Ctx, orders: OrderState[]): Promise<void> {
  if (orders.length === 0) return;
  recordResolved(tx, ctx, await store.closeByOrders(tx, ctx.orgId, orders, causeGone(ctx)));
}

/** By a fix that somebody chose. Returns the ids of those that were open until then. */
export async function closeExceptions(
  tx: Tx,
  ctx: Ctx,
  ids: string[],
  resolution: NonNullable<StoredException["resolution"]>,
): Promise<Set<string>> {
  const status = resolution === "dismiss" ? "dismissed" : "resolved";
  const closed = await store.closeByIds(tx, ctx.orgId, ids, { ...causeGone(ctx), status, resolution });
  recordResolved(tx, ctx, closed);
  return new Set(closed.map(({ id }) => id));
}

function causeGone({ clock, actor }: Ctx): store.Ending {
  return { at: clock.now(), by: actor, status: "resolved", resolution: "auto_resolved" };
}

function recordOpened(tx: Tx, ctx: Ctx, opened: Noticed[]): void {
  const items = opened.map((row) => ({ ...aboutOf(row), timesSeen: row.timesSeen }));
  const objectId = ctx.newId();
  recordEvents(
    tx,
    ctx,
    items.length === 1
      ? items.map(({ id, ...data }) => ({ type: "exception.opened", objectId: id, data }))
      : batchesOf(items).map((data) => ({ type: "exceptions.opened", objectId, data })),
  );
}

function recordResolved(tx: Tx, ctx: Ctx, closed: Noticed[]): void {
  const items = closed.map((row) => ({ ...aboutOf(row), status: row.status, resolution: row.resolution! }));
  const objectId = ctx.newId();
  recordEvents(
    tx,
    ctx,
    items.length === 1
      ? items.map(({ id, ...data }) => ({ type: "exception.resolved", objectId: id, data }))
      : batchesOf(items).map((data) => ({ type: "exceptions.resolved", objectId, data })),
  );
}

function aboutOf({ id, kind, code, orderId, bridgeId, executionId }: Noticed) {
  return { id, kind, code, orderId, bridgeId, executionId };
}

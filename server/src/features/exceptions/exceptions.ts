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
import type { OrderState } from "./close-exceptions.store.ts";
import * as closing from "./close-exceptions.store.ts";
import type { ReportedException } from "./exceptions.store.ts";
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

/** Call in the transaction that records the failure. A repeated problem updates the exception it opened before. */
export async function openExceptions(tx: Tx, ctx: Ctx, problems: NewException[]): Promise<void> {
  if (problems.length === 0) return;
  const once = [...new Map(problems.map((problem) => [problem.key, problem])).values()];
  recordOpened(tx, ctx, await store.openExceptions(tx, ctx, once));
}

/** Call in the transaction that records the success: resolves the exceptions with these keys. */
export async function resolveExceptions(tx: Tx, ctx: Ctx, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  recordResolved(tx, ctx, await closing.closeByKeys(tx, ctx.orgId, keys, autoResolved(ctx)));
}

/** Call in the transaction that changes holds or status of these orders. */
export async function resolveForOrders(tx: Tx, ctx: Ctx, orders: OrderState[]): Promise<void> {
  if (orders.length === 0) return;
  recordResolved(tx, ctx, await closing.closeByOrders(tx, ctx.orgId, orders, autoResolved(ctx)));
}

/** Closes exceptions by a user's action. Returns the IDs that were open. */
export async function closeExceptions(
  tx: Tx,
  ctx: Ctx,
  ids: string[],
  resolution: NonNullable<StoredException["resolution"]>,
): Promise<Set<string>> {
  const status = resolution === "dismiss" ? "dismissed" : "resolved";
  const closed = await closing.closeByIds(tx, ctx.orgId, ids, { ...autoResolved(ctx), status, resolution });
  recordResolved(tx, ctx, closed);
  return new Set(closed.map(({ id }) => id));
}

function autoResolved({ clock, actor }: Ctx): closing.Ending {
  return { at: clock.now(), by: actor, status: "resolved", resolution: "auto_resolved" };
}

function recordOpened(tx: Tx, ctx: Ctx, opened: ReportedException[]): void {
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

function recordResolved(tx: Tx, ctx: Ctx, closed: ReportedException[]): void {
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

function aboutOf({ id, kind, code, orderId, bridgeId, executionId }: ReportedException) {
  return { id, kind, code, orderId, bridgeId, executionId };
}

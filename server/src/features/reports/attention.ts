import type { Ctx } from "../../context.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import { unshippedStatuses } from "../orders/orders.states.ts";
import { countOrders } from "../orders/orders.ts";
import type { RiskReason } from "../shipments/shipments.states.ts";
import { riskReasons } from "../shipments/shipments.states.ts";
import { countRisks, findOldestRisks } from "../shipments/shipments.ts";
import * as store from "./attention.store.ts";
import type { Attention, AttentionItem, AttentionKind } from "./reports.schemas.ts";

type More = Attention["more"][number];
type Part = { items: AttentionItem[]; more?: More };

const none = {
  isCapped: false,
  total: null,
  since: null,
  id: null,
  name: null,
  message: null,
  reason: null,
  causes: [],
  actionTypes: [],
};

const severities = ["bad", "warning", "info"] as const;

/** Everything that needs a person, as far as the caller may read it: each part has the scope of its list. */
export async function readAttention(ctx: Ctx): Promise<Attention> {
  const now = ctx.clock.now();
  const lateOrders = { status: [...unshippedStatuses], shipByTo: now.toISOString() };
  const may = (scope: Scope, part: () => Promise<Part>): Promise<Part> | Part =>
    hasScope(ctx.principal.scopes, scope) ? part() : { items: [] };
  const parts = await Promise.all([
    may("orders:read", () => readLateOrders(ctx, lateOrders)),
    may("bridges:read", () => readFailingBridges(ctx)),
    may("exceptions:read", () => readExceptions(ctx)),
    may("operations:read", () => readFailedRuns(ctx, now)),
    may("shipments:read", () => readRisks(ctx, now)),
    may("automations:read", () => readPausedAutomations(ctx)),
  ]);
  const data = parts.flatMap(({ items }) => items);
  return {
    data: data.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity)),
    more: parts.flatMap(({ more }) => (more && more.count > 0 ? [more] : [])),
    lateOrders,
    generatedAt: now.toISOString(),
  };
}

async function readLateOrders(ctx: Ctx, filter: Attention["lateOrders"]): Promise<Part> {
  const [{ total, isCapped }, oldest] = await Promise.all([
    countOrders(ctx, { status: filter.status.join(","), shipByTo: filter.shipByTo }),
    store.findLatestOrder(ctx.db, ctx.orgId, filter.status),
  ]);
  if (total === 0 || !oldest) return { items: [] };
  const { id, number: name, shipBy } = oldest;
  const since = shipBy.toISOString();
  return { items: [{ ...none, kind: "late_orders", severity: "bad", count: total, isCapped, since, id, name }] };
}

async function readFailingBridges(ctx: Ctx): Promise<Part> {
  const { total, rows } = await store.listFailingBridges(ctx.db, ctx.orgId);
  const items = rows.map(({ failures, since, id, name, message }) => ({
    ...none,
    kind: "failing_bridge" as const,
    severity: "bad" as const,
    count: failures,
    since: since?.toISOString() ?? null,
    id,
    name,
    message,
  }));
  return { items, more: moreOf("failing_bridge", total, rows) };
}

async function readExceptions(ctx: Ctx): Promise<Part> {
  const groups = await store.groupOpenExceptions(ctx.db, ctx.orgId);
  const item = (
    kind: AttentionKind,
    severity: AttentionItem["severity"],
    of: (group: store.ExceptionGroup) => boolean,
  ): AttentionItem[] => {
    const chosen = groups.filter(of);
    if (chosen.length === 0) return [];
    const causes = [...Map.groupBy(chosen, (group) => group.kind)]
      .map(([name, same]) => ({ name, count: sum(same) }))
      .toSorted((a, b) => b.count - a.count);
    const since = chosen.map((group) => group.since.toISOString()).toSorted()[0]!;
    return [{ ...none, kind, severity, count: sum(chosen), since, causes }];
  };
  return {
    items: [
      ...item("unknown_labels", "bad", ({ kind, code }) => kind === "label" && code === "outcome_unknown"),
      ...item("exceptions", "warning", () => true),
      ...item("stock_shortages", "warning", ({ kind }) => kind === "stock"),
    ],
  };
}

const sum = (groups: readonly { count: number }[]): number => groups.reduce((all, { count }) => all + count, 0);

async function readFailedRuns(ctx: Ctx, now: Date): Promise<Part> {
  const { total, rows } = await store.listFailedRuns(ctx.db, ctx.orgId, now);
  const causes = await store.groupFailures(
    ctx.db,
    rows.map(({ id }) => id),
  );
  const items = rows.map(({ id, name, failed, orderCount, createdAt, actionTypes }) => ({
    ...none,
    kind: "failed_run" as const,
    severity: failed === orderCount ? ("bad" as const) : ("warning" as const),
    count: failed,
    total: orderCount,
    since: createdAt.toISOString(),
    id,
    name,
    causes: causes.filter(({ runId }) => runId === id).map(({ code, count }) => ({ name: code, count })),
    actionTypes,
  }));
  return { items, more: moreOf("failed_run", total, rows) };
}

/** Late parcels cannot be helped any more, but their customers can; the others may still arrive in time. */
const riskSeverity: Partial<Record<RiskReason, AttentionItem["severity"]>> = { late: "bad", predicted_late: "info" };

async function readRisks(ctx: Ctx, now: Date): Promise<Part> {
  const at = now.toISOString();
  const [counts, oldest] = await Promise.all([
    countRisks(ctx.db, ctx.orgId, at),
    findOldestRisks(ctx.db, ctx.orgId, at),
  ]);
  const items = riskReasons.flatMap((reason): AttentionItem[] => {
    if (counts[reason] === 0) return [];
    const severity = riskSeverity[reason] ?? "warning";
    const since = oldest[reason]?.toISOString() ?? null;
    return [{ ...none, kind: "risky_shipments", severity, count: counts[reason], since, reason }];
  });
  return { items };
}

async function readPausedAutomations(ctx: Ctx): Promise<Part> {
  const { total, rows } = await store.listPausedAutomations(ctx.db, ctx.orgId);
  const items = rows.map(({ id, name, since, message }) => ({
    ...none,
    kind: "paused_automation" as const,
    severity: "warning" as const,
    count: 1,
    since: since?.toISOString() ?? null,
    id,
    name,
    message,
  }));
  return { items, more: moreOf("paused_automation", total, rows) };
}

function moreOf(kind: AttentionKind, total: number, rows: readonly unknown[]): More {
  return { kind, count: total - rows.length };
}

import type { Ctx } from "../../context.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { findSequenceAt } from "../events/events.ts";
import { preflightOrders, selectOrders } from "../operations/operations.ts";
import type { OpenBranch } from "./automation-branches.ts";
import { branchesOf, openBranches } from "./automation-branches.ts";
import type { TestRequest } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { getAutomation } from "./automations.store.ts";
import type { EventItem } from "./event-items.ts";
import { itemsOf } from "./event-items.ts";
import { findOrdersFor } from "./find-orders-for.ts";
import { needsData } from "./next-events.ts";
import { findOrdersOf } from "./orders-of-events.ts";
import { checkTasks, countErrors } from "./queue-event-tasks.ts";
import { openEventCondition } from "./read-trigger.ts";
import { listTriggerEvents } from "./trigger-events.store.ts";

const dayMs = 86_400_000;
const defaultDays = 7;
const maxEvents = 2_000;
/** Events with their data are longer. */
const maxLongEvents = 500;
const maxOrders = 10_000;
const maxTasks = 1_000;
const shownOrders = 100;

/** Previews the automation on the orders of past events as they are now, with the caller's permissions. */
export async function testAutomation(ctx: Ctx, id: string, { days = defaultDays }: TestRequest) {
  const automation = await getAutomation(ctx.db, ctx.orgId, id);
  const { branches } = await openBranches(ctx, branchesOf(automation));
  if (automation.task !== null) return await testTask(ctx, automation, days);
  const { orderIds, ...past } = await findPast(ctx, automation, branches, days);
  const pipelines = branches.map(({ open }) => open.pipeline);
  const { evaluated, matched } = await findOrdersFor(ctx, automation.trigger, pipelines, orderIds);
  const reports: Report[] = [];
  for (const [index, pipeline] of pipelines.entries()) {
    reports.push(await preflightOrders(ctx, pipeline, matched[index]!, shownOrders));
  }
  const total = matched.reduce((sum, ids) => sum + ids.length, 0);
  return { ...past, evaluated, matched: total, ...joinReports(branches, reports) };
}

type Report = Awaited<ReturnType<typeof preflightOrders>>;

/** From the best to the worst. */
const verdicts = ["ready", "ready_with_warnings", "blocked"] as const;

function joinReports(branches: OpenBranch[], reports: Report[]) {
  const hasBranches = branches[0]!.branch !== null;
  const orders = reports.flatMap((report, index) =>
    report.orders.map((order) => ({ ...order, branch: branches[index]!.branch })),
  );
  const parts = reports.map(({ verdict, summary, errors_by_code, pipeline }, index) => {
    const { branch, pipeline_id } = branches[index]!;
    return { branch: branch!, pipeline_id, matched: summary.orders, verdict, summary, errors_by_code, pipeline };
  });
  return {
    verdict: verdicts[Math.max(...reports.map(({ verdict }) => verdicts.findIndex((one) => one === verdict)))]!,
    summary: sumOf(reports.map(({ summary }) => summary)),
    errors_by_code: sumOf(reports.map((report) => report.errors_by_code)),
    pipeline: hasBranches ? [] : reports[0]!.pipeline,
    branches: hasBranches ? parts : null,
    orders: orders.slice(0, shownOrders),
    orders_truncated: orders.length > shownOrders || reports.some((report) => report.orders_truncated),
  };
}

/** Adds up the counts of each name. */
function sumOf<Counts extends Record<string, number>>(list: Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const counts of list) {
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum as Counts;
}

/** The tasks that events would have queued, and what the bridges reject. */
async function testTask(ctx: Ctx, automation: StoredAutomation, days: number) {
  const { items, evaluated, ...past } = await findPastItems(ctx, automation, days);
  const tried = items.slice(0, maxTasks);
  const errors_by_code = countErrors(await checkTasks(ctx, automation.task!, tried));
  const blocked = Object.values(errors_by_code).reduce((sum, count) => sum + count, 0);
  const none = { orders: 0, ok: 0, warning: 0, blocked: 0, no_change: 0, not_found: 0, duplicates_removed: 0 };
  return {
    ...past,
    truncated: past.truncated || items.length > maxTasks,
    evaluated,
    matched: tried.length,
    verdict: blocked > 0 ? ("blocked" as const) : ("ready" as const),
    summary: { ...none, ok: tried.length - blocked, blocked },
    errors_by_code,
    pipeline: [],
    branches: null,
    orders: [],
    orders_truncated: false,
  };
}

type Past = { since: string | null; events: number; truncated: boolean };

async function findPast(
  ctx: Ctx,
  automation: StoredAutomation,
  branches: OpenBranch[],
  days: number,
): Promise<Past & { orderIds: string[] }> {
  const { event_types: types, trigger } = automation;
  if (types === null) {
    const orderIds = await selectOrders(ctx, trigger.filter ?? {}, branches[0]!.open.pipeline);
    const truncated = orderIds.length > maxOrders;
    return { since: null, events: 0, orderIds: orderIds.slice(0, maxOrders), truncated };
  }
  const { items, evaluated: _evaluated, ...past } = await findPastItems(ctx, automation, days);
  const orders = await findOrdersOf(ctx, items, trigger.orders ?? "all");
  const all = [...new Set([...orders.values()].flat())];
  return { ...past, orderIds: all.slice(0, maxOrders), truncated: past.truncated || all.length > maxOrders };
}

/** The objects of past events, newest first, that meet the condition on events. Events that the automation led to are left out. */
async function findPastItems(
  ctx: Ctx,
  automation: StoredAutomation,
  days: number,
): Promise<Past & { items: EventItem[]; evaluated: number }> {
  const { trigger } = automation;
  const types = automation.event_types as EventType[];
  const since = new Date(ctx.clock.now().getTime() - days * dayMs);
  const after = await findSequenceAt(ctx, since);
  const isLong = needsData(automation);
  const limit = isLong ? maxLongEvents : maxEvents;
  const wanted = { types, after, limit, newestFirst: true, needsData: isLong };
  const newest = await listTriggerEvents(ctx.db, ctx.orgId, wanted);
  const events = newest.filter(({ cause }) => !cause?.automationPath.includes(automation.id));
  const isMet = await openEventCondition(ctx, trigger.event, types);
  const items = events.flatMap(itemsOf);
  return {
    since: since.toISOString(),
    events: events.length,
    truncated: newest.length === limit,
    evaluated: items.length,
    items: isMet ? items.filter((item) => isMet(item)) : items,
  };
}

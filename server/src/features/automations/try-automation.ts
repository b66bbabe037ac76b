import type { Ctx } from "../../context.ts";
import { findSequenceAt } from "../events/events.ts";
import { openPipeline, preflightOrders, selectOrders } from "../operations/operations.ts";
import type { OpenPipeline } from "../operations/operations.ts";
import { listOrderEvents } from "./automation-work.store.ts";
import type { TestRequest } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { getAutomation } from "./automations.store.ts";
import { findOrdersFor } from "./find-orders-for.ts";

const dayMs = 86_400_000;
const defaultDays = 7;
const maxEvents = 2_000;
const maxOrders = 10_000;
const shownOrders = 100;

type Past = { since: string | null; events: number; orderIds: string[]; truncated: boolean };

/** Previews the automation on the orders of past events as they are now, with the caller's permissions. */
export async function testAutomation(ctx: Ctx, id: string, { days = defaultDays }: TestRequest) {
  const automation = await getAutomation(ctx.db, ctx.orgId, id);
  const open = await openPipeline(ctx, automation.pipeline_id, automation.when);
  const { orderIds, ...past } = await findPast(ctx, automation, open, days);
  const { evaluated, matched } = await findOrdersFor(ctx, automation.trigger, open.pipeline, orderIds);
  const report = await preflightOrders(ctx, open.pipeline, matched, shownOrders);
  return { ...past, evaluated, matched: matched.length, ...report };
}

async function findPast(ctx: Ctx, automation: StoredAutomation, open: OpenPipeline, days: number): Promise<Past> {
  const { event_types: types, trigger } = automation;
  if (types === null) {
    const orderIds = await selectOrders(ctx, trigger.filter ?? {}, open.pipeline);
    const truncated = orderIds.length > maxOrders;
    return { since: null, events: 0, orderIds: orderIds.slice(0, maxOrders), truncated };
  }
  const since = new Date(ctx.clock.now().getTime() - days * dayMs);
  const after = await findSequenceAt(ctx, since);
  const newest = await listOrderEvents(ctx.db, ctx.orgId, { types, after, limit: maxEvents, newestFirst: true });
  const events = newest.filter(({ cause }) => !cause?.automationPath.includes(automation.id));
  const all = [...new Set(events.flatMap(({ order_ids }) => order_ids))];
  const truncated = newest.length === maxEvents || all.length > maxOrders;
  return { since: since.toISOString(), events: events.length, orderIds: all.slice(0, maxOrders), truncated };
}

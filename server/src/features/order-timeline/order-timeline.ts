import type { Ctx } from "../../context.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { findByRef, maskChange } from "../orders/orders.ts";
import type { TimelineEntry } from "./order-timeline.store.ts";
import * as store from "./order-timeline.store.ts";

/** Whom to ask about each field as it is now. What the values were is told by the timeline. */
export async function listLastChanges(ctx: Ctx, ref: string) {
  const { id } = await findByRef(ctx.db, ctx, ref);
  return await store.listLastChanges(ctx.db, ctx.orgId, id);
}

/** What was done to an order, by people, bridges and the steps of runs: the one place that knows both of their records. */
export async function listTimeline(ctx: Ctx, ref: string, query: PageRequest): Promise<Page<TimelineEntry>> {
  const { id } = await findByRef(ctx.db, ctx, ref);
  const page = await store.listTimeline(ctx.db, ctx.orgId, id, query);
  if (maySeePersonalData(ctx)) return page;
  return mapPage(page, (entry) => ({ ...entry, changes: entry.changes.map(maskChange) }));
}

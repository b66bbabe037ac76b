import type { Ctx } from "../../context.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { findByRef, maskChange } from "../orders/orders.ts";
import type { TimelineEntry } from "./order-timeline.store.ts";
import * as store from "./order-timeline.store.ts";

/** Who changed each field last. Without values, which may be personal data; the timeline has them. */
export async function listLastChanges(ctx: Ctx, ref: string) {
  const { id } = await findByRef(ctx.db, ctx, ref);
  return await store.listLastChanges(ctx.db, ctx.orgId, id);
}

/** All changes of an order, by users, bridges and runs: combines the order history with the results of runs. */
export async function listTimeline(ctx: Ctx, ref: string, query: PageRequest): Promise<Page<TimelineEntry>> {
  const { id } = await findByRef(ctx.db, ctx, ref);
  const page = await store.listTimeline(ctx.db, ctx.orgId, id, query);
  if (maySeePersonalData(ctx)) return page;
  return mapPage(page, (entry) => ({ ...entry, changes: entry.changes.map(maskChange) }));
}

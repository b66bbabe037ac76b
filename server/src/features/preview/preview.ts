import { badField } from "../../core/errors.ts";
import type { ClockSetting } from "../../core/clock.ts";
import { readSetting } from "../../core/clock.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { expediteTrackingAcrossOrgs, seedCarrierAccounts } from "../carrier-accounts/carrier-accounts.ts";
import { addDemoBridge } from "../bridges/bridges.ts";
import { insertChanges, insertOrders, recordOrders } from "../orders/orders.ts";
import { seedPickups } from "../pickups/pickups.ts";
import { insertDemoParcels } from "../shipments/shipments.ts";
import { seedInvoice } from "../invoices/invoices.ts";
import { seedComparison } from "../rate-comparisons/rate-comparisons.ts";
import { demoItems } from "./demo-comparison.ts";
import { demoInvoice } from "./demo-invoice.ts";
import { makeDemoOrders } from "./demo-orders.ts";
import { demoParcels } from "./demo-parcels.ts";
import type { ClockRequest } from "./preview.schemas.ts";
import * as store from "./preview.store.ts";
import { activitySteps, seedActivity } from "./seed-activity.ts";

export function readClock(ctx: Ctx) {
  return { now: ctx.clock.now().toISOString(), mode: ctx.clock.setting().mode };
}

export async function setClock(ctx: Ctx, request: ClockRequest) {
  const setting = nextSetting(ctx, request);
  return await change(ctx, async (tx) => {
    await store.saveClock(tx, setting);
    recordEvent(tx, ctx, { type: "preview.clock_set", objectId: ctx.orgId, data: setting });
    // With a clock that is set back, the next tracking poll would be far in the future.
    await expediteTrackingAcrossOrgs(tx, readSetting(setting, ctx.clock.real()));
    await ctx.signals.publish(tx, "clock", "");
    tx.afterCommit(() => ctx.clock.set(setting));
    return { now: readSetting(setting, ctx.clock.real()).toISOString(), mode: setting.mode };
  });
}

function nextSetting(ctx: Ctx, request: ClockRequest): ClockSetting {
  const { now, advanceSeconds, frozen, reset } = request;
  const given = [now, advanceSeconds, reset].filter((value) => value !== undefined).length;
  if (given > 1 || (given === 0 && frozen === undefined)) {
    throw badField("", "one_of", "Send exactly one of `now`, `advanceSeconds`, `reset`, or `frozen` alone.");
  }
  if (reset) return { mode: "real" };
  const target = now === undefined ? ctx.clock.now().getTime() + (advanceSeconds ?? 0) * 1000 : Date.parse(now);
  const at = new Date(target);
  if (at.getUTCFullYear() < 2000 || at.getUTCFullYear() > 2100) {
    throw badField(
      now === undefined ? "/advanceSeconds" : "/now",
      "date_out_of_range",
      "The year must be between 2000 and 2100.",
    );
  }
  if (frozen ?? ctx.clock.setting().mode === "frozen") return { mode: "frozen", at: at.toISOString() };
  return { mode: "shifted", offsetMs: target - ctx.clock.real().getTime() };
}

const demoOrderCount = 2_000;
const demoSeed = 1;
const demoItemCount = 400;

/**
 * Fills a new preview with demo data: orders in every state, the same ones on every hub. One transaction, so that an
 * interrupted start leaves nothing and the next start seeds again.
 */
export async function seedPreview(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  if (!(await store.isSeeded(ctx.db, ctx.orgId))) {
    await change(ctx, async (tx) => {
      await store.lockSeeding(tx);
      // Another node may have seeded in the meantime.
      if (!(await store.isSeeded(tx, ctx.orgId))) await seed(tx, ctx, signal);
    });
  }
  await seedActivity(ctx, signal);
}

async function seed(tx: Tx, ctx: Ctx, signal?: AbortSignal): Promise<void> {
  await addDemoBridge(tx, ctx);
  let [inserted, shipments] = [0, 0];
  // In batches: all orders at once would block the event loop and keep the memory allocated.
  for (const batch of makeDemoOrders(demoOrderCount, demoSeed, ctx.clock.real())) {
    signal?.throwIfAborted();
    inserted += (await insertOrders(tx, ctx.orgId, batch)).size;
    const created = batch.map(({ id, createdAt }) => ({ orderId: id, changes: [], version: 1, at: createdAt }));
    insertChanges(tx, ctx.orgId, created, { ...ctx, kind: "created", at: ctx.clock.now() });
    // A test of an automation looks at the events of past days.
    recordOrders(tx, ctx, { type: "orders.created", source: "bulk", orders: batch });
    shipments += await insertDemoParcels(tx, ctx, demoParcels(batch, ctx.clock.real().getTime()));
  }
  const accounts = await seedCarrierAccounts(tx, ctx);
  const pickups = await seedPickups(tx, ctx);
  const compared = accounts.find(({ name }) => name === "Demo National");
  if (compared) await seedComparison(tx, ctx, compared, (day) => demoItems(demoItemCount, day));
  await seedInvoice(tx, ctx, "FedEx", demoInvoice);
  recordEvent(tx, ctx, {
    type: "preview.seeded",
    objectId: ctx.orgId,
    data: { orders: inserted, shipments, carrierAccounts: accounts.length, pickups },
  });
  await store.saveRemainingSteps(tx, activitySteps);
}

/** Deletes everything except organizations, users and API keys, resets the clock and loads the demo data. */
export async function resetPreview(ctx: Ctx) {
  const answer = await change(ctx, async (tx) => {
    await store.emptyAllTables(tx);
    recordEvent(tx, ctx, { type: "preview.reset", objectId: ctx.orgId });
    await seed(tx, ctx);
    await ctx.signals.publish(tx, "clock", "");
    await ctx.signals.publish(tx, "reset", "");
    tx.afterCommit(() => ctx.clock.set({ mode: "real" }));
    return { reset: true as const };
  });
  await seedActivity(ctx);
  return answer;
}

export async function refreshPreviewClock(world: World): Promise<void> {
  world.clock.set((await store.findClock(world.db)) ?? { mode: "real" });
}

/** Every node uses the clock setting in the database. */
export async function followPreviewClock(world: World): Promise<void> {
  await refreshPreviewClock(world);
  const refreshOrLog = (): void => {
    refreshPreviewClock(world).catch((error: unknown) =>
      world.log.error({ err: error }, "reading the preview clock failed"),
    );
  };
  world.signals.subscribe("clock", refreshOrLog);
  world.signals.onGap(refreshOrLog);
}

import { badField } from "../../core/errors.ts";
import type { ClockSetting } from "../../core/clock.ts";
import { readSetting } from "../../core/clock.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { hastenTrackingAcrossOrgs, seedCarrierAccounts } from "../carrier-accounts/carrier-accounts.ts";
import { addDemoBridge } from "../bridges/bridges.ts";
import { insertOrders } from "../orders/orders.ts";
import { seedPickups } from "../pickups/pickups.ts";
import { insertDemoParcels } from "../shipments/shipments.ts";
import { seedComparison } from "../rate-comparisons/rate-comparisons.ts";
import { demoItems } from "./demo-comparison.ts";
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
    // What was due by a clock that is set back would not come for a long time.
    await hastenTrackingAcrossOrgs(tx, readSetting(setting, ctx.clock.real()));
    await ctx.signals.publish(tx, "clock", "");
    tx.afterCommit(() => ctx.clock.set(setting));
    return { now: readSetting(setting, ctx.clock.real()).toISOString(), mode: setting.mode };
  });
}

function nextSetting(ctx: Ctx, request: ClockRequest): ClockSetting {
  const { now, advanceSeconds, frozen, reset } = request;
  const wanted = [now, advanceSeconds, reset].filter((value) => value !== undefined).length;
  if (wanted > 1 || (wanted === 0 && frozen === undefined)) {
    throw badField("", "one_of", "Send exactly one of `now`, `advanceSeconds`, `reset`, or `frozen` alone.");
  }
  if (reset) return { mode: "real" };
  const target = now === undefined ? ctx.clock.now().getTime() + (advanceSeconds ?? 0) * 1000 : Date.parse(now);
  const at = new Date(target);
  if (at.getUTCFullYear() < 2000 || at.getUTCFullYear() > 2100) {
    throw badField(now === undefined ? "/advanceSeconds" : "/now", "date_out_of_range", "Stay between 2000 and 2100.");
  }
  if (frozen ?? ctx.clock.setting().mode === "frozen") return { mode: "frozen", at: at.toISOString() };
  return { mode: "shifted", offsetMs: target - ctx.clock.real().getTime() };
}

const demoOrderCount = 2_000;
const demoSeed = 1;
const demoItemCount = 400;

/**
 * A newcomer should find a living hub: orders in every state, the same ones at every first start. All or nothing, so
 * that a start that was cut short leaves it to the next one.
 */
export async function seedPreview(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  if (!(await store.isSeeded(ctx.db, ctx.orgId))) {
    await change(ctx, async (tx) => {
      await store.lockSeeding(tx);
      // Another node may have been faster.
      if (!(await store.isSeeded(tx, ctx.orgId))) await seed(tx, ctx, signal);
    });
  }
  await seedActivity(ctx, signal);
}

async function seed(tx: Tx, ctx: Ctx, signal?: AbortSignal): Promise<void> {
  await addDemoBridge(tx, ctx);
  let [inserted, shipments] = [0, 0];
  // All at once, others would wait for their answers meanwhile, and the hub would keep the memory it took.
  for (const batch of makeDemoOrders(demoOrderCount, demoSeed, ctx.clock.real())) {
    signal?.throwIfAborted();
    inserted += (await insertOrders(tx, ctx.orgId, batch)).size;
    shipments += await insertDemoParcels(tx, ctx, demoParcels(batch, ctx.clock.real().getTime()));
  }
  const accounts = await seedCarrierAccounts(tx, ctx);
  const pickups = await seedPickups(tx, ctx);
  const compared = accounts.find(({ name }) => name === "Demo National");
  if (compared) await seedComparison(tx, ctx, compared, (day) => demoItems(demoItemCount, day));
  recordEvent(tx, ctx, {
    type: "preview.seeded",
    objectId: ctx.orgId,
    data: { orders: inserted, shipments, carrierAccounts: accounts.length, pickups },
  });
  await store.saveStepsLeft(tx, activitySteps);
}

/** Empties the preview, except for organizations, people and keys, sets its clock back and fills it with demo data. */
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

/** Every node follows the clock that is kept in the database. */
export async function followPreviewClock(world: World): Promise<void> {
  await refreshPreviewClock(world);
  const followOrComplain = (): void => {
    refreshPreviewClock(world).catch((error: unknown) =>
      world.log.error({ err: error }, "the preview clock could not be read"),
    );
  };
  world.signals.subscribe("clock", followOrComplain);
  world.signals.onGap(followOrComplain);
}

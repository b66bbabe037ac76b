import type { Page } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { splitNames } from "../../core/schema.ts";
import type { Ctx } from "../../context.ts";
import { book, refuseTwin } from "./book-pickup.ts";
import type { Pickup } from "./pickup.ts";
import { dueOf, presentPickup } from "./pickup.ts";
import type { CheckAnswer, PickupAnswer, PickupQuery, PickupRequest } from "./pickups.schemas.ts";
import type { PickupStatus } from "./pickups.states.ts";
import * as store from "./pickups.store.ts";
import { existsError, planPickup, refuseViolations } from "./plan-pickup.ts";
import { record } from "./settle-pickup.ts";

export { cancelPickup } from "./cancel-pickup.ts";
export { reschedulePickup } from "./reschedule-pickup.ts";
export { tendPickups } from "./tend-pickups.ts";
export { seedPickups } from "./seed-pickups.ts";

export async function getPickup(ctx: Ctx, id: string): Promise<PickupAnswer> {
  const pickup = await store.findPickup(ctx.db, ctx.orgId, id);
  if (!pickup) throw notFound("pickup");
  return present(ctx, pickup);
}

export async function listPickups(ctx: Ctx, query: PickupQuery): Promise<Page<PickupAnswer>> {
  const statuses = query.status === undefined ? null : splitNames<PickupStatus>(query.status);
  const page = await store.listPickups(ctx.db, ctx.orgId, query, statuses);
  return { ...page, data: page.data.map((pickup) => present(ctx, pickup)) };
}

/** What POST /pickups would say, without asking anybody. */
export async function checkPickupRequest(ctx: Ctx, request: PickupRequest): Promise<CheckAnswer> {
  const { booking, checked, next, existingId } = await planPickup(ctx, request);
  const errors = [...checked.errors];
  if (existingId !== undefined) errors.push(existsError(existingId, next));
  const isOk = errors.length === 0;
  return {
    ok: isOk,
    timezone: booking.timezone,
    errors: errors.map(({ pointer, code, message, suggestion }) => ({
      pointer,
      code,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    })),
    warnings: checked.warnings,
    existingId: existingId ?? null,
    nextAvailable: next,
    cancelBy: isOk ? booking.cancelBy : null,
  };
}

/** The wish is written down before the carrier hears of it: whatever happens then, it is not forgotten and not doubled. */
export async function schedulePickup(ctx: Ctx, request: PickupRequest): Promise<PickupAnswer> {
  const planned = await planPickup(ctx, request);
  refuseViolations(planned);
  const { open, booking, checked } = planned;
  const now = ctx.clock.now().toISOString();
  const pickup: Pickup = {
    ...booking,
    messages: checked.warnings.map(({ message }) => message),
    id: ctx.newId(),
    carrierAccountId: open.account.id,
    carrier: open.account.carrier,
    status: "requested",
    failure: null,
    isAssumed: false,
    previous: null,
    cancelRequestedAt: null,
    cancelReason: null,
    cancelledAt: null,
    history: [{ at: now, status: "requested", note: null }],
    attempts: 0,
    dueAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  await refuseTwin(ctx, pickup, async () => {
    await ctx.db.transaction(async (tx) => {
      const canAsk = open.carrier.findPickup !== undefined;
      await store.insertPickups(tx, ctx.orgId, [{ ...pickup, dueAt: dueOf(pickup, canAsk, now) }]);
      await record(tx, ctx, pickup, "requested");
    });
  });
  return await book(ctx, pickup, open);
}

function present(ctx: Ctx, pickup: Pickup): PickupAnswer {
  return presentPickup(pickup, ctx.clock.now().toISOString());
}

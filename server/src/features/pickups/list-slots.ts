import { addressKeyOf } from "../../core/address-key.ts";
import type { Ctx } from "../../context.ts";
import { checkWindow } from "./check-pickup.ts";
import type { PickupPlace } from "./pickup-slots.ts";
import { limitsOn, slotOn } from "./pickup-slots.ts";
import type { LocalWindow } from "./pickup-window.ts";
import type { SlotQuery, SlotsAnswer } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";
import { existsError, findPlace, toSlot } from "./plan-pickup.ts";

type Day = SlotsAnswer["data"][number];

/** For each day, the window in which the carrier can pick up at a location, or why it cannot. */
export async function listSlots(ctx: Ctx, query: SlotQuery): Promise<SlotsAnswer> {
  const { carrierAccountId, locationId, days, excludePickupId } = query;
  const { open, rules, address, timezone, now } = await findPlace(ctx, { carrierAccountId, locationId });
  const taken = await store.findTakenDays(ctx.db, ctx.orgId, open.account.id, addressKeyOf(address), excludePickupId);
  const place = { rules, zone: timezone, now, takenDays: new Set(taken.keys()) };
  const { earliest, latest } = limitsOn(rules);
  const ready = query.readyTime === undefined ? earliest : Temporal.PlainTime.from(query.readyTime);
  const close = query.closeTime === undefined ? latest : Temporal.PlainTime.from(query.closeTime);
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  const first = query.from === undefined ? today : Temporal.PlainDate.from(query.from);
  const data = Array.from({ length: days }, (_, after): Day => {
    const date = first.add({ days: after });
    return dayOf({ date, ready, close }, place, taken.get(date.toString()));
  });
  return { timezone, data, nextAvailable: data.find(({ window }) => window !== null)?.window ?? null };
}

function dayOf(wanted: LocalWindow, place: PickupPlace, existingId: string | undefined): Day {
  const { rules, zone, now } = place;
  const ahead = now.toZonedDateTimeISO(zone).toPlainDate().until(wanted.date).days;
  const found = ahead < 0 || ahead > rules.maxDaysAhead ? null : slotOn(wanted.date, wanted, place);
  const date = wanted.date.toString();
  if (found) return { date, window: toSlot(found, zone), reason: null, existingId: null };
  // A day without service is reported as such, even if a pickup exists on it.
  const [problem] = checkWindow(wanted, place);
  const { code, message } =
    existingId === undefined || problem?.pointer === "/pickupDate"
      ? (problem ?? { code: "no_window", message: "No window is left on this day." })
      : existsError(existingId, null);
  return { date, window: null, reason: { code, message }, existingId: existingId ?? null };
}

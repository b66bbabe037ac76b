import { demoCards } from "../../carriers/demo/demo-cards.ts";
import { defaultPickupRules } from "../../carriers/seam/pickup-rules.ts";
import { deterministicId } from "../../core/ids.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { findAccountIdByName } from "../carrier-accounts/carrier-accounts.ts";
import type { Booking, Pickup } from "./pickup.ts";
import { dueOf, newPickup } from "./pickup.ts";
import { findSlot } from "./pickup-slots.ts";
import type { PickupStatus } from "./pickups.states.ts";
import * as store from "./pickups.store.ts";
import { toBooking } from "./plan-pickup.ts";

const zone = "America/New_York";
const address = {
  company: "Demo Warehouse",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
  phone: "+1 973 555 0100",
};

/** Days from today, final status and number of packages. */
const stories: [days: number, status: PickupStatus, packages: number][] = [
  [-9, "completed", 14],
  [-6, "missed", 9],
  [-5, "completed", 31],
  [-2, "cancelled", 4],
  [-1, "completed", 18],
  [1, "scheduled", 22],
  [3, "scheduled", 7],
];

/** Demo pickups for the preview, relative to today; none without the demo carrier account. */
export async function seedPickups(tx: Tx, ctx: Ctx): Promise<number> {
  const name = demoCards()[0]!.account;
  const accountId = await findAccountIdByName(tx, ctx.orgId, name);
  if (accountId === undefined) return 0;
  const now = ctx.clock.real().toISOString();
  const pickups = stories.map((story, index) => makePickup(story, index, accountId, now));
  await store.insertPickups(tx, ctx.orgId, pickups);
  return pickups.length;
}

function makePickup(
  [days, status, packageCount]: (typeof stories)[number],
  index: number,
  accountId: string,
  now: string,
): Pickup {
  const at = Temporal.Instant.from(now);
  const wanted = {
    date: at.toZonedDateTimeISO(zone).toPlainDate().add({ days }),
    ready: Temporal.PlainTime.from("13:00"),
    close: Temporal.PlainTime.from("17:00"),
  };
  const rules = { ...defaultPickupRules, holidays: [] };
  const slot = (days > 0 ? findSlot(wanted, { rules, zone, now: at }) : null) ?? wanted;
  const request = {
    packageCount,
    labels: [],
    handoverGroup: "",
    totalWeight: { value: packageCount * 4, unit: "lb" as const },
    instructions: index % 2 === 0 ? "Dock 4, ring twice" : undefined,
  };
  const booking: Booking = {
    ...toBooking(request, address, zone, slot, rules, 1),
    // Unique keys: two pickups may fall on the same day after a weekend.
    addressKey: `demo:${index}`,
    confirmationNumber: `DEMO${String(900_000_000 + index * 7919)}`,
    chargeCents: 0,
    chargeCurrency: "USD",
  };
  const { readyAt } = booking;
  const shifted = (from: string, hours: number): string => new Date(Date.parse(from) + hours * 3_600_000).toISOString();
  const createdAt = shifted(days > 0 ? now : readyAt, -20);
  const endedAt = days > 0 ? null : shifted(readyAt, status === "cancelled" ? -4 : status === "missed" ? 8 : 2);
  const history: Pickup["history"] = [
    { at: createdAt, status: "requested", note: null },
    { at: createdAt, status: "scheduled", note: null },
  ];
  if (endedAt !== null) history.push({ at: endedAt, status, note: null });
  const about = { id: deterministicId(`pickup:${index}`), carrierAccountId: accountId, carrier: "rate-card" };
  const pickup: Pickup = {
    ...newPickup(booking, about, createdAt),
    status,
    cancelReason: status === "cancelled" ? "Nothing to ship" : null,
    cancelledAt: status === "cancelled" ? endedAt : null,
    history,
    attempts: 0,
    updatedAt: endedAt ?? createdAt,
    version: history.length,
  };
  return { ...pickup, dueAt: dueOf(pickup, now) };
}

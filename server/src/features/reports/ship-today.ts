import { endOfLocalDate, localDateOf, toMoment } from "../../core/time-zones.ts";
import type { Ctx } from "../../context.ts";
import { listCarrierAccounts } from "../carrier-accounts/carrier-accounts.ts";
import { unshippedStatuses } from "../orders/orders.states.ts";
import { countOrders } from "../orders/orders.ts";
import { findWorkingCalendar } from "../organizations/organizations.ts";
import type { ShipToday } from "./reports.schemas.ts";
import * as store from "./ship-today.store.ts";

const hourMs = 3_600_000;

export async function readShipToday(ctx: Ctx): Promise<ShipToday> {
  const now = ctx.clock.now();
  const { timezone: timeZone, cutoffTime } = await findWorkingCalendar(ctx, ctx.orgId);
  const date = localDateOf(now.toISOString(), timeZone);
  const [start, end] = [toMoment(date, timeZone), endOfLocalDate(date, timeZone)];
  const filter = { status: [...unshippedStatuses], shipByTo: end };
  const countBefore = (shipByTo: string) => countOrders(ctx, { status: filter.status.join(","), shipByTo });
  const hourAgo = new Date(now.getTime() - hourMs).toISOString();
  const [open, late, shipped, shippedLastHour, pickups, carriers, cutoffs] = await Promise.all([
    countBefore(end),
    countBefore(now.toISOString()),
    store.countShippedBetween(ctx.db, ctx.orgId, start, end),
    store.countShippedBetween(ctx.db, ctx.orgId, hourAgo, now.toISOString()),
    store.countPickupsOn(ctx.db, ctx.orgId, date),
    store.groupOpenByCarrier(ctx.db, ctx.orgId, filter.status, end),
    readCutoffs(ctx),
  ]);
  const cutoffAt = (carrier: string | null): string | null => {
    const time = (carrier === null ? undefined : cutoffs.get(nameKey(carrier))) ?? cutoffTime;
    return time === null || time === undefined ? null : toMoment(`${date}T${time}`, timeZone);
  };
  return {
    date,
    timeZone,
    open: open.total,
    isCapped: open.isCapped,
    late: late.total,
    shipped,
    shippedLastHour,
    pickups,
    filter,
    carriers: carriers
      .map((group) => ({ ...group, cutoffAt: cutoffAt(group.carrier) }))
      // Without a cut-off last; the order by number of orders stays otherwise.
      .toSorted((a, b) => (a.cutoffAt ?? "~").localeCompare(b.cutoffAt ?? "~")),
  };
}

/** The earliest cut-off of each carrier's active accounts, by the name of the carrier. */
async function readCutoffs(ctx: Ctx): Promise<Map<string, string>> {
  const { data } = await listCarrierAccounts(ctx, { page: 1, limit: 100, isActive: true });
  const cutoffs = new Map<string, string>();
  for (const { carrier, comparisonOnly, pickupRules } of data) {
    const time = pickupRules.cutoffLocalTime;
    const known = cutoffs.get(nameKey(carrier));
    if (comparisonOnly || time === null || time === undefined || (known !== undefined && known <= time)) continue;
    cutoffs.set(nameKey(carrier), time);
  }
  return cutoffs;
}

const nameKey = (carrier: string): string => carrier.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

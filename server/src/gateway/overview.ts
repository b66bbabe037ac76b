import type { Static } from "typebox";
import { Type } from "../core/type.ts";
import type { DayWindow } from "../core/day-window.ts";
import { countDays, toDayWindow, windowQuery } from "../core/day-window.ts";
import { Count, CountOfEach, Strict } from "../core/schema.ts";
import type { Ctx } from "../context.ts";
import { findTimeZone } from "../features/organizations/organizations.ts";
import type { OverviewFigures } from "../features/shipments/shipments.ts";
import { readFigures } from "../features/shipments/shipments.ts";
import { riskReasons } from "../features/shipments/shipments.states.ts";
import type { GatewayAnswer } from "./envelope.ts";

export const organizationQuery = {
  organization_id: Type.Optional(
    Type.String({ description: "Or the header X-Organization-Id. Default: the token's, or all with gateway:global" }),
  ),
};

export const OverviewQuery = Strict({
  ...organizationQuery,
  ...windowQuery,
});
export type OverviewQuery = Static<typeof OverviewQuery>;

export const Overview = Type.Object({
  on_time_pct: Type.Number({ minimum: 0, maximum: 100 }),
  in_transit: Count,
  delivered: Count,
  avg_transit_days: Type.Number({ minimum: 0 }),
  at_risk: Count,
  at_risk_by_reason: Type.Object(CountOfEach(riskReasons), {
    description: "A shipment with two reasons is counted in both",
  }),
  sample: Type.Object({ on_time: Count, transit: Count }, { description: "Number of shipments behind each rate" }),
  promises: Type.Object({ kept: Count, missed: Count }, { description: "The promises behind `on_time_pct`" }),
});

/** KPI definitions, as published in the API reference. */
export const definitions = [
  "Days are those of the organization, in its `timeZone`; of all organizations, those of the one that asks.",
  "Cancelled and returned shipments are excluded.",
  "`delivered`: delivered in the window.",
  "`on_time_pct`: the share of shipments whose first delivery attempt was on or before the promised day at the destination, " +
    "among those with a first attempt in the window and those without any attempt whose promised day ended in it.",
  "The promised day is the one in the request or the order's deliver-by date, else that of the label: the transit days of the " +
    "account's rate card or the carrier's quote; else the carrier's first estimate, else the usual transit time of the service: ground 5 " +
    "business days from the first scan, two-day 2, overnight 1 and so on.",
  "Left out of `on_time_pct` are shipments without a promise; `leftOut` of `GET /shipments` lists them.",
  "`avg_transit_days`: from the carrier's first scan to delivery, for shipments delivered in the window.",
  "`in_transit` and `at_risk` are as of now. `in_transit`: scanned and not delivered. `at_risk`: undelivered with at least one " +
    "reason: `late` (the promised day is over), `predicted_late` (the carrier expects to miss it), `stalled` (no scan for 48 " +
    "hours, 96 internationally, days off not counted), `exception` (the carrier reports a problem or a delay), " +
    "`attempt_failed`, `not_accepted` (no scan 24 hours after the ship date, days off not counted).",
  "The shipments behind `promises` are listed by `GET /shipments` with `onTime`, `evaluatedFrom` and `evaluatedTo`.",
  "Without an organization, a token with `gateway:global` gets the KPIs across all organizations; `meta.organizationId` is then null.",
  "Without data a rate is 0; `sample` is the number of shipments behind it.",
].join(" ");

export async function readOverview(
  ctx: Ctx,
  organizationId: string | undefined,
  query: OverviewQuery,
): Promise<GatewayAnswer> {
  const now = ctx.clock.now();
  const window = await readWindow(ctx, organizationId, query);
  const figures = await readFigures(
    organizationId === ctx.orgId ? ctx.db : ctx.db.acrossOrgs,
    organizationId ?? null,
    window,
    now,
  );
  return {
    data: {
      ...presentFigures(figures),
      in_transit: figures.inTransit,
      at_risk: figures.atRisk,
      at_risk_by_reason: figures.atRiskByReason,
    },
    meta: {
      organizationId: organizationId ?? null,
      generatedAt: now.toISOString(),
      window: { ...window, days: countDays(window) },
    },
  };
}

type WindowFigures = Pick<OverviewFigures, "onTimePct" | "delivered" | "avgTransitDays" | "sample" | "promises">;

/** The KPIs of a window or of one group. */
export function presentFigures({ onTimePct, delivered, avgTransitDays, sample, promises }: WindowFigures) {
  return {
    on_time_pct: onTimePct,
    delivered,
    avg_transit_days: avgTransitDays,
    sample: { on_time: sample.onTime, transit: sample.transit },
    promises,
  };
}

/** Days are in the time zone of the requested organization; across all organizations, of the caller's own. */
export async function readWindow(
  ctx: Ctx,
  organizationId: string | undefined,
  query: OverviewQuery,
): Promise<DayWindow> {
  return toDayWindow(query, ctx.clock.now(), await findTimeZone(ctx, organizationId ?? ctx.orgId));
}

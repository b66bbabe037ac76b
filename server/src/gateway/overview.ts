import type { Static } from "typebox";
import { Type } from "../core/type.ts";
import type { FieldError } from "../core/errors.ts";
import { validationFailed } from "../core/errors.ts";
import { Count, CountOfEach, Strict } from "../core/schema.ts";
import { localDateOf } from "../core/time-zones.ts";
import type { Ctx } from "../context.ts";
import { findTimeZone } from "../features/organizations/organizations.ts";
import type { OverviewFigures, Window } from "../features/shipments/shipments.ts";
import { readFigures } from "../features/shipments/shipments.ts";
import { riskReasons } from "../features/shipments/shipments.states.ts";
import type { GatewayAnswer } from "./envelope.ts";

const defaultDays = 30;
const maxDays = 366;
const dayMs = 86_400_000;

export const organizationQuery = {
  organization_id: Type.Optional(
    Type.String({ description: "Or the header X-Organization-Id. Default: the token's, or all with gateway:global" }),
  ),
};

const DateOnly = (description: string) => Type.Optional(Type.String({ format: "date", description }));

export const OverviewQuery = Strict({
  ...organizationQuery,
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxDays, description: "Days up to `to`, or up to today; default 30" }),
  ),
  from: DateOnly("First day of the window, in the time zone of the organization"),
  to: DateOnly("Last day of the window, in the time zone of the organization; default today"),
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
  "The promised day is the one in the request or the order's deliver-by date, else the carrier's first estimate, else the " +
    "usual transit time of the service: ground 5 business days from the first scan, two-day 2, overnight 1 and so on.",
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
      window: { ...window, days: daysBetween(window) },
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
  { days, from, to }: OverviewQuery,
): Promise<Window> {
  const errors: FieldError[] = [];
  const timeZone = await findTimeZone(ctx, organizationId ?? ctx.orgId);
  const last = to ?? localDateOf(ctx.clock.now().toISOString(), timeZone);
  const first = from ?? dateOf(Date.parse(last) - ((days ?? defaultDays) - 1) * dayMs);
  if (days !== undefined && from !== undefined) {
    errors.push({ pointer: "query/days", code: "contradiction", message: "Send either `days` or `from`." });
  }
  for (const [name, date] of Object.entries({ from, to })) {
    if (date === undefined || (date >= "1970" && date < "2200")) continue;
    errors.push({ pointer: `query/${name}`, code: "format", message: "This is not a day between 1970 and 2200." });
  }
  if (first > last) {
    errors.push({ pointer: "query/from", code: "date_order", message: "`to` is before `from`." });
  } else if (daysBetween({ from: first, to: last }) > maxDays) {
    errors.push({ pointer: "query/from", code: "window_too_long", message: `A window has at most ${maxDays} days.` });
  }
  if (errors.length > 0) throw validationFailed(errors);
  return { from: first, to: last, timeZone };
}

function daysBetween({ from, to }: Pick<Window, "from" | "to">): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

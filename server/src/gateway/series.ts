import type { Static } from "typebox";
import { Count, OneOf, Strict } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import type { Ctx } from "../context.ts";
import { readSeries } from "../features/shipments/shipments.ts";
import type { GatewayAnswer } from "./envelope.ts";
import { OverviewQuery, readWindow } from "./overview.ts";

export const SeriesQuery = Strict({
  ...OverviewQuery.properties,
  by: OneOf(["day", "carrier", "service", "state"], {
    description:
      "Days of the organization, each of the window; or what the shipments that were delivered in the window were sent with, or to: the " +
      "50 with the most",
  }),
});
export type SeriesQuery = Static<typeof SeriesQuery>;

export const Series = Type.Object({
  by: SeriesQuery.properties.by,
  points: Type.Array(
    Type.Object({
      key: Type.String({ description: "The day, or the carrier, service or state; empty: it is not known" }),
      delivered: Count,
      on_time_pct: Type.Number({ minimum: 0, maximum: 100 }),
      avg_transit_days: Type.Number({ minimum: 0 }),
      sample: Type.Object({ on_time: Count, transit: Count }),
    }),
  ),
});

/** The figures of the overview, taken apart. What was promised and not tried yet is of no day, so it is in the overview alone. */
export async function readOverviewSeries(
  ctx: Ctx,
  organizationId: string | undefined,
  query: SeriesQuery,
): Promise<GatewayAnswer> {
  const now = ctx.clock.now();
  const window = await readWindow(ctx, organizationId, query);
  const db = organizationId === ctx.orgId ? ctx.db : ctx.db.acrossOrgs;
  const points = await readSeries(db, organizationId ?? null, window, query.by);
  return {
    data: {
      by: query.by,
      points: points.map(({ key, delivered, onTimePct, avgTransitDays, sample }) => ({
        key,
        delivered,
        on_time_pct: onTimePct,
        avg_transit_days: avgTransitDays,
        sample: { on_time: sample.onTime, transit: sample.transit },
      })),
    },
    meta: { organizationId: organizationId ?? null, generatedAt: now.toISOString(), window },
  };
}

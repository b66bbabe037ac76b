import type { Static } from "typebox";
import { Count, Nullable, OneOf, Strict } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import type { Ctx } from "../context.ts";
import { readSeries } from "../features/shipments/shipments.ts";
import type { GatewayAnswer } from "./envelope.ts";
import { Overview, OverviewQuery, presentFigures, readWindow } from "./overview.ts";

export const SeriesQuery = Strict({
  ...OverviewQuery.properties,
  group_by: OneOf(["day", "carrier", "service", "account", "lane", "zone", "state", "location"], {
    description:
      "`day`: each day of the window; `carrier`, `service`, carrier `account` and `zone` of the label, `lane` (states of origin and " +
      "destination), destination `state` or `location` of the order: the 50 groups with the most shipments",
  }),
});
export type SeriesQuery = Static<typeof SeriesQuery>;

const figures = {
  delivered: Count,
  on_time_pct: Type.Number({ minimum: 0, maximum: 100 }),
  avg_transit_days: Type.Number({ minimum: 0 }),
  sample: Overview.properties.sample,
  promises: Overview.properties.promises,
};

export const Series = Type.Object({
  group_by: SeriesQuery.properties.group_by,
  points: Type.Array(
    Type.Object({
      key: Type.String({
        description:
          "The day, carrier, service, lane, zone, state, or ID of the carrier account or location; empty: unknown",
      }),
      ...figures,
    }),
  ),
  others: Nullable(Type.Object(figures, { description: "The sum of all groups beyond the 50 points" })),
});

/** Definitions of the series, as published in the API reference. */
export const seriesDefinitions = [
  "The definitions are those of `GET /v1/overview`: the counts of all points and `others` add up to the overview of the same window.",
  "By day, deliveries count on their day, promises on the day of the first delivery attempt, and promises missed without an " +
    "attempt on the day the promised day ended.",
  "The shipments behind `promises` of a point are listed by `GET /shipments` with `onTime`, `evaluatedFrom`, `evaluatedTo` and `carrier`, " +
    "`service`, `carrierAccountId`, `lane`, `zone`, `state` or `locationId`.",
].join(" ");

/** The KPIs of the overview by group. */
export async function readOverviewSeries(
  ctx: Ctx,
  organizationId: string | undefined,
  query: SeriesQuery,
): Promise<GatewayAnswer> {
  const now = ctx.clock.now();
  const window = await readWindow(ctx, organizationId, query);
  const db = organizationId === ctx.orgId ? ctx.db : ctx.db.acrossOrgs;
  const { points, others } = await readSeries(db, organizationId ?? null, window, query.group_by, now);
  return {
    data: {
      group_by: query.group_by,
      points: points.map(({ key, ...point }) => ({ key, ...presentFigures(point) })),
      others: others && presentFigures(others),
    },
    meta: { organizationId: organizationId ?? null, generatedAt: now.toISOString(), window },
  };
}

import type { Static } from "typebox";
import { Count, Nullable, OneOf, Strict } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import type { Ctx } from "../context.ts";
import { readSeries } from "../features/shipments/shipments.ts";
import type { GatewayAnswer } from "./envelope.ts";
import { Overview, OverviewQuery, presentFigures, readWindow } from "./overview.ts";

export const SeriesQuery = Strict({
  ...OverviewQuery.properties,
  group_by: OneOf(["day", "carrier", "service", "state"], {
    description:
      "Days of the organization, each of the window; or the carrier, service or state of the destination: the 50 with the most " +
      "shipments",
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
      key: Type.String({ description: "The day, or the carrier, service or state; empty: it is not known" }),
      ...figures,
    }),
  ),
  others: Nullable(Type.Object(figures, { description: "All that are not among the 50 points" })),
});

/** What the figures mean, in the words of the API reference. */
export const seriesDefinitions = [
  "With the definitions of `GET /v1/overview`: the counts of all points and of `others` add up to those of the overview for the same window.",
  "By day, a delivery is of its day, a promise that was kept or missed of the day of the first attempt to deliver, and one that was " +
    "missed without any attempt of the day in which the promised day ended.",
  "The shipments behind `promises` of a point are listed by `GET /shipments` with `onTime`, `evaluatedFrom`, `evaluatedTo` and `carrier`, " +
    "`service` or `state`.",
].join(" ");

/** The figures of the overview, taken apart. */
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

import { Type } from "typebox";
import { Count } from "../core/schema.ts";
import type { GatewayAnswer } from "./envelope.ts";

export const Overview = Type.Object({
  on_time_pct: Type.Number({ minimum: 0, maximum: 100 }),
  in_transit: Count,
  delivered: Count,
  avg_transit_days: Type.Number({ minimum: 0 }),
  at_risk: Count,
  sample: Type.Object({ on_time: Count, transit: Count }, { description: "How many shipments the rates stand on" }),
});

/** Why the overview cannot be believed yet, or undefined when it can. */
export function overviewShortcoming(): string | undefined {
  return "This hub does not record shipments yet: all numbers are zero.";
}

/** No data is said as zeros with an empty sample; the capabilities mark the route as degraded meanwhile. */
export function readOverview(organizationId: string | undefined, generatedAt: Date): GatewayAnswer {
  return {
    data: {
      on_time_pct: 0,
      in_transit: 0,
      delivered: 0,
      avg_transit_days: 0,
      at_risk: 0,
      sample: { on_time: 0, transit: 0 },
    },
    meta: {
      organizationId: organizationId ?? null,
      generatedAt: generatedAt.toISOString(),
      window: { days: 30 },
      degraded: overviewShortcoming() ?? null,
    },
  };
}

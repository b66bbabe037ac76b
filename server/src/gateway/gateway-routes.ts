import type { Route } from "../route.ts";
import { defineRoute } from "../route.ts";
import { AtRisk, AtRiskQuery, readAtRisk } from "./at-risk.ts";
import type { CapabilityInput, RouteGroup } from "./capabilities.ts";
import { Capabilities, describeCapabilities } from "./capabilities.ts";
import { Envelope } from "./envelope.ts";
import { chooseOrganization } from "./gateway-organization.ts";
import { readOverviewSeries, Series, seriesDefinitions, SeriesQuery } from "./series.ts";
import { definitions, Overview, OverviewQuery, readOverview } from "./overview.ts";

export const gatewayPrefix = "/v1";

type GatewayDependencies = {
  main: RouteGroup;
  checkHealth(): Promise<CapabilityInput["health"]>;
};

/** `GET /capabilities` describes the main API as well, so the routes of both groups are passed in. */
export function createGatewayRoutes({ main, checkHealth }: GatewayDependencies): Route[] {
  const routes: Route[] = [
    defineRoute("GET /overview", {
      name: "gateway.overview.get",
      scope: "gateway:read",
      summary: "Get network KPIs",
      description: definitions,
      query: OverviewQuery,
      headers: ["OrganizationId"],
      answer: [200, Envelope(Overview)],
      failures: [403, 404],
      handle: async (ctx, { query, organizationHeader }) => {
        const organizationId = await chooseOrganization(ctx, organizationHeader, query.organization_id);
        return await readOverview(ctx, organizationId, query);
      },
    }),
    defineRoute("GET /overview/series", {
      name: "gateway.series.get",
      scope: "gateway:read",
      summary: "Get KPIs by day, carrier, lane, zone and others",
      description: seriesDefinitions,
      query: SeriesQuery,
      headers: ["OrganizationId"],
      answer: [200, Envelope(Series)],
      failures: [403, 404],
      handle: async (ctx, { query, organizationHeader }) => {
        const organizationId = await chooseOrganization(ctx, organizationHeader, query.organization_id);
        return await readOverviewSeries(ctx, organizationId, query);
      },
    }),
    defineRoute("GET /overview/at-risk", {
      name: "gateway.atRisk.list",
      scope: "gateway:read",
      summary: "List at-risk shipments",
      description: "The shipments counted in `at_risk`, the longest at risk first.",
      query: AtRiskQuery,
      headers: ["OrganizationId"],
      answer: [200, Envelope(AtRisk)],
      failures: [403, 404],
      handle: async (ctx, { query, organizationHeader }) => {
        const organizationId = await chooseOrganization(ctx, organizationHeader, query.organization_id);
        return await readAtRisk(ctx, organizationId, query);
      },
    }),
    defineRoute("GET /capabilities", {
      name: "gateway.capabilities.get",
      scope: "gateway:read",
      summary: "List gateway routes and their availability",
      answer: [200, Envelope(Capabilities)],
      handle: async () =>
        describeCapabilities({
          gateway: { prefix: gatewayPrefix, routes, isServed: true },
          main,
          health: await checkHealth(),
        }),
    }),
  ];
  return routes;
}

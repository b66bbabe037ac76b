import { Type } from "typebox";
import { Strict } from "../core/schema.ts";
import type { Route } from "../route.ts";
import { defineRoute } from "../route.ts";
import type { CapabilityInput, RouteGroup } from "./capabilities.ts";
import { Capabilities, describeCapabilities } from "./capabilities.ts";
import { Envelope } from "./envelope.ts";
import { chooseOrganization } from "./gateway-organization.ts";
import { Overview, overviewShortcoming, readOverview } from "./overview.ts";

export const gatewayPrefix = "/v1";

export type GatewayDependencies = {
  main: RouteGroup;
  checkHealth(): Promise<CapabilityInput["health"]>;
};

const OverviewQuery = Strict({
  organization_id: Type.Optional(
    Type.String({ description: "Or the header X-Organization-Id. Default: the token's, or all with gateway:global" }),
  ),
});

/** The gateway describes itself, so it has to know what else is served. */
export function createGatewayRoutes({ main, checkHealth }: GatewayDependencies): Route[] {
  const routes: Route[] = [
    defineRoute({
      method: "GET",
      path: "/overview",
      scope: "gateway:read",
      summary: "Network KPIs of an organization, or of all for operators of the hub",
      query: OverviewQuery,
      answer: [200, Envelope(Overview)],
      failures: [403],
      handle: async (ctx, { query, organizationHeader }) => {
        const organizationId = chooseOrganization(ctx, organizationHeader, query.organization_id);
        return readOverview(organizationId, ctx.clock.now());
      },
    }),
    defineRoute({
      method: "GET",
      path: "/capabilities",
      scope: "gateway:read",
      summary: "Which routes there are, and whether each works right now",
      answer: [200, Envelope(Capabilities)],
      handle: async () =>
        describeCapabilities({
          gateway: { prefix: gatewayPrefix, routes, isServed: true },
          main,
          health: await checkHealth(),
          shortcomings: { "GET /v1/overview": overviewShortcoming() },
        }),
    }),
  ];
  return routes;
}

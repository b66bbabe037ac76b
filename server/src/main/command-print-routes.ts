import { createGatewayRoutes, gatewayPrefix } from "../gateway/gateway-routes.ts";
import { apiPrefix, routesOf } from "../http/routes.ts";

export async function runPrintRoutes(): Promise<void> {
  const main = { prefix: apiPrefix, routes: routesOf("preview"), isServed: true };
  const gateway = createGatewayRoutes({ main, checkHealth: async () => ({ isReady: true, checks: {} }) });
  for (const [prefix, routes] of [
    [apiPrefix, main.routes],
    [gatewayPrefix, gateway],
  ] as const) {
    for (const route of routes) {
      const where = route.previewOnly ? "   (preview only)" : "";
      console.log(`${route.method.padEnd(7)}${`${prefix}${route.path}`.padEnd(46)}${route.scope}${where}`);
    }
  }
}

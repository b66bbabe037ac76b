import { Type } from "../core/type.ts";
import { Nullable, OneOf } from "../core/schema.ts";
import type { Route } from "../route.ts";

const Capability = Type.Object({
  method: Type.String(),
  path: Type.String(),
  status: OneOf(["available", "degraded", "unavailable", "disabled", "preview", "deprecated"]),
  reason: Nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  since: Type.String(),
});

export const Capabilities = Type.Object({
  routes: Type.Array(Capability, { description: "What the gateway exposes" }),
  services: Type.Object({ main: Type.Object({ routes: Type.Array(Capability) }) }),
});

export type RouteGroup = { prefix: string; routes: Route[]; isServed: boolean };

export type CapabilityInput = {
  gateway: RouteGroup;
  main: RouteGroup;
  health: { isReady: boolean; checks: Record<string, string> };
};

/** Computed from the registered routes and the current health. */
export function describeCapabilities({ gateway, main, health }: CapabilityInput) {
  const describe = ({ prefix, routes, isServed }: RouteGroup) =>
    routes.map((route) => {
      const path = `${prefix}${route.path}`.replaceAll(/:(\w+)/g, "{$1}");
      const scopes = route.scope === "public" || route.scope === "any" ? [] : [route.scope];
      return {
        method: route.method,
        path,
        scopes,
        since: "1.0.0",
        ...statusOf(route, isServed),
      };
    });

  function statusOf(route: Route, isServed: boolean): { status: string; reason: string | null } {
    if (!isServed) return { status: "disabled", reason: "This process does not serve the role." };
    if (!health.isReady) {
      const broken = Object.entries(health.checks).filter(([, state]) => state !== "ok");
      return { status: "unavailable", reason: broken.map(([check, state]) => `${check}: ${state}`).join(", ") };
    }
    return { status: route.previewOnly ? "preview" : "available", reason: null };
  }

  return { data: { routes: describe(gateway), services: { main: { routes: describe(main) } } } };
}

import { scopeTexts } from "../core/scopes.ts";
import type { Route } from "../route.ts";

/** A route that forgot its scope must not start, whatever the type checker was told. */
export function refuseMissingScope(route: Route): void {
  const { scope } = route as { scope?: string };
  if (scope === "public" || scope === "any" || (scope !== undefined && scope in scopeTexts)) return;
  throw new Error(`${route.method} ${route.path} names no scope`);
}

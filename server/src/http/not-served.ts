import type { FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import type { Mount } from "./mount.ts";
import { methodsInUse } from "./odd-requests.ts";

/** 404 for an unknown path, 405 for a path with other methods. */
export function notServed(mounts: Mount[], { method, url, server }: FastifyRequest): HubError {
  const isPage = server.hasRoute({ method: "GET", url: url.split("?", 1)[0]! });
  const allow = allowedMethods(mounts, url).join(", ") || (isPage ? "GET, HEAD" : "");
  if (allow === "" && !methodsInUse.has(method))
    return new HubError("not_implemented", `No route has the method ${method}.`);
  if (allow === "") return new HubError("route_not_found", `There is no route ${method} ${url.split("?")[0]}.`);
  return new HubError("method_not_allowed", `${method} is not allowed here. Allowed: ${allow}.`, {
    headers: { allow },
  });
}

/** The methods that a path does have, for a 405 with Allow. Runs only for requests that matched no route. */
function allowedMethods(mounts: Mount[], url: string): string[] {
  const path = url.split("?", 1)[0]!;
  const methods = new Set<string>();
  for (const { prefix, routes } of mounts) {
    if (!path.startsWith(prefix)) continue;
    for (const route of routes) {
      if (matches(`${prefix}${route.path}`, path)) methods.add(route.method);
    }
  }
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted();
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith(":") || part === given[i]);
}

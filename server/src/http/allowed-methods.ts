import type { Mount } from "./mount.ts";

/** The methods that a path does have, for a 405 with Allow. Runs only for requests that matched no route. */
export function allowedMethods(mounts: Mount[], url: string): string[] {
  const path = url.split("?", 1)[0]!;
  const methods = new Set<string>();
  for (const { prefix, routes } of mounts) {
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

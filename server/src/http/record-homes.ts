import type { Route } from "../route.ts";

/**
 * Where what a route has made is read: below its own path, or where else the same is answered by id. Undefined: nowhere, or
 * it makes nothing.
 */
export function homeOf(route: Route, routes: readonly Route[]): string | undefined {
  const [status, shape] = route.answer;
  const { properties = {} } = shape as { properties?: object };
  if (route.method !== "POST" || (status === 200 && !route.mayBeUnfinished) || !("id" in properties)) return undefined;
  const ofOne = routes.filter(({ method, path }) => method === "GET" && /\/:\w+$/.test(path));
  const below = ofOne.find(({ path }) => path.replace(/\/:\w+$/, "") === route.path);
  return (below ?? ofOne.find(({ answer }) => answer[1] === shape))?.path;
}

/** The address of this record there. Other ids in it are those that the request had. */
export function addressOf(home: string, id: string, params: Readonly<Record<string, string>>): string {
  return home
    .replace(/:\w+$/, encodeURIComponent(id))
    .replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

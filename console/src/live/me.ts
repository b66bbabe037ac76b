import type { Answer } from "@order-operations-hub/sdk/client";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { hub } from "./hub.ts";

export type Me = Answer<"GET /api/v1/me">;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/me", { signal }),
  staleTime: 60_000,
});

/** Two-factor status of the user. */
export const totpQuery = queryOptions({
  queryKey: ["me", "totp"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/me/totp", { signal }),
});

/** The signed-in user. Pages are rendered only with one. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** Undefined when the user has the scope, or else the reason to show on the disabled button. */
export function missingScope(me: Me, scope: Me["scopes"][number]): string | undefined {
  return me.scopes.includes(scope)
    ? undefined
    : `Your role${me.role ? `, ${me.role},` : ""} has no permission to ${permissionOf(scope)}.`;
}

/** Names of the console, where they differ from those of the API. */
const shownNames: Record<string, string> = {
  bridges: "connections",
  transformations: "field mappings",
  condition_sets: "value lists",
  operations: "bulk edits",
  audit: "the audit log",
  pii: "names and addresses",
};
const verbs: Record<string, string> = { read: "view", write: "change" };

/** "change connections" for "bridges:write". */
function permissionOf(scope: string): string {
  const [what = "", verb] = scope.split(":");
  if (!verb) return "administer the organization";
  return `${verbs[verb] ?? verb} ${shownNames[what] ?? what.replaceAll("_", " ")}`;
}

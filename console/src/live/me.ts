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
    : `Needs the scope ${scope}, which your role ${me.role ?? "(none)"} does not have.`;
}

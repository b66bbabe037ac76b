import type { Answer } from "@order-operations-hub/sdk/client";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { hub } from "./hub.ts";

export type Me = Answer<"GET /api/v1/me">;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/me", { signal }),
  staleTime: 60_000,
});

/** Whether one is asked for codes of an app. */
export const totpQuery = queryOptions({
  queryKey: ["me", "totp"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/me/totp", { signal }),
});

/** Who is signed in; there is none of these pages without somebody. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** Undefined when it may be done, else why not, for the button that stays in its place. */
export function missingScope(me: Me, scope: Me["scopes"][number]): string | undefined {
  return me.scopes.includes(scope)
    ? undefined
    : `Needs the scope ${scope}, which your role ${me.role ?? "(none)"} does not have.`;
}

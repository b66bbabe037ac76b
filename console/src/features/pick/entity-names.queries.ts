import type { UseQueryResult } from "@tanstack/react-query";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

/**
 * Names to pick from and to show instead of IDs. Kept apart from the other queries because the order list needs them first.
 */
type Named = { id: string; name: string };

const limit = { limit: 100 };
const asks = {
  location: {
    key: "locations",
    ask: async (signal: AbortSignal): Promise<Named[]> =>
      (await hub.call("GET /api/v1/locations", { query: limit, signal })).data,
  },
  bridge: {
    key: "bridges",
    ask: async (signal: AbortSignal): Promise<Named[]> =>
      (await hub.call("GET /api/v1/bridges", { query: limit, signal })).data,
  },
  user: {
    key: "users",
    ask: async (signal: AbortSignal): Promise<Named[]> =>
      (await hub.call("GET /api/v1/users", { query: limit, signal })).data.map(({ id, email }) => ({
        id,
        name: email,
      })),
  },
  carrier_account: {
    key: "carrier-accounts",
    ask: async (signal: AbortSignal): Promise<Named[]> =>
      (await hub.call("GET /api/v1/carrier-accounts", { query: limit, signal })).data,
  },
};
export type EntityKind = keyof typeof asks;
export const isEntityKind = (kind: string): kind is EntityKind => kind in asks;

const entityNamesQuery = (kind: EntityKind) =>
  queryOptions({
    queryKey: [asks[kind].key, "names"],
    ...afterMainQuery(async (signal): Promise<Named[]> =>
      (await asks[kind].ask(signal)).map(({ id, name }) => ({ id, name })),
    ),
    staleTime: 60_000,
    retry: false,
  });

export function useEntityNames(kind: EntityKind): UseQueryResult<Named[]> {
  return useQuery(entityNamesQuery(kind));
}

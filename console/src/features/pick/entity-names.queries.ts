import type { UseQueryResult } from "@tanstack/react-query";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

/**
 * Names to pick from and to show instead of IDs. Kept apart from the other queries because the order list needs them first.
 */
type Named = { id: string; name: string };

const pageSize = 100;
/** A limit on the requests: 5,000 records. */
const maxPages = 50;

type NamesPage = { data: Named[]; pagination: { hasMore: boolean } };

/** All records of a kind: one that is missing here would be shown as unknown wherever an order refers to it. */
async function allOf(ask: (page: number) => Promise<NamesPage>): Promise<Named[]> {
  const all: Named[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const { data, pagination } = await ask(page);
    all.push(...data);
    if (!pagination.hasMore) break;
  }
  return all;
}

type Ask = (signal: AbortSignal, page: number) => Promise<NamesPage>;
const asks = {
  location: {
    key: "locations",
    ask: (signal, page) => hub.call("GET /api/v1/locations", { query: { limit: pageSize, page }, signal }),
  },
  bridge: {
    key: "bridges",
    ask: (signal, page) => hub.call("GET /api/v1/bridges", { query: { limit: pageSize, page }, signal }),
  },
  user: {
    key: "users",
    ask: (signal, page) => hub.call("GET /api/v1/people", { query: { limit: pageSize, page }, signal }),
  },
  carrier_account: {
    key: "carrier-accounts",
    ask: (signal, page) => hub.call("GET /api/v1/carrier-accounts", { query: { limit: pageSize, page }, signal }),
  },
} satisfies Record<string, { key: string; ask: Ask }>;
export type EntityKind = keyof typeof asks;
export const isEntityKind = (kind: string): kind is EntityKind => kind in asks;

const entityNamesQuery = (kind: EntityKind) =>
  queryOptions({
    queryKey: [asks[kind].key, "names"],
    ...afterMainQuery(async (signal): Promise<Named[]> =>
      (await allOf((page) => asks[kind].ask(signal, page))).map(({ id, name }) => ({ id, name })),
    ),
    staleTime: 60_000,
    retry: false,
  });

export function useEntityNames(kind: EntityKind): UseQueryResult<Named[]> {
  return useQuery(entityNamesQuery(kind));
}

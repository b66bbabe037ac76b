import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type Location = Answer<"GET /api/v1/locations/{id}">;
export type LocationPatch = NonNullable<Input<"PATCH /api/v1/locations/{id}">["body"]>;
export type LocationSync = Answer<"POST /api/v1/locations/sync/{bridgeId}">;
type Query = NonNullable<Input<"GET /api/v1/locations">["query"]>;

export const locationsQuery = (filter: Query, page: number) =>
  queryOptions({
    queryKey: ["locations", "list", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/locations", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

export const readLocation = (id: string): Promise<Location> => hub.call("GET /api/v1/locations/{id}", { path: { id } });

export const locationQuery = (id: string) =>
  queryOptions({ queryKey: ["locations", "one", id], queryFn: () => readLocation(id) });

/** Preview of a sync. Never cached: the other system may have changed. */
export const syncPreviewQuery = (bridgeId: string) =>
  queryOptions({
    queryKey: ["locations", "sync", bridgeId],
    queryFn: ({ signal }): Promise<LocationSync> =>
      hub.call("POST /api/v1/locations/sync/{bridgeId}", { path: { bridgeId }, query: { dry_run: true }, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

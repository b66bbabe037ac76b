import type { Order, OrderFilter } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

const pageSize = 100;
/** Limit of the virtual list; beyond it, filters are needed. */
const maxRows = 10_000;

type OrderPage = Answer<"GET /api/v1/orders">;
export type OrderSort =
  | "createdAt"
  | "-createdAt"
  | "orderedAt"
  | "-orderedAt"
  | "updatedAt"
  | "-updatedAt"
  | "shipBy"
  | "-shipBy";

export const ordersQuery = (filter: OrderFilter, sort: OrderSort) =>
  infiniteQueryOptions({
    queryKey: ["orders", "list", filter, sort],
    queryFn: ({ pageParam, signal }): Promise<OrderPage> =>
      hub.call("GET /api/v1/orders", {
        query: { ...(filter as object), sort, page: pageParam, limit: pageSize },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination }) =>
      pagination.hasMore && pagination.page * pageSize < maxRows ? pagination.page + 1 : undefined,
    placeholderData: keepPreviousData,
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) > 3 ? false : 30_000),
  });

/** Order counts by status. Without a filter the rail, the list and the overview share one response. */
export const orderCountsQuery = (filter: OrderFilter = {}) =>
  queryOptions({
    queryKey: ["orders", "counts", filter],
    ...afterMainQuery((signal) => hub.call("GET /api/v1/orders/counts", { query: filter, signal })),
    staleTime: 30_000,
  });

export const orderQuery = (ref: string) =>
  queryOptions({
    queryKey: ["orders", "one", ref],
    queryFn: ({ signal }): Promise<Order> => hub.call("GET /api/v1/orders/{id}", { path: { id: ref }, signal }),
  });

export type TimelineEntry = Answer<"GET /api/v1/orders/{id}/timeline">["data"][number];

export const timelineQuery = (ref: string) =>
  queryOptions({
    queryKey: ["orders", "timeline", ref],
    queryFn: async ({ signal }): Promise<TimelineEntry[]> =>
      (await hub.call("GET /api/v1/orders/{id}/timeline", { path: { id: ref }, query: { limit: 100 }, signal })).data,
  });

export type LastChanges = Answer<"GET /api/v1/orders/{id}/last-changes">;

/** Last change of each field. */
export const lastChangesQuery = (ref: string) =>
  queryOptions({
    queryKey: ["orders", "last-changes", ref],
    queryFn: ({ signal }): Promise<LastChanges> =>
      hub.call("GET /api/v1/orders/{id}/last-changes", { path: { id: ref }, signal }),
  });

/** Orders with a similar number. */
export const orderSearchQuery = (search: string) =>
  queryOptions({
    queryKey: ["orders", "search", search],
    queryFn: ({ signal }) => hub.call("GET /api/v1/orders", { query: { search, limit: 6, archived: "any" }, signal }),
    placeholderData: keepPreviousData,
  });

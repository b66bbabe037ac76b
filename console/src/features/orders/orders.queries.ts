import type { Address, Order, OrderFilter } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

const pageSize = 100;
/** Limit of the virtual list; beyond it, filters are needed. */
const maxRows = 10_000;

export type OrderPatch = NonNullable<Input<"PATCH /api/v1/orders/{id}">["body"]>;
type OrderPage = Answer<"GET /api/v1/orders">;
export type OrderSort = NonNullable<NonNullable<Input<"GET /api/v1/orders">["query"]>["sort"]>;

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

export type FacetField = Input<"GET /api/v1/orders/facets">["query"]["field"];

/** Values of a field with their number of orders, within the other filters. */
export const facetsQuery = (field: FacetField, filter: OrderFilter, valueSearch: string) =>
  queryOptions({
    queryKey: ["orders", "facets", field, filter, valueSearch],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/orders/facets", {
        query: { ...(filter as object), field, limit: 200, ...(valueSearch ? { valueSearch } : {}) },
        signal,
      }),
    placeholderData: keepPreviousData,
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

/** The customer of an order, with the other orders of the same customer. */
export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ["orders", "customer", id],
    queryFn: ({ signal }) => hub.call("GET /api/v1/orders/{id}/customer", { path: { id }, signal }),
    retry: false,
  });

/** Orders with a similar number. */
export const orderSearchQuery = (search: string) =>
  queryOptions({
    queryKey: ["orders", "search", search],
    queryFn: ({ signal }) => hub.call("GET /api/v1/orders", { query: { search, limit: 6, archived: "any" }, signal }),
    placeholderData: keepPreviousData,
  });

/** Asks the first carrier account that checks addresses; undefined if there is none. */
export async function askAddressCheck(address: Address) {
  const [{ data: accounts }, { data: carriers }] = await Promise.all([
    hub.call("GET /api/v1/carrier-accounts", { query: { limit: 100, isActive: true } }),
    hub.call("GET /api/v1/carrier-accounts/carriers"),
  ]);
  const checking = new Set(carriers.filter(({ supports }) => supports.addressCheck).map(({ name }) => name));
  const account = accounts.find(({ carrier }) => checking.has(carrier));
  if (!account) return undefined;
  const result = await hub.call("POST /api/v1/carrier-accounts/{id}/address-check", {
    path: { id: account.id },
    body: { address },
  });
  return { ...result, accountId: account.id, accountName: account.name };
}

/** Numbers of the orders of one page of a list, for walking beyond the rows that the list has loaded. */
export const walkQuery = (filter: OrderFilter, sort: OrderSort, page: number) =>
  queryOptions({
    queryKey: ["orders", "walk", filter, sort, page],
    queryFn: async ({ signal }): Promise<string[]> => {
      const query = { ...(filter as object), sort, page, limit: pageSize };
      return (await hub.call("GET /api/v1/orders", { query, signal })).data.map(({ number }) => number);
    },
    staleTime: 30_000,
  });
export const walkPageAfter = (count: number): number => Math.floor(count / pageSize) + 1;

const tagSuggestions = 20;

/** Tags of the organization, most used first. */
export const tagsQuery = (valueSearch: string) =>
  queryOptions({
    queryKey: ["orders", "tags", valueSearch],
    queryFn: async ({ signal }): Promise<string[]> => {
      const query = { field: "tag" as const, limit: tagSuggestions, ...(valueSearch ? { valueSearch } : {}) };
      return (await hub.call("GET /api/v1/orders/facets", { query, signal })).values.map(({ value }) => value);
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

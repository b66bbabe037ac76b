import type { Exception, ExceptionSummary } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";
import type { Search } from "../../ui/search-params.ts";
import { oneOf } from "../../ui/search-params.ts";

export type { Exception, ExceptionSummary };
export type ExceptionGroup = Answer<"GET /api/v1/exceptions/counts">["groups"][number];
export type ExceptionFilter = Omit<NonNullable<Input<"GET /api/v1/exceptions">["query"]>, "page" | "limit">;
export type FixRequest = Input<"POST /api/v1/exceptions/{id}/resolve">["body"];
export type FixAnswer = Answer<"POST /api/v1/exceptions/{id}/resolve">;
export type FixManyRequest = Input<"POST /api/v1/exceptions/resolve">["body"];

const filterNames = ["status", "kind", "code", "bridgeId", "taskName", "orderId", "executionId"] as const;

/** Reads the filter from the address. */
export function filterOf(search: Search): ExceptionFilter {
  const given = filterNames.map((name) => [name, oneOf(search[name])] as const).filter(([, value]) => value);
  return Object.fromEntries(given);
}

export const exceptionsQuery = (filter: ExceptionFilter, page: number) =>
  queryOptions({
    queryKey: ["exceptions", "list", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/exceptions", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const exceptionCountsQuery = (filter: ExceptionFilter) =>
  queryOptions({
    queryKey: ["exceptions", "counts", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/exceptions/counts", { query: filter, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const exceptionQuery = (id: string) =>
  queryOptions({
    queryKey: ["exceptions", "one", id],
    queryFn: ({ signal }): Promise<Exception> => hub.call("GET /api/v1/exceptions/{id}", { path: { id }, signal }),
    placeholderData: keepPreviousData,
  });

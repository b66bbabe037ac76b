import type { RateComparison, RateComparisonItem, RateComparisonSummary } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type Mapping = Record<string, string | null>;
export type FileReport = Answer<"POST /api/v1/rate-comparisons/import">;
export type ItemFilter = Omit<Input<"GET /api/v1/rate-comparisons/{id}/items">["query"] & object, "page" | "limit">;
export type Scenario = { fuelPercent?: number; extraDiscountPercent?: number };

export const comparisonsQuery = (status: string | undefined, search: string | undefined, page: number) =>
  queryOptions({
    queryKey: ["rates", "list", status, search, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/rate-comparisons", {
        query: { page, limit: 50, ...(status ? { status: status as "draft" } : {}), ...(search ? { search } : {}) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

export const comparisonQuery = (id: string) =>
  queryOptions({
    queryKey: ["rates", "one", id],
    queryFn: ({ signal }): Promise<RateComparison> =>
      hub.call("GET /api/v1/rate-comparisons/{id}", { path: { id }, signal }),
  });

export const summaryQuery = (comparison: Pick<RateComparison, "id" | "version">, scenario: Scenario = {}) =>
  queryOptions({
    queryKey: ["rates", "summary", comparison.id, comparison.version, scenario],
    queryFn: ({ signal }): Promise<RateComparisonSummary> =>
      hub.call("GET /api/v1/rate-comparisons/{id}/summary", { path: { id: comparison.id }, query: scenario, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });

export const itemsQuery = (comparison: Pick<RateComparison, "id" | "version">, filter: ItemFilter, page: number) =>
  queryOptions({
    queryKey: ["rates", "items", comparison.id, comparison.version, filter, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/rate-comparisons/{id}/items", {
        path: { id: comparison.id },
        query: { ...filter, page, limit: 50 },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/** One item by its index: a page of size one. */
export const itemQuery = (comparison: Pick<RateComparison, "id" | "version">, index: number) =>
  queryOptions({
    queryKey: ["rates", "item", comparison.id, comparison.version, index],
    queryFn: async ({ signal }): Promise<RateComparisonItem | null> =>
      (
        await hub.call("GET /api/v1/rate-comparisons/{id}/items", {
          path: { id: comparison.id },
          query: { page: index + 1, limit: 1 },
          signal,
        })
      ).data[0] ?? null,
    placeholderData: keepPreviousData,
  });

/** Dry run of a file; nothing is stored. */
export const fileQuery = (file: { id: string; text: string } | undefined, mapping: Mapping) =>
  queryOptions({
    queryKey: ["rates", "file", file?.id, mapping],
    queryFn: ({ signal }): Promise<FileReport> =>
      hub.call("POST /api/v1/rate-comparisons/import", { body: { csv: file!.text, mapping, dryRun: true }, signal }),
    enabled: file !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

export type QuoteRequest = Input<"POST /api/v1/carrier-accounts/{id}/quote">["body"];

/** Explanation of a price: the same parcel quoted today. */
export const explanationQuery = (accountId: string, body: QuoteRequest | undefined) =>
  queryOptions({
    queryKey: ["rates", "explanation", accountId, body],
    queryFn: ({ signal }) =>
      hub.call("POST /api/v1/carrier-accounts/{id}/quote", { path: { id: accountId }, body: body!, signal }),
    enabled: body !== undefined,
    staleTime: 300_000,
    retry: false,
  });

import type {
  RateComparison,
  RateComparisonItem,
  RateComparisonMix,
  RateComparisonScenario,
  RateComparisonSummary,
} from "@order-operations-hub/sdk/api-types";
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

/** Costs of all contracts of a comparison with several. */
export const mixQuery = (comparison: Pick<RateComparison, "id" | "version" | "finishedAt">) =>
  queryOptions({
    queryKey: ["rates", "mix", comparison.id, comparison.version],
    queryFn: ({ signal }): Promise<RateComparisonMix> =>
      hub.call("GET /api/v1/rate-comparisons/{id}/mix", { path: { id: comparison.id }, signal }),
    enabled: comparison.finishedAt !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });

export const scenariosQuery = (comparison: Pick<RateComparison, "id" | "version">) =>
  queryOptions({
    queryKey: ["rates", "scenarios", comparison.id, comparison.version],
    queryFn: async ({ signal }): Promise<RateComparisonScenario[]> =>
      (await hub.call("GET /api/v1/rate-comparisons/{id}/scenarios", { path: { id: comparison.id }, signal })).data,
    placeholderData: keepPreviousData,
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

/** CSV as text, a spreadsheet as its bytes. */
export type ChosenFile = { id: string; name: string; content: string | Blob };

/** What the hub takes beside the file. A spreadsheet is a body of its own, so its options are in the query. */
type ImportOptions = Omit<Input<"POST /api/v1/rate-comparisons/import">["body"], "csv" | "mapping" | "options">;

export function importFile(
  { content }: ChosenFile,
  mapping: Mapping,
  options: ImportOptions,
  signal?: AbortSignal,
): Promise<FileReport> {
  const aborted = signal ? { signal } : {};
  if (typeof content === "string") {
    return hub.call("POST /api/v1/rate-comparisons/import", {
      body: { ...options, csv: content, mapping },
      ...aborted,
    });
  }
  const { targets, ...others } = options;
  const asText = { mapping: JSON.stringify(mapping), ...(targets && { targets: JSON.stringify(targets) }) };
  return hub.upload("POST /api/v1/rate-comparisons/import", {
    query: { ...others, ...asText },
    file: content,
    ...aborted,
  });
}

/** Dry run of a file; nothing is stored. */
export const fileQuery = (file: ChosenFile | undefined, mapping: Mapping) =>
  queryOptions({
    queryKey: ["rates", "file", file?.id, mapping],
    queryFn: ({ signal }): Promise<FileReport> => importFile(file!, mapping, { dryRun: true }, signal),
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

import type {
  OperationAction,
  OperationRun,
  OperationRunResult,
  SavedPipeline,
  Selection,
} from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { words } from "../../ui/format.ts";

export type Preflight = Answer<"POST /api/v1/operations/preflight">;
export type PreflightRequest = Input<"POST /api/v1/operations/preflight">["body"];

export const catalogQuery = queryOptions({
  queryKey: ["operations", "catalog"],
  queryFn: async ({ signal }): Promise<OperationAction[]> =>
    (await hub.call("GET /api/v1/operations/actions", { signal })).data,
  staleTime: 300_000,
});

/** Action titles by type. */
export function useActionTitles(): (type: unknown) => string {
  const { data: catalog } = useQuery(catalogQuery);
  return (type) => catalog?.find((action) => action.type === type)?.title ?? words(String(type));
}

/** Titles of known actions; undefined for any other word. */
export function useKnownTitles(): (type: string) => string | undefined {
  const { data: catalog } = useQuery(catalogQuery);
  return (type) => catalog?.find((action) => action.type === type)?.title;
}

export const presetsQuery = queryOptions({
  queryKey: ["operations", "presets"],
  queryFn: async ({ signal }): Promise<SavedPipeline[]> =>
    (await hub.call("GET /api/v1/operations/pipelines", { query: { limit: 100 }, signal })).data,
  staleTime: 30_000,
});

export const readPreset = (id: string, signal?: AbortSignal): Promise<SavedPipeline> =>
  hub.call("GET /api/v1/operations/pipelines/{id}", { path: { id }, ...(signal ? { signal } : {}) });

export const presetQuery = (id: string) =>
  queryOptions({ queryKey: ["operations", "preset", id], queryFn: ({ signal }) => readPreset(id, signal) });

export const selectionQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["operations", "selection", id],
    queryFn: ({ signal }): Promise<Selection> =>
      hub.call("GET /api/v1/operations/selections/{id}", { path: { id: id! }, signal }),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A message of the stream; see the API reference. */
export type PreflightProgress = {
  orders: number;
  evaluated: number;
  prices: Array<{
    carrier_account_id: string;
    carrier_account: string;
    answered: number;
    failed: number;
    pending: number;
    status: string;
  }>;
};

/** Of the preflight that asks carriers at the moment. */
export const preflightProgressQuery = queryOptions({
  queryKey: ["operations", "preflight-progress"],
  queryFn: (): PreflightProgress | null => null,
  enabled: false,
});

/** Closing the stream cancels the preflight. */
async function streamPreflight(body: PreflightRequest, signal: AbortSignal): Promise<Preflight> {
  for await (const { event, data } of hub.stream("POST /api/v1/operations/preflight/stream", { body, signal })) {
    const { report, ...progress } = JSON.parse(data) as PreflightProgress & { report: Preflight | null };
    queryClient.setQueryData(preflightProgressQuery.queryKey, event === "end" ? null : progress);
    if (event === "end" && report) return report;
  }
  throw new Error("The preview was interrupted. Try again.");
}

/** Preflight. The previous result stays visible, dimmed, until the new one arrives. */
export const preflightQuery = (body: PreflightRequest | undefined, asksCarriers: boolean) =>
  queryOptions({
    queryKey: ["operations", "preflight", body],
    queryFn: ({ signal }): Promise<Preflight> =>
      asksCarriers
        ? streamPreflight(body, signal)
        : hub.call("POST /api/v1/operations/preflight", { body: body!, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type RunFilter = Pick<NonNullable<Input<"GET /api/v1/operations/runs">["query"]>, "created_by" | "from" | "to">;

export const runsQuery = (status: string | undefined, page = 1, more: RunFilter = {}) =>
  queryOptions({
    queryKey: ["operations", "runs", status, page, more],
    queryFn: async ({ signal }) =>
      hub.call("GET /api/v1/operations/runs", {
        query: { limit: 50, page, ...more, ...(status ? { status: status as "failed" } : {}) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

/** Number of running runs. */
export const runningRunsQuery = queryOptions({
  queryKey: ["operations", "running"],
  ...afterMainQuery(
    async (signal): Promise<number> =>
      (await hub.call("GET /api/v1/operations/runs", { query: { status: "running", limit: 1 }, signal })).pagination
        .total,
  ),
  refetchInterval: 15_000,
});

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["operations", "run", id],
    queryFn: ({ signal }): Promise<OperationRun> =>
      hub.call("GET /api/v1/operations/runs/{id}", { path: { id }, query: { results_limit: 0 }, signal }),
  });

export type ResultFilter = {
  status?: OperationRunResult["status"] | undefined;
  code?: string | undefined;
  /** Index of the step that failed. */
  step?: number | undefined;
};

export const resultsQuery = (id: string, filter: ResultFilter, page: number) =>
  queryOptions({
    queryKey: ["operations", "results", id, filter, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/operations/runs/{id}/results", {
        path: { id },
        query: {
          page,
          limit: 100,
          ...(filter.status ? { status: filter.status as "failed" } : {}),
          ...(filter.code ? { code: filter.code } : {}),
          ...(filter.step === undefined ? {} : { step: filter.step }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

export type RunGroups = Answer<"GET /api/v1/operations/runs/{id}/result-groups">;
export type RunGroup = RunGroups["data"][number];

export const runGroupsQuery = (id: string) =>
  queryOptions({
    queryKey: ["operations", "groups", id],
    queryFn: ({ signal }): Promise<RunGroups> =>
      hub.call("GET /api/v1/operations/runs/{id}/result-groups", { path: { id }, signal }),
    placeholderData: keepPreviousData,
  });

export const undoPreflightQuery = (id: string) =>
  queryOptions({
    queryKey: ["operations", "undo", id],
    queryFn: ({ signal }) => hub.call("POST /api/v1/operations/runs/{id}/undo/preflight", { path: { id }, signal }),
    gcTime: 0,
    retry: false,
  });

export const conditionFieldsQuery = queryOptions({
  queryKey: ["operations", "fields"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/operations/condition-fields", { signal }),
  staleTime: 300_000,
});

/** Services of a carrier account: those it quotes for a parcel from the first location with a postal code. */
export const accountServicesQuery = (accountId: string | undefined) =>
  queryOptions({
    queryKey: ["carrier-accounts", accountId, "services"],
    queryFn: async ({ signal }): Promise<Array<{ service: string; name: string }>> => {
      const { data: locations } = await hub.call("GET /api/v1/locations", { query: { limit: 100 }, signal });
      const address = locations.map((location) => location.address).find((one) => one?.zip);
      if (!address) return [];
      const answer = await hub.call("POST /api/v1/carrier-accounts/{id}/quote", {
        path: { id: accountId! },
        body: { origin: address, destination: address, weight: { value: 1, unit: "lb" } },
        signal,
      });
      return answer.quotes.map(({ service, serviceName }) => ({ service, name: serviceName }));
    },
    enabled: accountId !== undefined,
    staleTime: 300_000,
    retry: false,
  });

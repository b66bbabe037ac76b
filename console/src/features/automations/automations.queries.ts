import type { Automation } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type AutomationFilter = NonNullable<Input<"GET /api/v1/automations">["query"]>;

export const automationsQuery = (filter: AutomationFilter) =>
  queryOptions({
    queryKey: ["automations", "list", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/automations", { query: { ...filter, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const readAutomation = (id: string): Promise<Automation> =>
  hub.call("GET /api/v1/automations/{id}", { path: { id } });

export const automationQuery = (id: string) =>
  queryOptions({ queryKey: ["automations", "one", id], queryFn: () => readAutomation(id), refetchInterval: 10_000 });

export const invocationsQuery = (id: string, page: number, kind: string | undefined) =>
  queryOptions({
    queryKey: ["automations", "invocations", id, page, kind],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/automations/{id}/invocations", {
        path: { id },
        query: { page, limit: 30, ...(kind ? { kind: kind as "run" } : {}) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
  });

export const waitingQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["automations", "waiting", id, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/automations/{id}/waiting", { path: { id }, query: { page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });

export type TestReport = Answer<"POST /api/v1/automations/{id}/test">;

/** Fetched on demand only: it evaluates thousands of orders. */
export const automationTestQuery = (id: string, version: number, days: number | undefined) =>
  queryOptions({
    queryKey: ["automations", "test", id, version, days],
    queryFn: ({ signal }): Promise<TestReport> =>
      hub.call("POST /api/v1/automations/{id}/test", { path: { id }, body: { days: days! }, signal }),
    enabled: days !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });

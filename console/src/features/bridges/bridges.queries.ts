import type { Bridge, BridgeTask } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export const bridgesQuery = (page: number) =>
  queryOptions({
    queryKey: ["bridges", "list", page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/bridges", { query: { limit: 50, page }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const readBridge = (id: string): Promise<Bridge> => hub.call("GET /api/v1/bridges/{id}", { path: { id } });

export const bridgeQuery = (id: string) =>
  queryOptions({ queryKey: ["bridges", "one", id], queryFn: () => readBridge(id) });

export type ConnectorInfo = Answer<"GET /api/v1/bridges/connectors">["data"][number];

export const connectorsQuery = queryOptions({
  queryKey: ["bridges", "connectors"],
  queryFn: async ({ signal }): Promise<ConnectorInfo[]> =>
    (await hub.call("GET /api/v1/bridges/connectors", { signal })).data,
  staleTime: 300_000,
});

export type DefinitionInfo = Answer<"GET /api/v1/bridges/definitions">["data"][number];

export const definitionsQuery = queryOptions({
  queryKey: ["bridges", "definitions"],
  queryFn: async ({ signal }): Promise<DefinitionInfo[]> =>
    (await hub.call("GET /api/v1/bridges/definitions", { signal })).data,
  staleTime: 300_000,
});

export const bridgeTasksQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["bridges", "tasks", id],
    queryFn: async ({ signal }): Promise<BridgeTask[]> =>
      (await hub.call("GET /api/v1/bridges/{id}/tasks", { path: { id: id! }, signal })).data,
    enabled: id !== undefined && id !== "",
    staleTime: 60_000,
  });

export type PulledSample = Answer<"POST /api/v1/bridges/{id}/samples">;

/** Reads the first records of a task from the other system without storing them. */
export const pullSample = (id: string, taskName: string): Promise<PulledSample> =>
  hub.call("POST /api/v1/bridges/{id}/samples", { path: { id }, body: { taskName, limit: 3 } });

export const keptSamplesQuery = (id: string, taskName: string) =>
  queryOptions({
    queryKey: ["bridges", "samples", id, taskName],
    queryFn: async ({ signal }) =>
      (await hub.call("GET /api/v1/bridges/{id}/samples", { path: { id }, query: { taskName }, signal })).data,
    enabled: id !== "" && taskName !== "",
    retry: false,
  });

export const bridgeExecutionsQuery = (bridgeId: string, page: number, limit = 50) =>
  queryOptions({
    queryKey: ["bridges", "executions", bridgeId, page, limit],
    queryFn: ({ signal }) => hub.call("GET /api/v1/tasks/executions", { query: { bridgeId, limit, page }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

export const bridgeTransformationsQuery = (bridgeId: string, page: number) =>
  queryOptions({
    queryKey: ["transformations", "of-bridge", bridgeId, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/transformations", { query: { bridgeId, limit: 50, page }, signal }),
    placeholderData: keepPreviousData,
  });

export const bridgeSchedulesQuery = (bridgeId: string, page: number) =>
  queryOptions({
    queryKey: ["schedules", "of-bridge", bridgeId, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/schedules", { query: { bridgeId, limit: 50, page }, signal }),
    placeholderData: keepPreviousData,
  });

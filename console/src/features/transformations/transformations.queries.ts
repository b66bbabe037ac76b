import type { Transformation, TransformationTest, TransformationVersion } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";
import type { Targets } from "./target-check.ts";

export const transformationsQuery = (page: number, isActive: boolean | undefined) =>
  queryOptions({
    queryKey: ["transformations", "list", page, isActive],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/transformations", {
        query: { limit: 50, page, ...(isActive === undefined ? {} : { isActive }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

export const transformationQuery = (id: string) =>
  queryOptions({
    queryKey: ["transformations", "one", id],
    queryFn: ({ signal }): Promise<Transformation> =>
      hub.call("GET /api/v1/transformations/{id}", { path: { id }, signal }),
  });

export type TransformInfo = Answer<"GET /api/v1/transformations/transforms">["data"][number];

export const transformsQuery = queryOptions({
  queryKey: ["transformations", "transforms"],
  queryFn: async ({ signal }): Promise<TransformInfo[]> =>
    (await hub.call("GET /api/v1/transformations/transforms", { signal })).data,
  staleTime: 300_000,
});

type MappedTask = { bridgeId: string; taskName: string; direction: "inbound" | "outbound" };

/** Fields that the rows of a mapping can fill. */
export const targetsQuery = ({ bridgeId, taskName, direction }: MappedTask) =>
  queryOptions({
    queryKey: ["transformations", "targets", bridgeId, taskName, direction],
    queryFn: async ({ signal }): Promise<Targets> => {
      const query = { taskName, direction };
      const answer = await hub.call("GET /api/v1/bridges/{id}/fields", { path: { id: bridgeId }, query, signal });
      return { fields: answer.data, recordType: answer.recordType };
    },
    staleTime: 300_000,
  });

/** The mapping that is applied to the records of a task, if there is one. */
export const activeMappingQuery = (bridgeId: string, taskName: string) =>
  queryOptions({
    queryKey: ["transformations", "active", bridgeId, taskName],
    queryFn: async ({ signal }): Promise<Transformation | null> => {
      const query = { bridgeId, taskName, direction: "inbound" as const, isActive: true, limit: 1 };
      return (await hub.call("GET /api/v1/transformations", { query, signal })).data[0] ?? null;
    },
  });

export type TestBody = Input<"POST /api/v1/transformations/test">["body"];

/** Test of the mapping on the sample. The previous result stays visible, dimmed, until the new one arrives. */
export const mappingTestQuery = (body: TestBody | undefined) =>
  queryOptions({
    queryKey: ["transformations", "test", body],
    queryFn: ({ signal }): Promise<TransformationTest> =>
      hub.call("POST /api/v1/transformations/test", { body: body!, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

export const versionsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["transformations", "versions", id, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/transformations/{id}/versions", { path: { id }, query: { limit: 50, page }, signal }),
    placeholderData: keepPreviousData,
  });

export type Version = TransformationVersion;
export type Replay = Answer<"POST /api/v1/transformations/{id}/replay">;

/** The newest order, as a sample for outbound mappings. */
export const newestOrder = async (): Promise<object | undefined> => {
  const { data } = await hub.call("GET /api/v1/orders", { query: { limit: 1 } });
  return data[0] && hub.call("GET /api/v1/orders/{id}", { path: { id: data[0].id } });
};

/** The last execution of a task, for its input and output. */
export const lastExecution = async (bridgeId: string, taskName: string) => {
  const query = { bridgeId, taskName, status: "succeeded,completed_with_errors", limit: 1 };
  const { data } = await hub.call("GET /api/v1/tasks/executions", { query });
  return data[0] && hub.call("GET /api/v1/tasks/executions/{id}", { path: { id: data[0].id } });
};

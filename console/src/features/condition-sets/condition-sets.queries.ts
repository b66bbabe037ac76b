import type { Answer } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type ConditionSet = Answer<"GET /api/v1/condition-sets/{id}">;
export type ValuesAdded = Answer<"POST /api/v1/condition-sets/{id}/values">;

export const conditionSetsQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ["condition-sets", "list", search, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/condition-sets", { query: { page, limit: 50, ...(search ? { search } : {}) }, signal }),
    placeholderData: keepPreviousData,
  });

export const readConditionSet = (id: string): Promise<ConditionSet> =>
  hub.call("GET /api/v1/condition-sets/{id}", { path: { id } });

export const conditionSetQuery = (id: string) =>
  queryOptions({ queryKey: ["condition-sets", "one", id], queryFn: () => readConditionSet(id) });

export const valuesQuery = (id: string, search: string, page: number) =>
  queryOptions({
    queryKey: ["condition-sets", "values", id, search, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/condition-sets/{id}/values", {
        path: { id },
        query: { page, limit: 100, ...(search ? { search } : {}) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

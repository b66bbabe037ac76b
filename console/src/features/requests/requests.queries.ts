import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type LoggedRequest = Answer<"GET /api/v1/requests">["data"][number];
export type RequestFilter = Omit<NonNullable<Input<"GET /api/v1/requests">["query"]>, "page" | "limit">;

export const requestsQuery = (filter: RequestFilter, page: number) =>
  queryOptions({
    queryKey: ["requests", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/requests", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

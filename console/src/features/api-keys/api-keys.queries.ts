import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type ApiKey = Answer<"GET /api/v1/api-keys">["data"][number];
export type ScopeName = NonNullable<Input<"POST /api/v1/api-keys">["body"]["scopes"]>[number];

export const apiKeysQuery = (page: number) =>
  queryOptions({
    queryKey: ["api-keys", page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/api-keys", { query: { page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type StockLevel = Answer<"GET /api/v1/stock">["data"][number];
type StockQuery = NonNullable<Input<"GET /api/v1/stock">["query"]>;

export const stockQuery = (query: StockQuery) =>
  queryOptions({
    queryKey: ["stock", "list", query],
    queryFn: ({ signal }) => hub.call("GET /api/v1/stock", { query: { limit: 50, ...query }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

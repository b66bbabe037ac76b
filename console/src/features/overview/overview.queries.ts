import type { Answer } from "@order-operations-hub/sdk/client";
import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type Attention = Answer<"GET /api/v1/reports/attention">;
export type AttentionItem = Attention["data"][number];
export type ShipToday = Answer<"GET /api/v1/reports/today">;

export const attentionQuery = queryOptions({
  queryKey: ["reports", "attention"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/reports/attention", { signal }),
  refetchInterval: 30_000,
});

export const todayQuery = queryOptions({
  queryKey: ["reports", "today"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/reports/today", { signal }),
  refetchInterval: 60_000,
});

export const importShipments = (csv: string): Promise<Answer<"POST /api/v1/shipments/import">> =>
  hub.call("POST /api/v1/shipments/import", { body: { csv } });

import type { Answer } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

const minute = 60_000;

export type OverviewFigures = Answer<"GET /v1/overview">["data"];
export type SeriesPoint = Answer<"GET /v1/overview/series">["data"]["points"][number];

/** KPIs of one organization, also for operators of the hub. */
export const overviewQuery = (organization: string) =>
  queryOptions({
    queryKey: ["overview", "figures", organization],
    queryFn: async ({ signal }): Promise<OverviewFigures> =>
      (await hub.call("GET /v1/overview", { query: { organization_id: organization }, signal })).data,
    refetchInterval: minute,
    placeholderData: keepPreviousData,
  });

export const seriesQuery = (organization: string, by: "day" | "carrier") =>
  queryOptions({
    queryKey: ["overview", "series", organization, by],
    queryFn: async ({ signal }): Promise<SeriesPoint[]> =>
      (await hub.call("GET /v1/overview/series", { query: { organization_id: organization, group_by: by }, signal }))
        .data.points,
    refetchInterval: minute,
    placeholderData: keepPreviousData,
  });

/** Of the last 24 hours. */
export const taskStatsQuery = queryOptions({
  queryKey: ["tasks", "stats"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/tasks/executions/counts", { signal }),
  refetchInterval: 30_000,
});

export const importShipments = (csv: string): Promise<Answer<"POST /api/v1/shipments/import">> =>
  hub.call("POST /api/v1/shipments/import", { body: { csv } });

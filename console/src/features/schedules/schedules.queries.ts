import type { Schedule } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type ScheduleFilter = { isActive?: boolean; search?: string; bridgeId?: string; page: number };

export const schedulesQuery = (filter: ScheduleFilter) =>
  queryOptions({
    queryKey: ["schedules", "list", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/schedules", { query: { ...filter, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const readSchedule = (id: string): Promise<Schedule> => hub.call("GET /api/v1/schedules/{id}", { path: { id } });

export const scheduleQuery = (id: string) =>
  queryOptions({ queryKey: ["schedules", "one", id], queryFn: () => readSchedule(id), refetchInterval: 10_000 });

export type Timeline = Answer<"GET /api/v1/schedules/timeline">;

/** Upcoming runs, starting at the hub's clock. */
export const timelineQuery = (days: number, now: () => number) =>
  queryOptions({
    queryKey: ["schedules", "timeline", days],
    queryFn: ({ signal }): Promise<Timeline> => {
      const from = now();
      const query = { from: new Date(from).toISOString(), to: new Date(from + days * 86_400_000).toISOString() };
      return hub.call("GET /api/v1/schedules/timeline", { query, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

export type CronPreview = Answer<"POST /api/v1/schedules/preview">;

export const previewQuery = (cron: string, timezone: string) =>
  queryOptions({
    queryKey: ["schedules", "preview", cron, timezone],
    queryFn: ({ signal }): Promise<CronPreview> =>
      hub.call("POST /api/v1/schedules/preview", { body: { cron, timezone: timezone || "UTC", count: 6 }, signal }),
    enabled: cron.trim() !== "",
    placeholderData: keepPreviousData,
    retry: false,
  });

export type Backfill = Answer<"POST /api/v1/schedules/{id}/backfill">;

/** Dry run of a backfill. */
export const backfillPreviewQuery = (id: string, range: { from: string; to: string } | undefined) =>
  queryOptions({
    queryKey: ["schedules", "backfill", id, range],
    queryFn: ({ signal }): Promise<Backfill> =>
      hub.call("POST /api/v1/schedules/{id}/backfill", { path: { id }, body: { ...range!, dryRun: true }, signal }),
    enabled: range !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });

export const scheduleExecutionsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["schedules", "executions", id, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/schedules/{id}/executions", { path: { id }, query: { page, limit: 20 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

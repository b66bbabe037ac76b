import type { Execution, ExecutionSummary } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";

export type ExecutionCounts = Answer<"GET /api/v1/tasks/executions/counts">;
export type RetryReport = Answer<"POST /api/v1/tasks/executions/retry">;
export type RetryFilter = NonNullable<Input<"POST /api/v1/tasks/executions/retry">["body"]>;
type LogLine = Answer<"GET /api/v1/tasks/executions/{id}/logs">["data"][number];

/** Filter of the address. `days` limits the age; undefined: no limit. */
export type TaskFilter = {
  status?: string | undefined;
  isRetried?: boolean | undefined;
  taskName?: string | undefined;
  bridgeId?: string | undefined;
  runId?: string | undefined;
  scheduleId?: string | undefined;
  code?: string | undefined;
  days?: number | undefined;
};

const dayMs = 86_400_000;
const firstMoment = "2000-01-01T00:00:00Z";

/** API filter: without unset fields, and with a time instead of days. */
export function apiFilterOf({ days, ...rest }: TaskFilter, now: () => number) {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as { [Name in keyof typeof rest]: NonNullable<(typeof rest)[Name]> }),
    ...(days === undefined ? {} : { from: new Date(now() - days * dayMs).toISOString() }),
  };
}

export const executionsQuery = (filter: TaskFilter, page: number, now: () => number) =>
  queryOptions({
    queryKey: ["tasks", "list", filter, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/tasks/executions", { query: { ...apiFilterOf(filter, now), page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

export const executionCountQuery = (filter: TaskFilter, now: () => number) =>
  queryOptions({
    queryKey: ["tasks", "count", filter],
    queryFn: async ({ signal }): Promise<number> =>
      (await hub.call("GET /api/v1/tasks/executions", { query: { ...apiFilterOf(filter, now), limit: 1 }, signal }))
        .pagination.total,
    refetchInterval: 15_000,
  });

export const taskStatsQuery = ({ bridgeId, days }: TaskFilter, now: () => number) =>
  queryOptions({
    queryKey: ["tasks", "stats", bridgeId, days],
    queryFn: ({ signal }): Promise<ExecutionCounts> =>
      hub.call("GET /api/v1/tasks/executions/counts", {
        query: { from: firstMoment, ...apiFilterOf({ bridgeId, days }, now) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const executionQuery = (id: string) =>
  queryOptions({
    queryKey: ["tasks", "one", id],
    queryFn: ({ signal }): Promise<Execution> =>
      hub.call("GET /api/v1/tasks/executions/{id}", { path: { id }, signal }),
  });

type Log = { lines: LogLine[]; next: number; isComplete: boolean };
const linesAtOnce = 1_000;

/** All log lines; a refetch loads only new ones. */
export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ["tasks", "log", id],
    queryFn: async ({ signal }): Promise<Log> => {
      let log: Log = queryClient.getQueryData<Log>(["tasks", "log", id]) ?? { lines: [], next: 0, isComplete: false };
      for (;;) {
        const query = { after: log.next, limit: linesAtOnce };
        const answer = await hub.call("GET /api/v1/tasks/executions/{id}/logs", { path: { id }, query, signal });
        const lines = answer.data.length === 0 ? log.lines : [...log.lines, ...answer.data];
        log = { lines, next: answer.next, isComplete: answer.isComplete };
        if (answer.data.length < linesAtOnce) return log;
      }
    },
    refetchInterval: (query) => (query.state.data?.isComplete ? false : 1_000),
    staleTime: 1_000,
  });

export const hasEnded = ({ status }: Pick<ExecutionSummary, "status">): boolean =>
  status !== "queued" && status !== "running";

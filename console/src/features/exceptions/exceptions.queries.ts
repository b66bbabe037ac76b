import type { Exception, ExceptionSummary } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";
import type { Search } from "../../ui/search-params.ts";
import { oneOf } from "../../ui/search-params.ts";

export type { Exception, ExceptionSummary };
export type ExceptionGroup = Answer<"GET /api/v1/exceptions/counts">["groups"][number];
export type ExceptionFilter = Omit<NonNullable<Input<"GET /api/v1/exceptions">["query"]>, "page" | "limit">;
export type FixRequest = Input<"POST /api/v1/exceptions/{id}/resolve">["body"];
export type FixAnswer = Answer<"POST /api/v1/exceptions/{id}/resolve">;
export type FixManyRequest = Input<"POST /api/v1/exceptions/resolve">["body"];

const filterNames = [
  "status",
  "kind",
  "code",
  "bridgeId",
  "taskName",
  "errorCode",
  "field",
  "orderId",
  "executionId",
  "from",
  "to",
  "assigneeId",
] as const;

/** Reads the filter from the address. */
export function filterOf(search: Search): ExceptionFilter {
  const given = filterNames.map((name) => [name, oneOf(search[name])] as const).filter(([, value]) => value);
  return Object.fromEntries(given);
}

export const exceptionsQuery = (filter: ExceptionFilter, page: number) =>
  queryOptions({
    queryKey: ["exceptions", "list", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/exceptions", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const exceptionCountsQuery = (filter: ExceptionFilter) =>
  queryOptions({
    queryKey: ["exceptions", "counts", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/exceptions/counts", { query: filter, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const exceptionQuery = (id: string) =>
  queryOptions({
    queryKey: ["exceptions", "one", id],
    queryFn: ({ signal }): Promise<Exception> => hub.call("GET /api/v1/exceptions/{id}", { path: { id }, signal }),
    placeholderData: keepPreviousData,
  });

export type FixFailure = { id: string; error?: { code: string; message: string } | undefined };

/** Takes an action on all exceptions of a filter, batch by batch. Those that stay open are reported. */
export async function resolveAll(body: FixManyRequest): Promise<{ done: number; failed: FixFailure[] }> {
  const sum = { done: 0, failed: [] as FixFailure[] };
  for (let next = body; ; next = { ...body, filter: { ...body.filter, isAttempted: false } }) {
    const { summary, results } = await hub.call("POST /api/v1/exceptions/resolve", { body: next });
    sum.done += summary.processed;
    sum.failed.push(...results.filter((one) => one.status === "failed"));
    if (summary.remaining === 0 || results.length === 0) return sum;
  }
}

import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type AuditEntry = Answer<"GET /api/v1/audit">["data"][number];
export type AuditFilter = NonNullable<Input<"GET /api/v1/audit/export.csv">["query"]>;

export const auditQuery = (filter: AuditFilter, page: number) =>
  queryOptions({
    queryKey: ["audit", "list", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/audit", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

import type { Finding, InvoiceAudit } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type FindingFilter = Omit<NonNullable<Input<"GET /api/v1/findings">["query"]>, "page" | "limit">;
export type FindingCounts = Answer<"GET /api/v1/findings/counts">;
export type FindingState = Finding["state"];
export type ParcelFilter = Omit<NonNullable<Input<"GET /api/v1/invoices/{id}/parcels">["query"]>, "page" | "limit">;
export type AuditedParcel = Answer<"GET /api/v1/invoices/{id}/parcels">["data"][number];
export type ParcelComparison = Answer<"GET /api/v1/invoices/{id}/parcels/{trackingNumber}">;

// The keys begin with "invoices": an event about an invoice refetches its findings too.

export const findingsQuery = (filter: FindingFilter, page: number) =>
  queryOptions({
    queryKey: ["invoices", "findings", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/findings", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

export const findingCountsQuery = (filter: FindingFilter) =>
  queryOptions({
    queryKey: ["invoices", "finding-counts", filter],
    queryFn: ({ signal }): Promise<FindingCounts> => hub.call("GET /api/v1/findings/counts", { query: filter, signal }),
    placeholderData: keepPreviousData,
  });

export const findingQuery = (id: string) =>
  queryOptions({
    queryKey: ["invoices", "finding", id],
    queryFn: ({ signal }): Promise<Finding> => hub.call("GET /api/v1/findings/{id}", { path: { id }, signal }),
  });

export const isAuditing = (audit: InvoiceAudit | undefined): boolean =>
  audit?.status === "queued" || audit?.status === "processing";

/** Asked again while the audit runs: a reader of invoices may lack the scope for events. */
export const auditQuery = (id: string) =>
  queryOptions({
    queryKey: ["invoices", "audit", id],
    queryFn: ({ signal }): Promise<InvoiceAudit> =>
      hub.call("GET /api/v1/invoices/{id}/audit", { path: { id }, signal }),
    refetchInterval: ({ state }) => (isAuditing(state.data) ? 1_500 : false),
  });

export const auditedParcelsQuery = (id: string, filter: ParcelFilter, page: number) =>
  queryOptions({
    queryKey: ["invoices", "audited-parcels", id, filter, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/invoices/{id}/parcels", { path: { id }, query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

export const comparedParcelQuery = (id: string, trackingNumber: string) =>
  queryOptions({
    queryKey: ["invoices", "compared-parcel", id, trackingNumber],
    queryFn: ({ signal }): Promise<ParcelComparison> =>
      hub.call("GET /api/v1/invoices/{id}/parcels/{trackingNumber}", { path: { id, trackingNumber }, signal }),
  });

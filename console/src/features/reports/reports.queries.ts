import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

/** Days up to today, or a first and a last day. */
export type Period = { days: number } | { from: string; to: string };

export type VolumeReport = Answer<"GET /api/v1/reports/volume">;
export type DeliveryReport = Answer<"GET /api/v1/reports/deliveries">;
export type DeliveryGroup = Input<"GET /api/v1/reports/deliveries">["query"]["groupBy"];
export type ExceptionReport = Answer<"GET /api/v1/reports/exceptions">;
export type PeopleReport = Answer<"GET /api/v1/reports/people">;
export type LabelReport = Answer<"GET /api/v1/reports/labels">;
export type ReportWindow = VolumeReport["window"];

const kept = { placeholderData: keepPreviousData, refetchInterval: 60_000 };

export const volumeQuery = (period: Period) =>
  queryOptions({
    queryKey: ["reports", "volume", period],
    queryFn: ({ signal }) => hub.call("GET /api/v1/reports/volume", { query: period, signal }),
    ...kept,
  });

export const deliveriesQuery = (period: Period, groupBy: DeliveryGroup, filter: Record<string, string> = {}) =>
  queryOptions({
    queryKey: ["reports", "deliveries", period, groupBy, filter],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/reports/deliveries", { query: { ...period, groupBy, ...filter }, signal }),
    ...kept,
  });

export const exceptionReportQuery = (period: Period) =>
  queryOptions({
    queryKey: ["reports", "exceptions", period],
    queryFn: ({ signal }) => hub.call("GET /api/v1/reports/exceptions", { query: period, signal }),
    ...kept,
  });

export const peopleQuery = (period: Period) =>
  queryOptions({
    queryKey: ["reports", "people", period],
    queryFn: ({ signal }) => hub.call("GET /api/v1/reports/people", { query: period, signal }),
    ...kept,
  });

export const labelReportQuery = (period: Period) =>
  queryOptions({
    queryKey: ["reports", "labels", period],
    queryFn: ({ signal }) => hub.call("GET /api/v1/reports/labels", { query: period, signal }),
    ...kept,
  });

import { paths } from "../../app/paths.ts";
import type { ReportWindow } from "./reports.queries.ts";

/** Addresses of the lists behind the figures. Each list counts exactly what the figure says. */
type Days = Pick<ReportWindow, "from" | "to">;
type Moments = Pick<ReportWindow, "startsAt" | "endsAt">;
/** One row of a report by carrier, service, account and so on. `filter`: what the whole report is limited to. */
export type Group = { by: string; key: string; filter?: Record<string, string> };

/** Name of the filter of each group. */
export const groupParams: Record<string, string> = {
  carrier: "carrier",
  service: "service",
  account: "carrierAccountId",
  lane: "lane",
  zone: "zone",
  state: "state",
  location: "locationId",
};

/** An empty key selects shipments without a value, which an address cannot say with an empty text. */
function groupQuery(group: Group | undefined): Record<string, string> {
  const param = group && groupParams[group.by];
  return { ...group?.filter, ...(group && param ? { [param]: group.key === "" ? "none" : group.key } : {}) };
}

/** Shipments of the period that are in none of the on-time figures. */
export const notCounted = "no_promise,cancelled,returned";

export const listOf = {
  received: ({ startsAt, endsAt }: Moments) =>
    paths.orders({ archived: "any", orderedFrom: startsAt, orderedTo: endsAt }),
  shipped: ({ from, to }: Days) => paths.shipments({ statusNot: "cancelled", shippedFrom: from, shippedTo: to }),
  delivered: ({ from, to }: Days, group?: Group) =>
    paths.shipments({ status: "delivered", deliveredFrom: from, deliveredTo: to, ...groupQuery(group) }),
  promised: ({ from, to }: Days, group?: Group) =>
    paths.shipments({ evaluatedFrom: from, evaluatedTo: to, ...groupQuery(group) }),
  onTime: ({ from, to }: Days, isOnTime: boolean, group?: Group) =>
    paths.shipments({
      onTime: String(isOnTime),
      evaluatedFrom: from,
      evaluatedTo: to,
      ...groupQuery(group),
    }),
  /** `reasons`: of the on-time figures; those without a first scan are listed by delivery. */
  leftOut: ({ from, to }: Days, reasons: string, group?: Group) =>
    paths.shipments({
      leftOut: reasons,
      ...(reasons === "no_first_scan"
        ? { deliveredFrom: from, deliveredTo: to }
        : { evaluatedFrom: from, evaluatedTo: to }),
      ...groupQuery(group),
    }),
  atRisk: (group?: Group) => paths.shipments({ atRisk: "true", ...groupQuery(group) }),
  atRiskSince: ({ from, to }: Days, group?: Group) =>
    paths.shipments({ atRisk: "true", atRiskFrom: from, atRiskTo: to, ...groupQuery(group) }),
  labels: ({ from, to }: Days, carrier?: string) =>
    paths.labels({ status: "purchased", createdFrom: from, createdTo: to, ...(carrier ? { carrier } : {}) }),
  exceptions: ({ from, to }: Days, status: "all" | "open", cause?: { kind: string; code: string }) =>
    paths.exceptions({
      status: status === "all" ? "open,resolved,dismissed" : "open",
      from,
      to,
      ...cause,
    }),
  runs: ({ from, to }: Days, createdBy?: string) =>
    paths.operations({ from, to, ...(createdBy ? { created_by: createdBy } : {}) }),
} as const;

import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { ListFilter } from "../../ui/filters.tsx";
import { leftOutNames, riskNames, statusNames } from "./shipments.text.ts";

/** Filters that come with links from reports. "none" selects shipments without a value. */
const none = "none";
const maybeNone = new Set(["carrier", "service", "carrierAccountId", "lane", "zone", "state", "locationId"]);

export const reportParams = [
  "statusNot",
  "onTime",
  "leftOut",
  "service",
  "carrierAccountId",
  "lane",
  "zone",
  "state",
  "locationId",
  "evaluatedFrom",
  "evaluatedTo",
  "atRiskFrom",
  "atRiskTo",
];

export const valueOfParam = (name: string, value: string): string =>
  maybeNone.has(name) && value === none ? "" : value;

export function useReportFilters(): ListFilter[] {
  const { data: locations } = useEntityNames("location");
  const { data: accounts } = useEntityNames("carrier_account");
  return [
    {
      kind: "choice",
      param: "statusNot",
      title: "Status is not",
      options: ["cancelled", "returned", "delivered"].map((value) => ({
        value,
        label: statusNames[value] ?? riskNames[value] ?? value,
      })),
    },
    {
      kind: "choice",
      param: "onTime",
      title: "Promise",
      options: [
        { value: "true", label: "Kept" },
        { value: "false", label: "Missed" },
      ],
    },
    {
      kind: "choice",
      param: "leftOut",
      title: "Left out of figures",
      options: [
        { value: "no_promise,cancelled,returned", label: "No promise, cancelled or returned" },
        ...Object.entries(leftOutNames).map(([value, label]) => ({ value, label })),
      ],
    },
    { kind: "days", from: "evaluatedFrom", to: "evaluatedTo", title: "Promise kept or missed" },
    { kind: "days", from: "atRiskFrom", to: "atRiskTo", title: "At risk since" },
    { kind: "text", param: "service", title: "Service" },
    {
      kind: "choice",
      param: "carrierAccountId",
      title: "Account",
      options: [
        ...(accounts ?? []).map(({ id, name }) => ({ value: id, label: name })),
        { value: none, label: "None" },
      ],
    },
    { kind: "text", param: "lane", title: "Lane" },
    { kind: "text", param: "zone", title: "Zone" },
    { kind: "text", param: "state", title: "State" },
    {
      kind: "choice",
      param: "locationId",
      title: "Location",
      options: [
        ...(locations ?? []).map(({ id, name }) => ({ value: id, label: name })),
        { value: none, label: "None" },
      ],
    },
  ];
}

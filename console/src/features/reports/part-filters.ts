import type { ListFilter } from "../../ui/filters.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { groupParams } from "./report-lists.pick.ts";

/** Filters of the report in the address. `filter`: for the report; `listFilter`: for the lists behind its figures. */
export function usePartFilters(): {
  filters: ListFilter[];
  filter: Record<string, string>;
  listFilter: Record<string, string>;
} {
  const { search } = useSearchParams();
  const { data: locations } = useEntityNames("location");
  const { data: accounts } = useEntityNames("carrier_account");
  const none = { value: "none", label: "None" };
  const optionsOf = (named: ReadonlyArray<{ id: string; name: string }> = []) => [
    ...named.map(({ id, name }) => ({ value: id, label: name })),
    none,
  ];
  const given = Object.values(groupParams).flatMap((name) => {
    const value = oneOf(search[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    filters: [
      { kind: "text", param: "carrier", title: "Carrier" },
      { kind: "text", param: "service", title: "Service" },
      { kind: "choice", param: "carrierAccountId", title: "Account", options: optionsOf(accounts) },
      { kind: "text", param: "lane", title: "Lane" },
      { kind: "text", param: "zone", title: "Zone" },
      { kind: "text", param: "state", title: "State" },
      { kind: "choice", param: "locationId", title: "Location", options: optionsOf(locations) },
    ],
    // An address cannot say an empty text.
    filter: Object.fromEntries(given.map(([name, value]) => [name, value === "none" ? "" : value])),
    listFilter: Object.fromEntries(given),
  };
}

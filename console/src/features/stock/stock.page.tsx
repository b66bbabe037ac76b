import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { StockLevel } from "./stock.queries.ts";
import { stockQuery } from "./stock.queries.ts";

type Names = { location(id: string): string; connection(id: string): string };

const columnsWith = (names: Names): Array<ListColumn<StockLevel>> => [
  { name: "SKU", className: "font-mono text-sm whitespace-nowrap", cell: ({ sku }) => sku },
  {
    name: "Location",
    className: "whitespace-nowrap",
    cell: ({ locationId }) => (
      <Link href={paths.location(locationId)} className="hover:underline">
        {names.location(locationId)}
      </Link>
    ),
  },
  {
    name: "On hand",
    isNumber: true,
    cell: ({ available, committed }) => formatCount(available + (committed ?? 0)),
  },
  { name: "Reserved", isNumber: true, className: "text-muted", cell: ({ reserved }) => formatCount(reserved) },
  {
    name: "Available",
    isNumber: true,
    cell: ({ allocatable }) => (
      <span className={allocatable <= 0 ? "font-medium text-bad" : "font-medium"}>{formatCount(allocatable)}</span>
    ),
  },
  { name: "Counted", className: "whitespace-nowrap text-muted", cell: ({ countedAt }) => <Time at={countedAt} /> },
  {
    name: "Source",
    className: "max-w-48 truncate text-muted",
    cell: ({ bridgeId }) =>
      bridgeId ? (
        <Link href={paths.bridge(bridgeId)} className="hover:underline">
          {names.connection(bridgeId)}
        </Link>
      ) : (
        "API"
      ),
  },
];

/** Stock levels by SKU and location, as shops and warehouses report them. */
export function StockPage() {
  const { search } = useSearchParams();
  const page = usePage();
  const text = oneOf(search["search"]);
  const locationId = oneOf(search["locationId"]);
  const isOut = oneOf(search["state"]) === "out";
  const { data: locations } = useEntityNames("location");
  const { data: bridges } = useEntityNames("bridge");
  const nameIn = (named: typeof locations, id: string, gone: string): string =>
    named?.find((one) => one.id === id)?.name ?? gone;
  const levels = useQuery(
    stockQuery({
      page,
      ...(text ? { search: text } : {}),
      ...(locationId ? { locationId } : {}),
      // Units are counted in fractions too: below the smallest positive level.
      ...(isOut ? { below: 0.000_001 } : {}),
    }),
  );
  const { state: _state, page: _page, ...others } = search;
  const filters: ListFilter[] = [
    {
      kind: "choice",
      param: "locationId",
      title: "Location",
      options: (locations ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
  ];
  return (
    <>
      <PageHead title="Stock" note="as shops and warehouses report it" />
      <TabLinks
        label="Stock by state"
        tabs={[
          { href: paths.stock(others), label: "All", isOn: !isOut },
          { href: paths.stock({ ...others, state: "out" }), label: "Out of stock", isOn: isOut },
        ]}
      />
      <Filters filters={filters} placeholder="Search by SKU" />
      <ListCard
        label="Stock levels"
        query={levels}
        columns={columnsWith({
          location: (id) => nameIn(locations, id, "Deleted location"),
          connection: (id) => nameIn(bridges, id, "Deleted connection"),
        })}
        idOf={({ sku, locationId: at }) => `${at} ${sku}`}
        empty={
          text || locationId || isOut ? (
            <Empty text="No stock levels match these filters.">
              <Link href={paths.stock()} className={buttonClass("plain")}>
                Show all stock
              </Link>
            </Empty>
          ) : (
            <Empty text="No stock levels yet. Run the task Import inventory of a connection, or send levels over the API.">
              <Link href={paths.bridges()} className={buttonClass("primary")}>
                View connections
              </Link>
            </Empty>
          )
        }
      />
    </>
  );
}

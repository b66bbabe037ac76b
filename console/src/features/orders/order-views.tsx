import { useQueries, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { paths } from "../../app/paths.ts";
import { usePreferences } from "../../live/preferences.ts";
import type { Search } from "../../ui/search-params.ts";
import { listOf, oneOf } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { useClock } from "../../ui/zone.tsx";
import { viewsQuery } from "../views/views.queries.ts";
import { filterOf, filterSearch, searchOf } from "./order-filters.pick.ts";
import { orderCountsQuery } from "./orders.queries.ts";
import { loadPart } from "../../ui/load-part.ts";

const ViewMenu = lazy(loadPart(async () => ({ default: (await import("./view-menu.tsx")).ViewMenu })));
const SaveView = lazy(loadPart(async () => ({ default: (await import("./view-menu.tsx")).SaveView })));

type Tab = { id?: string; name: string; search: Search; isBad?: boolean };

const builtIn: readonly Tab[] = [
  { name: "All", search: {} },
  { name: "Ready", search: { status: "ready" } },
  { name: "Late", search: { shipByTo: "now", status: ["new", "ready", "sent", "partially_shipped"] }, isBad: true },
  { name: "On hold", search: { status: "on_hold" } },
  { name: "To review", search: { status: "review_required" } },
];

const keyOf = (search: Search): string =>
  JSON.stringify(
    Object.entries(filterSearch(search))
      .map(([name, value]) => [name, listOf(value)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Saved views as tabs. Filters, sorting and columns are in the address; `view` names the view that was opened. */
export function OrderViews({ search }: { search: Search }) {
  const clock = useClock();
  const { data: saved } = useQuery(viewsQuery("orders"));
  const { preferences } = usePreferences();
  const place = (id: string): number => preferences.orderViews.indexOf(id) + 1 || preferences.orderViews.length + 1;
  const own = (saved ?? [])
    .map((view) => ({ ...view, search: viewSearch(view.settings) }))
    .toSorted((one, other) => place(one.id) - place(other.id));
  const views: Tab[] = [...builtIn, ...own];
  const counts = useQueries({ queries: views.map((view) => orderCountsQuery(filterOf(view.search, clock))) });
  const opened = oneOf(search["view"]);
  const here = keyOf(search);
  const byFilter = views.find((view) => keyOf(view.search) === here);
  const current = views.find(({ id }) => id !== undefined && id === opened) ?? byFilter;
  const isDefaultSet = own.some(({ id }) => id === preferences.defaultOrderView);
  const hrefOf = ({ id, search: of }: Tab): string =>
    // Without parameters the list opens with the default view.
    paths.orders(id ? { ...of, view: id } : isDefaultSet && Object.keys(of).length === 0 ? { view: "all" } : of);
  useDefaultView(
    own.find(({ id }) => id === preferences.defaultOrderView),
    search,
    hrefOf,
  );
  const tabs = views.map((view, at) => ({
    href: hrefOf(view),
    label: view.name,
    count: counts[at]?.data?.total,
    isCapped: counts[at]?.data?.isCapped,
    isOn: view === current,
    isBad: view.isBad === true && (counts[at]?.data?.total ?? 0) > 0,
  }));
  const view = own.find(({ id }) => id === current?.id);
  return (
    <TabLinks label="Views" tabs={tabs}>
      <Suspense>
        {view && <ViewMenu key={view.id} view={view} views={own} search={search} isChanged={view !== byFilter} />}
        {!byFilter && <SaveView search={search} />}
      </Suspense>
    </TabLinks>
  );
}

/** Opens the default view when the list is opened without any parameter. */
function useDefaultView(view: Tab | undefined, search: Search, hrefOf: (tab: Tab) => string): void {
  const router = useRouter();
  const href = view && Object.keys(search).length === 0 ? hrefOf(view) : undefined;
  useEffect(() => {
    if (href !== undefined) router.history.replace(href);
  }, [href, router]);
}

/** Views have a `filter`, and may have a sorting and columns; the settings of older views are the filter itself. */
function viewSearch({ filter, sort, columns, ...older }: Record<string, unknown>): Search {
  if (typeof filter !== "object" || filter === null) return older as Search;
  return {
    ...searchOf(filter),
    ...(typeof sort === "string" ? { sort } : {}),
    ...(Array.isArray(columns) ? { cols: columns.join(",") } : {}),
  };
}

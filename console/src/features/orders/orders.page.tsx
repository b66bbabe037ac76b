import type { Order } from "@order-operations-hub/sdk/api-types";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { usePreferences } from "../../live/preferences.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { Grid } from "../../ui/grid.tsx";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, usePanel, useSearchParams } from "../../ui/search-params.ts";
import { Icon } from "../../ui/icons.tsx";
import { useClock } from "../../ui/zone.tsx";
import type { OrderTotal } from "./bulk-bar.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { ColumnsMenu } from "./columns-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { filterOf, filterSearch } from "./order-filters.pick.ts";
import { useActs, useGridKeys } from "./order-list-keys.ts";
import { countOf, useOrderSelection } from "./order-selection.ts";
import { rememberWalk } from "./order-walk.ts";
import { OrderViews } from "./order-views.tsx";
import { defaultColumns, orderColumns } from "./orders.columns.tsx";
import type { OrderSort } from "./orders.queries.ts";
import { orderCountsQuery, ordersQuery } from "./orders.queries.ts";
import { text } from "./orders.text.ts";
import { loadPart } from "../../ui/load-part.ts";

const OrderPanel = lazy(loadPart(async () => ({ default: (await import("./order.panel.tsx")).OrderPanel })));

const NoOrders = lazy(loadPart(async () => ({ default: (await import("./no-orders.tsx")).NoOrders })));

const CopyRows = lazy(loadPart(async () => ({ default: (await import("./order-copy.tsx")).CopyRows })));

const noRows: Order[] = [];

export function OrdersPage() {
  const { search, set } = useSearchParams();
  const clock = useClock();
  const { preferences, set: savePreferences } = usePreferences();
  const filterKey = JSON.stringify(filterOf(search, clock));
  const filter = useMemo(() => JSON.parse(filterKey) as ReturnType<typeof filterOf>, [filterKey]);
  const sort = (oneOf(search["sort"]) ?? "-orderedAt") as OrderSort;
  // The hub refuses a search without a letter or digit.
  const isWordless = filter.search !== undefined && !/[\p{L}\p{N}]/u.test(filter.search);
  const list = useInfiniteQuery({ ...ordersQuery(filter, sort), enabled: !isWordless });
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? noRows, [list.data]);
  // While a list loads, the previous rows are shown but cannot be selected, counted or acted on.
  const isStale = list.isPlaceholderData || isWordless;
  const known = isStale ? noRows : rows;
  const counted = useTotal(list.data?.pages.at(-1)?.pagination, filter, list.isPending || isStale);
  const total = isWordless ? { count: 0, isCapped: false } : counted;
  const filtered = JSON.stringify(filterSearch(search));
  const [cursor, setCursor] = useCursor(`${filtered} ${sort}`);
  const selected = useOrderSelection(known, filtered);
  const searchBox = useRef<HTMLInputElement>(null);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const change = (next: typeof search): void => set(next, "replace");
  const { open, show: showPanel } = usePanel();
  const show = (order: Order | undefined): void => showPanel(order?.number);
  // The page of an order leads to its neighbours in this list.
  const href = useRouterState({ select: (state) => state.location.href });
  useEffect(() => {
    const numbers = rows.map(({ number }) => number);
    if (!isStale) rememberWalk({ numbers, total: total?.count ?? rows.length, href, filter, sort });
  }, [rows, isStale, total?.count, href, filter, sort]);
  const acts = useActs(known, selected, cursor);
  useGridKeys({ rows: known, cursor, setCursor, selected, filter, open, show, searchBox, acts });
  const columnIds =
    oneOf(search["cols"])?.split(",") ??
    (preferences.orderColumns.length > 0 ? preferences.orderColumns : defaultColumns);
  const maySeePeople = missingScope(useMe(), "pii:read") === undefined;
  const columnsKey = columnIds.join(",");
  const columns = useMemo(() => columnsOf(columnsKey.split(","), maySeePeople), [columnsKey, maySeePeople]);
  const resize = (id: string, width: number): void =>
    savePreferences({ orderWidths: { ...preferences.orderWidths, [id]: width } });
  const count = countOf(selected.selection);
  return (
    <>
      <PageHead title={text.title}>
        <Link href={paths.orderImport()} className={buttonClass("quiet")}>
          <Icon name="open" /> Import
        </Link>
        <a href={exportHref(filter)} className={buttonClass("quiet")} download>
          <Icon name="download" /> Export
        </a>
        <ColumnsMenu chosen={columnIds} onChange={(ids) => set({ cols: ids.join(",") }, "replace")} />
      </PageHead>
      <OrderViews search={search} />
      <FilterBar search={search} onChange={change} searchBox={searchBox} />
      {list.error && (!list.data || isStale) && <ProblemBox error={list.error} onRetry={() => void list.refetch()} />}
      {acts.error && (
        <div className="mb-2.5">
          <ProblemBox error={acts.error} />
        </div>
      )}
      <Card className="flex min-h-72 flex-1 flex-col" label="Orders">
        <BulkBar
          rows={rows}
          total={total}
          selected={selected}
          onSelectAll={() => void selected.selectAllMatching(filter)}
          onEdit={() => acts.edit({})}
          onStep={(step) => acts.edit({ step })}
          editReason={acts.reason}
          presets={acts.presets}
          onCopy={() => document.execCommand("copy")}
          isBusy={acts.isBusy}
        />
        {isWordless ? (
          <Empty text={text.noWords} />
        ) : list.isPending ? (
          <Skeleton rows={12} />
        ) : rows.length === 0 ? (
          <Suspense>
            <NoOrders search={search} onChange={change} />
          </Suspense>
        ) : (
          <Grid
            label="Orders"
            rows={rows}
            total={total?.count ?? rows.length}
            columns={columns}
            idOf={(order: Order) => order.id}
            nameOf={(order: Order) => order.number}
            isSelected={selected.isSelected}
            onToggle={selected.toggle}
            cursor={cursor}
            onCursor={setCursor}
            onOpen={show}
            onNearEnd={more}
            sort={sort}
            onSort={(next) => set({ sort: next }, "replace")}
            isStale={isStale}
            rowHeight={preferences.density === "comfortable" ? 36 : 28}
            widths={preferences.orderWidths}
            pins={preferences.orderPins}
            onResize={resize}
          />
        )}
      </Card>
      <Suspense>{count > 0 && <CopyRows rows={known} selected={selected} columns={columns} />}</Suspense>
      <Suspense>{open && <OrderPanel reference={open} onClose={() => show(undefined)} />}</Suspense>
    </>
  );
}

/** Without the right to see people the hub does not sort by them. */
const columnsOf = (ids: readonly string[], maySeePeople: boolean): GridColumn<Order>[] =>
  ids.flatMap((id) => {
    const column = orderColumns.find((one) => one.id === id);
    if (column?.id !== "customer" || maySeePeople) return column ?? [];
    const { sort: _sort, ...unsorted } = column;
    return unsorted;
  });

type Counted = { total: number; totalIsCapped?: boolean };

/**
 * Number of matching orders; undefined until known. Lists cap their count, so the exact one comes from the counts of the same
 * filter.
 */
function useTotal(
  page: Counted | undefined,
  filter: ReturnType<typeof filterOf>,
  isLoading: boolean,
): OrderTotal | undefined {
  const isCapped = page?.totalIsCapped === true && !isLoading;
  const counts = useQuery({ ...orderCountsQuery(filter), enabled: isCapped });
  if (!page || isLoading) return undefined;
  if (!isCapped) return { count: page.total, isCapped };
  if (counts.data) return { count: counts.data.total, isCapped: counts.data.isCapped };
  return counts.error ? { count: page.total, isCapped } : undefined;
}

/** The row that keys act on. Reset when the filter or the sorting changes. */
function useCursor(list: string): [cursor: number, setCursor: (at: number) => void] {
  const [kept, setKept] = useState({ list, at: -1 });
  return [kept.list === list ? kept.at : -1, (at) => setKept({ list, at })];
}

function exportHref(filter: ReturnType<typeof filterOf>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(filter))
    for (const one of [value].flat()) params.append(name, String(one));
  return `/api/v1/orders/export.csv?${params}`;
}

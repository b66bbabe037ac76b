import type { Order } from "@order-operations-hub/sdk/api-types";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { usePreferences } from "../../live/preferences.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { Grid } from "../../ui/grid.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, usePanel, useSearchParams } from "../../ui/search-params.ts";
import { useClock } from "../../ui/zone.tsx";
import { presetsQuery } from "../operations/operations.queries.ts";
import type { OrderTotal } from "./bulk-bar.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { ColumnsMenu } from "./columns-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { filterOf, filterSearch } from "./order-filters.pick.ts";
import { countOf, freeze, useOrderSelection } from "./order-selection.ts";
import { OrderViews } from "./order-views.tsx";
import { defaultColumns, orderColumns } from "./orders.columns.tsx";
import type { OrderSort } from "./orders.queries.ts";
import { orderCountsQuery, ordersQuery } from "./orders.queries.ts";
import { text } from "./orders.text.ts";

const OrderPanel = lazy(async () => ({ default: (await import("./order.panel.tsx")).OrderPanel }));

const noRows: Order[] = [];

export function OrdersPage() {
  const { search, set } = useSearchParams();
  const clock = useClock();
  const { preferences } = usePreferences();
  const filterKey = JSON.stringify(filterOf(search, clock));
  const filter = useMemo(() => JSON.parse(filterKey) as ReturnType<typeof filterOf>, [filterKey]);
  const sort = (oneOf(search["sort"]) ?? "-orderedAt") as OrderSort;
  const list = useInfiniteQuery(ordersQuery(filter, sort));
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? noRows, [list.data]);
  // While a list loads, the previous rows are shown but cannot be picked, counted or acted on.
  const isStale = list.isPlaceholderData;
  const known = isStale ? noRows : rows;
  const total = useTotal(list.data?.pages.at(-1)?.pagination, filter, list.isPending || isStale);
  const filtered = JSON.stringify(filterSearch(search));
  const [cursor, setCursor] = useCursor(`${filtered} ${sort}`);
  const picked = useOrderSelection(known, filtered);
  const searchBox = useRef<HTMLInputElement>(null);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const change = (next: typeof search): void => set(next, "replace");
  const { open, show: showPanel } = usePanel();
  const show = (order: Order | undefined): void => showPanel(order?.number);
  const acts = useActs(known, picked, cursor);
  useGridKeys({ rows: known, cursor, setCursor, picked, filter, open, show, searchBox, acts });
  const columnIds =
    oneOf(search["cols"])?.split(",") ??
    (preferences.orderColumns.length > 0 ? preferences.orderColumns : defaultColumns);
  const columns = columnIds.flatMap((id) => orderColumns.find((column) => column.id === id) ?? []);
  const hasFilters = Object.keys(filterSearch(search)).length > 0;
  return (
    <>
      <PageHead title={text.title}>
        <Link href={paths.orderImport()} className={buttonClass("quiet")}>
          Import
        </Link>
        <a href={exportHref(filter)} className={buttonClass("quiet")} download>
          Export
        </a>
        <ColumnsMenu chosen={columnIds} onChange={(ids) => set({ cols: ids.join(",") }, "replace")} />
      </PageHead>
      <OrderViews search={search} />
      <FilterBar search={search} onChange={change} searchBox={searchBox} />
      {list.error && !list.data && <ProblemBox error={list.error} onRetry={() => void list.refetch()} />}
      {acts.error && (
        <div className="mb-2.5">
          <ProblemBox error={acts.error} />
        </div>
      )}
      <Card className="flex min-h-72 flex-1 flex-col" label="Orders">
        <BulkBar
          rows={rows}
          total={total}
          picked={picked}
          filter={filter}
          onSelectAll={() => void picked.selectAllMatching(filter)}
          onOperate={() => acts.operate()}
          operateReason={acts.reason}
          presets={acts.presets}
          isBusy={acts.isBusy}
        />
        {list.isPending ? (
          <Skeleton rows={12} />
        ) : rows.length === 0 ? (
          <Empty text={hasFilters ? text.nothing : text.none}>
            {hasFilters && (
              <Button
                onClick={() =>
                  change(Object.fromEntries(Object.keys(filterSearch(search)).map((name) => [name, undefined])))
                }
              >
                {text.dropFilters}
              </Button>
            )}
          </Empty>
        ) : (
          <Grid
            label="Orders"
            rows={rows}
            total={total?.count ?? rows.length}
            columns={columns}
            idOf={(order: Order) => order.id}
            nameOf={(order: Order) => order.number}
            isSelected={picked.isSelected}
            onToggle={picked.toggle}
            cursor={cursor}
            onCursor={setCursor}
            onOpen={show}
            onNearEnd={more}
            sort={sort}
            onSort={(next) => set({ sort: next }, "replace")}
            isStale={isStale}
            rowHeight={preferences.density === "comfortable" ? 36 : 28}
          />
        )}
      </Card>
      <Suspense>{open && <OrderPanel reference={open} onClose={() => show(undefined)} />}</Suspense>
    </>
  );
}

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

/** Bulk actions on the selection: a new pipeline or a preset. */
function useActs(rows: readonly Order[], picked: ReturnType<typeof useOrderSelection>, cursor: number) {
  const router = useRouter();
  const reason = missingScope(useMe(), "operations:run");
  const { data: presets } = useQuery(presetsQuery);
  const begin = useMutation({
    mutationFn: async (preset: string | undefined) => {
      const nothing = countOf(picked.selection) === 0;
      const row = rows[cursor];
      const selection = nothing && row ? ({ kind: "some", ids: new Set([row.id]) } as const) : picked.selection;
      return { selection: await freeze(selection), preset };
    },
    onSuccess: (query) => router.history.push(paths.newOperation(query)),
  });
  const isPossible = countOf(picked.selection) > 0 || cursor >= 0;
  const operate = (preset?: string): void => {
    if (!reason && isPossible && !begin.isPending) begin.mutate(preset);
  };
  return {
    operate,
    reason,
    error: begin.error,
    isBusy: begin.isPending,
    list: presets ?? [],
    presets: (presets ?? []).map((preset) => ({
      label: preset.name,
      note: preset.description,
      ...(preset.hotkey ? { keys: `Shift+${preset.hotkey}` } : {}),
      disabledReason: reason ?? (!isPossible && "Pick orders first."),
      onPick: () => operate(preset.id),
    })),
  };
}

type Keys = {
  rows: readonly Order[];
  cursor: number;
  setCursor(at: number): void;
  picked: ReturnType<typeof useOrderSelection>;
  filter: ReturnType<typeof filterOf>;
  open: string | undefined;
  show(order: Order | undefined): void;
  searchBox: { current: HTMLInputElement | null };
  acts: ReturnType<typeof useActs>;
};

function useGridKeys({ rows, cursor, setCursor, picked, filter, open, show, searchBox, acts }: Keys): void {
  const move = (by: number): void => {
    if (rows.length === 0) return;
    const next = Math.max(0, Math.min(rows.length - 1, cursor + by));
    setCursor(next);
    if (open) show(rows[next]);
  };
  const isAllShown =
    picked.selection.kind === "some" && rows.length > 0 && rows.every(({ id }) => picked.isSelected(id));
  useHotkeys([
    { keys: "/", name: "Search orders", run: () => searchBox.current?.focus() },
    { keys: "j", name: "Next order", run: () => move(1) },
    { keys: "k", name: "Previous order", run: () => move(-1) },
    { keys: "]", name: "Show the next order", run: () => move(1) },
    { keys: "[", name: "Show the previous order", run: () => move(-1) },
    { keys: "x", name: "Pick or drop this order", run: () => picked.toggle(Math.max(0, cursor), false) },
    { keys: "Shift+x", name: "Pick up to this order", run: () => picked.toggle(Math.max(0, cursor), true) },
    {
      keys: "$mod+a",
      name: "Pick all that are shown; again: all that match",
      run: () => (isAllShown ? void picked.selectAllMatching(filter) : picked.selectShown()),
    },
    { keys: "Enter", name: "Open this order", run: () => rows[cursor] && show(rows[cursor]) },
    { keys: "e", name: "Operate on the picked orders", run: () => acts.operate() },
    { keys: "Escape", name: "Close, or pick none", run: () => (open ? show(undefined) : picked.clear()) },
    ...acts.list.flatMap((preset) =>
      preset.hotkey
        ? [
            {
              keys: `Shift+Digit${preset.hotkey}`,
              name: `Preset ${preset.name}`,
              run: () => acts.operate(preset.id),
            },
          ]
        : [],
    ),
  ]);
}

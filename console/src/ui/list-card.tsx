import type { ReactNode } from "react";
import { Card, Skeleton } from "./card.tsx";
import { formatCount } from "./format.ts";
import { PageButtons } from "./page-buttons.tsx";
import { ProblemBox } from "./problem-box.tsx";
import { oneOf, useSearchParams } from "./search-params.ts";
import type { ListColumn } from "./table.tsx";
import { RowTable } from "./table.tsx";

type Answer<Row> = {
  data: Row[];
  pagination: { page: number; limit: number; total: number; hasMore: boolean; totalIsCapped?: boolean };
};

/** Page number from the address. A changed filter should set `page` to undefined. */
export function usePage(name = "page"): number {
  const { search } = useSearchParams();
  const page = Number(oneOf(search[name]));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

/** Paged list with its total. Old rows stay while new ones load. */
export function ListCard<Row>({
  label,
  query,
  columns,
  idOf,
  empty,
  pageName = "page",
  onOpen,
}: {
  /** Plural name of the rows, capitalized, as in "412 shipments". */
  label: string;
  query: { data: Answer<Row> | undefined; error: Error | null; isPending: boolean; refetch(): unknown };
  columns: ReadonlyArray<ListColumn<Row>>;
  idOf(row: Row): string;
  empty: ReactNode;
  /** Name of the page parameter, for pages with several lists. */
  pageName?: string;
  /** As in RowTable. */
  onOpen?(row: Row): void;
}) {
  const { data, error, isPending } = query;
  return (
    <>
      {error && <ProblemBox error={error} onRetry={() => void query.refetch()} />}
      {(isPending || data) && (
        <Card label={label} className="shrink-0" isList>
          {isPending && <Skeleton />}
          {data?.data.length === 0 && empty}
          {data && data.data.length > 0 && (
            <RowTable label={label} rows={data.data} columns={columns} idOf={idOf} onOpen={onOpen} />
          )}
        </Card>
      )}
      {data && <Pages label={label} answer={data} name={pageName} />}
    </>
  );
}

function Pages<Row>({ label, answer, name }: { label: string; answer: Answer<Row>; name: string }) {
  const { set } = useSearchParams();
  const { page, limit, total, hasMore, totalIsCapped } = answer.pagination;
  if (answer.data.length === 0 && page === 1) return null;
  const go = (to: number): void => set({ [name]: to === 1 ? undefined : String(to) });
  const first = (page - 1) * limit + 1;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2 px-1 text-muted tabular-nums">
      {answer.data.length === 0
        ? `Nothing on page ${formatCount(page)}`
        : `${formatCount(first)} to ${formatCount(first + answer.data.length - 1)} of ${totalIsCapped ? "more than " : ""}${formatCount(total)} ${label.toLowerCase()}`}
      {(page > 1 || hasMore) && (
        <>
          <span className="flex-1" />
          <PageButtons page={page} hasMore={hasMore} onPage={go} />
        </>
      )}
    </div>
  );
}

import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Card, Skeleton } from "./card.tsx";
import { formatCount } from "./format.ts";
import { ProblemBox } from "./problem-box.tsx";
import { oneOf, useSearchParams } from "./search-params.ts";
import { Table, Td, Th } from "./table.tsx";

export type ListColumn<Row> = {
  name: string;
  isNumber?: boolean;
  className?: string;
  cell(row: Row): ReactNode;
};

type Answer<Row> = { data: Row[]; pagination: { page: number; limit: number; total: number; hasMore: boolean } };

/** The page of a list, as the address has it. Filters that change should set `page` to undefined. */
export function usePage(name = "page"): number {
  const { search } = useSearchParams();
  const page = Number(oneOf(search[name]));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

/** A list of the hub: its rows, how many there are in all, and the way to the others. Old rows stay while new ones come. */
export function ListCard<Row>({
  label,
  query,
  columns,
  idOf,
  empty,
  pageName = "page",
}: {
  /** What the rows are, as in "412 shipments": plural, with a capital letter. */
  label: string;
  query: { data: Answer<Row> | undefined; error: Error | null; isPending: boolean; refetch(): unknown };
  columns: ReadonlyArray<ListColumn<Row>>;
  idOf(row: Row): string;
  empty: ReactNode;
  /** The name of the page in the address, where a page has several lists. */
  pageName?: string;
}) {
  const { data, error, isPending } = query;
  return (
    <>
      {error && <ProblemBox error={error} onRetry={() => void query.refetch()} />}
      {(isPending || data) && (
        <Card label={label} className="shrink-0">
          {isPending && <Skeleton />}
          {data?.data.length === 0 && empty}
          {data && data.data.length > 0 && (
            <Table label={label}>
              <thead>
                <tr>
                  {columns.map(({ name, isNumber = false }) => (
                    <Th key={name} isNumber={isNumber}>
                      {name}
                    </Th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.data.map((row) => (
                  <tr key={idOf(row)} className="hover:bg-skip-soft">
                    {columns.map(({ name, isNumber = false, className = "", cell }) => (
                      <Td key={name} isNumber={isNumber} className={className}>
                        {cell(row)}
                      </Td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </Card>
      )}
      {data && <Pages label={label} answer={data} name={pageName} />}
    </>
  );
}

function Pages<Row>({ label, answer, name }: { label: string; answer: Answer<Row>; name: string }) {
  const { set } = useSearchParams();
  const { page, limit, total, hasMore } = answer.pagination;
  if (answer.data.length === 0 && page === 1) return null;
  const go = (to: number) => () => set({ [name]: to === 1 ? undefined : String(to) });
  const first = (page - 1) * limit + 1;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2 px-1 text-muted tabular-nums">
      {answer.data.length === 0
        ? `Nothing on page ${formatCount(page)}`
        : `${formatCount(first)} to ${formatCount(first + answer.data.length - 1)} of ${formatCount(total)} ${label.toLowerCase()}`}
      {(page > 1 || hasMore) && (
        <>
          <span className="flex-1" />
          <Button onClick={go(page - 1)} disabledReason={page === 1 && "This is the first page."}>
            Previous
          </Button>
          <Button onClick={go(page + 1)} disabledReason={!hasMore && "This is the last page."}>
            Next
          </Button>
        </>
      )}
    </div>
  );
}

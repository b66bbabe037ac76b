import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { downloadText } from "../../ui/download-text.ts";
import { Icon } from "../../ui/icons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { toCsv } from "./report-csv.ts";

type Query<Data> = { data: Data | undefined; error: Error | null; isPending: boolean; refetch(): unknown };
export type Sheet = { name: string; rows: ReadonlyArray<ReadonlyArray<string | number | null>> };

/** A report: chart on the left, table on the right, and the table as a CSV file. Each loads and fails independently. */
export function ReportCard<Data>({
  title,
  note,
  query,
  sheet,
  chart,
  children,
}: {
  title: string;
  note: string;
  query: Query<Data>;
  sheet(data: Data): Sheet;
  chart?: ReactNode;
  children(data: Data): ReactNode;
}) {
  const { data, error, isPending } = query;
  return (
    <Card label={title} className="shrink-0">
      <div className="px-3.5 pt-2">
        <Heading title={title} note={<span className="text-sm">{note}</span>}>
          <Button
            kind="quiet"
            disabledReason={data === undefined && "The report is not loaded yet."}
            aria-label={`Download CSV: ${title}`}
            onClick={() => {
              if (data === undefined) return;
              const { name, rows } = sheet(data);
              downloadText(`${name}.csv`, toCsv(rows));
            }}
          >
            <Icon name="download" /> CSV
          </Button>
        </Heading>
      </div>
      {error && <ProblemBox error={error} onRetry={() => void query.refetch()} />}
      {isPending && <Skeleton />}
      {data !== undefined && (
        <div className={chart ? "grid lg:grid-cols-2" : ""}>
          {chart && <div className="min-w-0 px-3.5 pb-3">{chart}</div>}
          <div className="max-h-80 min-w-0 overflow-y-auto border-t border-line lg:border-s">{children(data)}</div>
        </div>
      )}
    </Card>
  );
}

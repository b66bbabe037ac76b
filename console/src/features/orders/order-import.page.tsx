import { randomId } from "@order-operations-hub/sdk/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useWatch } from "../../live/watch.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { downloadText } from "../../ui/download-text.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { ImportColumns } from "./import-columns.tsx";
import { changedBy, DamagedCells, ImportErrors, ImportSummary } from "./import-report.tsx";
import { ReadingForm } from "./order-import.form.tsx";
import type { ChosenFile, ImportAnswer, ImportProgress, Reading } from "./order-import.queries.ts";
import { fileQuery, sendFile } from "./order-import.queries.ts";
import { sampleCsv } from "./order-import.text.ts";

const accept = ".csv,.tsv,.txt,.xlsx,text/csv";
const asItIs: Reading = { mapping: {} };

/** Import with preview: column mapping, expected result and errors, before anything is created. */
export function OrderImportPage() {
  const refused = missingScope(useMe(), "orders:write");
  const [file, setFile] = useState<ChosenFile>();
  const chosen = useRef(0);
  const choose = async (given: File): Promise<void> => {
    const bytes = await given.arrayBuffer();
    // Choosing the same file again reads it again.
    setFile({ id: `${(chosen.current += 1)} ${given.name}`, name: given.name, bytes });
  };
  if (file) return <FromFile key={file.id} file={file} onFile={(given) => void choose(given)} />;
  return (
    <>
      <Head />
      {refused ? (
        <p className="text-muted">{refused}</p>
      ) : (
        <FileDrop
          label="Choose a CSV or XLSX file"
          accept={accept}
          hint={
            <>
              Exports of Shopify, WooCommerce, Amazon, ShipStation, Etsy and eBay are detected. Other files need one row
              per order line; rows with the same number form one order.{" "}
              <button
                type="button"
                onClick={() => downloadText("orders-sample.csv", sampleCsv)}
                className="min-h-6 text-accent-text underline"
              >
                Download a sample file
              </button>
            </>
          }
          onFile={(given) => void choose(given)}
        />
      )}
    </>
  );
}

function Head({ fileName, children }: { fileName?: string; children?: React.ReactNode }) {
  return (
    <PageHead above={{ href: paths.orders(), name: "Orders" }} title="Import orders" note={fileName}>
      {children}
    </PageHead>
  );
}

/** Number of rows processed so far. */
function useRows(watchId: string | undefined): number {
  const [progress, setProgress] = useState<{ id: string; rows: number }>();
  useWatch(
    watchId,
    (signal) => hub.stream("GET /api/v1/orders/import/watch", { query: { watchId: watchId! }, signal }),
    (state) => setProgress({ id: watchId!, rows: (state as ImportProgress).rows }),
  );
  return progress && progress.id === watchId ? progress.rows : 0;
}

function FromFile({ file, onFile }: { file: ChosenFile; onFile(file: File): void }) {
  const [reading, setReading] = useState<Reading>(asItIs);
  // One watch ID per preview, and another for the import.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const watchId = useMemo(() => randomId(), [reading]);
  const importId = useMemo(() => randomId(), []);
  const look = useQuery(fileQuery(file, reading, watchId));
  const take = useMutation({
    mutationFn: () => sendFile(file, reading, { dryRun: false, watchId: importId }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["orders"] }),
  });
  const rows = useRows(take.isPending ? importId : look.isFetching ? watchId : undefined);
  const report = look.data;
  if (take.data) return <Taken answer={take.data} fileName={file.name} onFile={onFile} />;
  return (
    <>
      <Head fileName={file.name}>
        <FileDrop isSmall label="Another file" accept={accept} onFile={onFile} />
        <Button
          kind="primary"
          isBusy={take.isPending}
          disabledReason={unready(report, look.isFetching)}
          onClick={() => take.mutate()}
        >
          {report ? `Import ${plural(changedBy(report), "order")}` : "Import"}
        </Button>
      </Head>
      <div className="flex flex-col gap-3.5">
        {take.error && <ProblemBox error={take.error} />}
        {look.error && <ProblemBox error={look.error} />}
        {take.isPending && report && (
          <ProgressBar
            label="Import"
            done={rows}
            total={report.summary.rows}
            text={`${formatCount(rows)} of ${plural(report.summary.rows, "row")}. The orders appear when the import is complete.`}
          />
        )}
        <div className="grid items-start gap-3.5 lg:grid-cols-[300px_minmax(0,1fr)]">
          <ReadingForm reading={reading} answer={report} isLooking={look.isFetching} onChange={setReading} />
          <div className="flex min-w-0 flex-col gap-3.5">
            {look.isPending && (
              <Card label="Columns">
                {rows > 0 && <p className="px-2.5 pt-2.5 text-muted">{plural(rows, "row")} read.</p>}
                <Skeleton rows={10} />
              </Card>
            )}
            {report && (
              <>
                <ImportSummary answer={report} />
                <ImportErrors answer={report} fileName={file.name} />
                <DamagedCells answer={report} />
                <ImportColumns
                  answer={report}
                  mapping={reading.mapping}
                  isOld={look.isFetching}
                  onChange={(mapping) => setReading({ ...reading, mapping })}
                />
              </>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function unready(report: ImportAnswer | undefined, isLooking: boolean): string | undefined {
  if (isLooking) return "Reading the file.";
  if (!report) return "The file could not be read.";
  return changedBy(report) === 0 ? "No order in this file can be imported." : undefined;
}

function Taken({ answer, fileName, onFile }: { answer: ImportAnswer; fileName: string; onFile(file: File): void }) {
  return (
    <>
      <Head fileName={fileName}>
        <FileDrop isSmall label="Another file" accept={accept} onFile={onFile} />
        <Link href={paths.orders({ sort: "-createdAt" })} className={buttonClass("primary")}>
          View orders
        </Link>
      </Head>
      <div className="flex flex-col gap-3.5">
        <ImportSummary answer={answer} />
        {answer.summary.failed === 0 && <p className="text-ok">All rows were imported.</p>}
        <ImportErrors answer={answer} fileName={fileName} />
        <DamagedCells answer={answer} />
      </div>
    </>
  );
}

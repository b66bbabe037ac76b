import type { Answer } from "@order-operations-hub/sdk/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Crumbs } from "../../ui/crumbs.tsx";
import { downloadText } from "../../ui/download-text.ts";
import { Figures } from "../../ui/figures.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ImportColumns, ImportErrors } from "./order-import.form.tsx";
import { sampleCsv } from "./order-import.text.ts";

export type ImportAnswer = Answer<"POST /api/v1/orders/import">;
export type ColumnMapping = Record<string, string | null>;
type File = { name: string; csv: string };

/** Spreadsheets on Windows write their own encoding, in which nearly every text with an accent is no UTF-8. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A file is looked at before anything is created: what each column is, what would come of it, what is wrong. */
export function OrderImportPage() {
  const refused = missingScope(useMe(), "orders:write");
  const [file, setFile] = useState<File>();
  const [mapping, setMapping] = useState<ColumnMapping>({});
  const send = ({ csv, columns, dryRun }: { csv: string; columns: ColumnMapping; dryRun: boolean }) =>
    hub.call("POST /api/v1/orders/import", { body: { csv, mapping: columns, dryRun } });
  const look = useMutation({ mutationFn: send });
  const take = useMutation({
    mutationFn: send,
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["orders"] }),
  });
  const begin = async (given: globalThis.File): Promise<void> => {
    const next = { name: given.name, csv: decode(await given.arrayBuffer()) };
    setFile(next);
    setMapping({});
    take.reset();
    look.mutate({ csv: next.csv, columns: {}, dryRun: true });
  };
  const remap = (columns: ColumnMapping): void => {
    setMapping(columns);
    if (file) look.mutate({ csv: file.csv, columns, dryRun: true });
  };
  const report = look.data;
  return (
    <>
      <PageHead
        title={
          <Crumbs href={paths.orders()} name="Orders">
            Import
          </Crumbs>
        }
        note={file?.name}
      >
        {file && !refused && (
          <FileDrop
            isSmall
            label="Another file"
            accept=".csv,.txt,.tsv,text/csv"
            onFile={(given) => void begin(given)}
          />
        )}
      </PageHead>
      {refused && <p className="mb-3 text-muted">{refused}</p>}
      {!file && !refused && (
        <FileDrop
          label="Choose a CSV file"
          accept=".csv,.txt,.tsv,text/csv"
          hint={
            <>
              One row per line of an order; rows with the same number are one order. Columns are recognised by their
              names.{" "}
              <button
                type="button"
                onClick={() => downloadText("orders-sample.csv", sampleCsv)}
                className="min-h-6 text-accent-text underline"
              >
                A sample file
              </button>
            </>
          }
          onFile={(given) => void begin(given)}
        />
      )}
      {look.error && <ProblemBox error={look.error} />}
      {take.error && <ProblemBox error={take.error} />}
      {take.data && file ? (
        <Taken answer={take.data} fileName={file.name} />
      ) : (
        report &&
        file && (
          <div className={cx("flex flex-col gap-3.5 transition-opacity", look.isPending && "opacity-55")}>
            <Summary answer={report} />
            <div className="flex flex-wrap items-center gap-2">
              <Button
                kind="primary"
                isBusy={take.isPending}
                disabledReason={
                  report.summary.created === 0
                    ? "None of them can be created."
                    : look.isPending && "It is looked at again."
                }
                onClick={() => take.mutate({ csv: file.csv, columns: mapping, dryRun: false })}
              >
                {`Import ${plural(report.summary.created, "order")}`}
              </Button>
              {report.summary.failed > 0 && (
                <span className="text-muted">
                  {plural(report.summary.failed, "order stays", "orders stay")} out, with the reason below.
                </span>
              )}
            </div>
            <ImportColumns answer={report} mapping={mapping} onChange={remap} />
            <ImportErrors answer={report} />
          </div>
        )
      )}
    </>
  );
}

function Summary({ answer: { summary, dryRun } }: { answer: ImportAnswer }) {
  return (
    <Figures
      label={dryRun ? "What would come of it" : "What came of it"}
      figures={[
        { label: "rows", value: summary.rows },
        { label: "orders in them", value: summary.orders },
        { label: dryRun ? "would be created" : "created", value: summary.created, tone: "ok" },
        {
          label: dryRun ? "cannot be taken" : "not taken",
          value: summary.failed,
          ...(summary.failed > 0 ? { tone: "bad" as const } : {}),
        },
      ]}
    />
  );
}

function Taken({ answer, fileName }: { answer: ImportAnswer; fileName: string }) {
  const { rejectedCsv, summary } = answer;
  return (
    <div className="flex flex-col gap-3.5">
      <Summary answer={answer} />
      <Card className="flex flex-wrap items-center gap-2 px-3.5 py-3" label="Done">
        <Heading title={`${formatCount(summary.created)} created`} />
        <Link href={paths.orders({ sort: "-createdAt" })} className={buttonClass("primary")}>
          To the orders
        </Link>
        {rejectedCsv !== undefined && (
          <Button onClick={() => downloadText(fileName.replace(/(\.\w+)?$/, "-rejected.csv"), rejectedCsv)}>
            Rejected rows as CSV
          </Button>
        )}
      </Card>
      <ImportErrors answer={answer} />
    </div>
  );
}

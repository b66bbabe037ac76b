import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { Figures } from "../../ui/figures.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, sentence } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable, Table, Td } from "../../ui/table.tsx";
import type { ImportAnswer } from "./invoices.queries.ts";
import { formatName } from "./invoices.text.ts";

type Props = { answer: ImportAnswer; fileName: string; accept: string; onFile(file: File): void };
const maxShown = 100;
const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 });

const columns: Array<ListColumn<ImportAnswer["invoices"][number]>> = [
  {
    name: "Number",
    cell: (one) => (
      <RecordLink href={paths.invoice(one.id)} className="font-mono text-sm">
        {one.number}
      </RecordLink>
    ),
  },
  {
    name: "Status",
    cell: (one) => <Badge tone={one.status === "created" ? "ok" : "skip"}>{one.status}</Badge>,
  },
  { name: "Lines", isNumber: true, cell: (one) => formatCount(one.lineCount) },
  { name: "Amount", isNumber: true, cell: (one) => amounts.format(one.amount) },
  {
    name: "Difference",
    isNumber: true,
    cell: (one) =>
      one.difference === 0 ? (
        <span className="text-muted">–</span>
      ) : (
        <span className="font-medium text-bad">{amounts.format(one.difference)}</span>
      ),
  },
];

export function Imported({ answer, fileName, accept, onFile }: Props) {
  const { invoices, carrier, format } = answer;
  const countOf = (status: string): number => invoices.filter((one) => one.status === status).length;
  const [only] = invoices;
  return (
    <>
      <PageHead above={{ href: paths.invoices(), name: "Invoices" }} title="Import invoices" note={fileName}>
        <FileDrop isSmall label="Another file" accept={accept} onFile={onFile} />
        <Link
          href={only && invoices.length === 1 ? paths.invoice(only.id) : paths.invoices({ carrier })}
          className={buttonClass("primary")}
        >
          {invoices.length === 1 ? "View invoice" : "View invoices"}
        </Link>
      </PageHead>
      <div className="flex flex-col gap-3.5">
        <p role="status">
          {format === "mapped"
            ? `Imported as invoices of ${carrier}, by the columns of the file.`
            : `Detected as ${formatName(format)}.`}
          {countOf("created") === 0
            ? " The file was imported before; nothing has changed."
            : " The invoices are being audited; findings appear on the page of each invoice."}
        </p>
        <Figures
          label="Result"
          figures={[
            { label: "Created", value: countOf("created"), tone: "ok" },
            { label: "Unchanged", value: countOf("unchanged") },
            { label: "Lines", value: invoices.reduce((sum, { lineCount }) => sum + lineCount, 0) },
            { label: "With a difference", value: invoices.filter((one) => one.difference !== 0).length, tone: "bad" },
          ]}
        />
        <Card label="Invoices of the file">
          <RowTable
            label="Invoices of the file"
            rows={invoices.slice(0, maxShown)}
            idOf={(one) => one.id}
            columns={columns}
          />
          {invoices.length > maxShown && (
            <p className="px-2.5 py-1.5 text-sm text-muted">
              The first {formatCount(maxShown)} of {formatCount(invoices.length)} invoices are shown.
            </p>
          )}
        </Card>
        <Warnings warnings={answer.warnings} />
      </div>
    </>
  );
}

function Warnings({ warnings }: Pick<ImportAnswer, "warnings">) {
  if (warnings.length === 0) return null;
  return (
    <Card label="Warnings">
      <div className="px-2.5 pt-2.5">
        <Heading title="Warnings" note="what was assumed or left out" />
      </div>
      <Table label="Warnings">
        <tbody>
          {warnings.slice(0, maxShown).map(({ column, code, message, row }) => (
            <tr key={`${row ?? ""} ${column} ${code}`}>
              <Td className="whitespace-nowrap">
                <Badge tone="warn">{sentence(code)}</Badge>
              </Td>
              <Td className="max-w-48 truncate whitespace-nowrap text-muted">{column || "Whole file"}</Td>
              <Td className="min-w-56">{message}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {warnings.length > maxShown && (
        <p className="px-2.5 py-1.5 text-sm text-muted">
          The first {formatCount(maxShown)} of {formatCount(warnings.length)} warnings are shown.
        </p>
      )}
    </Card>
  );
}

import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { downloadText } from "../../ui/download-text.ts";
import type { Figure } from "../../ui/figures.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural, sentence } from "../../ui/format.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { ImportAnswer } from "./order-import.queries.ts";

/** Number of orders that an import changes, or would change. */
export const changedBy = ({ summary }: ImportAnswer): number => summary.created + (summary.updated ?? 0);

export function ImportSummary({ answer: { summary, dryRun } }: { answer: ImportAnswer }) {
  const known: Array<Figure | false> = [
    summary.updated !== undefined && { label: dryRun ? "Will be updated" : "Updated", value: summary.updated },
    summary.unchanged !== undefined && { label: "Unchanged", value: summary.unchanged },
    summary.skipped !== undefined && summary.skipped > 0 && { label: "Skipped", value: summary.skipped },
  ];
  return (
    <Figures
      label={dryRun ? "Preview" : "Result"}
      figures={[
        { label: "Rows", value: summary.rows },
        { label: "Orders", value: summary.orders },
        { label: dryRun ? "Will be created" : "Created", value: summary.created, tone: "ok" },
        ...known.filter((figure) => figure !== false),
        {
          label: dryRun ? "Will be rejected" : "Rejected",
          value: summary.failed,
          tone: "bad",
        },
      ]}
    />
  );
}

type Mistake = ImportAnswer["errors"][number];
const maxShown = 100;
const maxRows = 5;

/** Import errors with spreadsheet row numbers. Equal errors of several rows are one line. */
export function ImportErrors({ answer, fileName }: { answer: ImportAnswer; fileName: string }) {
  const { errors, rejectedCsv, summary } = answer;
  if (errors.length === 0) return null;
  const groups = [...Map.groupBy(errors, ({ column, code, message }) => JSON.stringify([column, code, message]))];
  const shown = groups.slice(0, maxShown);
  return (
    <Card label="Rejected rows">
      <div className="px-2.5 pt-2.5">
        <Heading title="Rejected rows" note={`of ${plural(summary.failed, "order")}`}>
          {rejectedCsv !== undefined && (
            <Button onClick={() => downloadText(fileName.replace(/(\.\w+)?$/, "-rejected.csv"), rejectedCsv)}>
              Download rejected rows
            </Button>
          )}
        </Heading>
      </div>
      <Table label="Rejected rows">
        <thead>
          <tr>
            <Th className="w-40">Row</Th>
            <Th>Column</Th>
            <Th>Error</Th>
            <Th>Details</Th>
          </tr>
        </thead>
        <tbody>
          {shown.map(([key, [first, ...more]]) => (
            <tr key={key}>
              <Td className="tabular-nums">{rowsText([first!, ...more])}</Td>
              <Td className="max-w-48 truncate whitespace-nowrap">
                {first!.column ?? <span className="text-muted">Whole row</span>}
              </Td>
              <Td>
                <Badge tone="bad">{sentence(first!.code)}</Badge>
              </Td>
              <Td className="min-w-56">{first!.message}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {(shown.length < groups.length || errors.length >= 1000) && (
        <p className="px-2.5 py-1.5 text-sm text-muted">
          The first {formatCount(shown.length)} are shown. The file of rejected rows has all of them.
        </p>
      )}
    </Card>
  );
}

function rowsText(mistakes: readonly Mistake[]): string {
  const rows = mistakes.slice(0, maxRows).map(({ row }) => formatCount(row));
  const more = mistakes.length - rows.length;
  return more > 0 ? `${rows.join(", ")} and ${formatCount(more)} more` : rows.join(", ");
}

/** Cells that a spreadsheet program has probably changed, such as a ZIP code without its leading zero. They are imported as they are. */
export function DamagedCells({ answer: { warnings } }: { answer: ImportAnswer }) {
  const cells = warnings.filter(({ row }) => row !== undefined);
  if (cells.length === 0) return null;
  const shown = cells.slice(0, maxShown);
  return (
    <Card label="Damaged cells">
      <div className="px-2.5 pt-2.5">
        <Heading title="Check these cells" note="they are imported as they are" />
      </div>
      <Table label="Damaged cells">
        <thead>
          <tr>
            <Th className="w-40">Row</Th>
            <Th>Column</Th>
            <Th>Details</Th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ row, column, code, message }) => (
            <tr key={`${row} ${column} ${code}`}>
              <Td className="tabular-nums">{formatCount(row ?? 0)}</Td>
              <Td className="max-w-48 truncate whitespace-nowrap">{column}</Td>
              <Td className="min-w-56">{message}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {shown.length < cells.length && (
        <p className="px-2.5 py-1.5 text-sm text-muted">
          The first {formatCount(shown.length)} of {formatCount(cells.length)} cells are shown.
        </p>
      )}
    </Card>
  );
}

import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { downloadText } from "../../ui/download-text.ts";
import type { Figure } from "../../ui/figures.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { ImportAnswer } from "./order-import.queries.ts";

/** Number of orders that an import changes, or would change. */
export const changedBy = ({ summary }: ImportAnswer): number => summary.created + (summary.updated ?? 0);

export function ImportSummary({ answer: { summary, dryRun } }: { answer: ImportAnswer }) {
  const known: Array<Figure | false> = [
    summary.updated !== undefined && { label: dryRun ? "would be updated" : "updated", value: summary.updated },
    summary.unchanged !== undefined && { label: "say nothing new", value: summary.unchanged },
    summary.skipped !== undefined && summary.skipped > 0 && { label: "left as they are", value: summary.skipped },
  ];
  return (
    <Figures
      label={dryRun ? "What would come of it" : "What came of it"}
      figures={[
        { label: "rows", value: summary.rows },
        { label: "orders in them", value: summary.orders },
        { label: dryRun ? "would be created" : "created", value: summary.created, tone: "ok" },
        ...known.filter((figure) => figure !== false),
        {
          label: dryRun ? "cannot be taken" : "not taken",
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
              Rejected rows as CSV
            </Button>
          )}
        </Heading>
      </div>
      <Table label="Rejected rows">
        <thead>
          <tr>
            <Th className="w-40">Row</Th>
            <Th>Column</Th>
            <Th>Rule</Th>
            <Th>Why</Th>
          </tr>
        </thead>
        <tbody>
          {shown.map(([key, [first, ...more]]) => (
            <tr key={key}>
              <Td className="tabular-nums">{rowsText([first!, ...more])}</Td>
              <Td className="max-w-48 truncate whitespace-nowrap">
                {first!.column ?? <span className="text-muted">whole row</span>}
              </Td>
              <Td>
                <Badge tone="bad">{words(first!.code)}</Badge>
              </Td>
              <Td className="min-w-56">{first!.message}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {(shown.length < groups.length || errors.length >= 1000) && (
        <p className="px-2.5 py-1.5 text-sm text-muted">
          The first {formatCount(shown.length)} are told here; all of them are in the file of rejected rows.
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

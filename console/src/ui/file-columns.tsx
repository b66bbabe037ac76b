import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Table, Td, Th } from "./table.tsx";

export type FileColumn = { column: string; field: string | null; nonEmptyRows: number };

type Props = {
  columns: readonly FileColumn[];
  /** Number of rows of the file. */
  rows: number;
  sample: ReadonlyArray<{ cells: readonly string[] }>;
  /** Highlights columns with empty cells. */
  warnsOfGaps?: boolean;
  /** Filter for files with many irrelevant columns. */
  isShown?(column: FileColumn): boolean;
  /** Control that maps the column. */
  renderPick(column: FileColumn, name: string): ReactNode;
  noteOf?(column: FileColumn): string;
};

/** Columns of a file with their mapping and sample values. */
export function FileColumns({ columns, rows, sample, warnsOfGaps, isShown, renderPick, noteOf }: Props) {
  return (
    <Table label="Columns of the file">
      <thead>
        <tr>
          <Th>In the file</Th>
          <Th className="w-56">Is</Th>
          <Th isNumber>Filled</Th>
          <Th>First values</Th>
        </tr>
      </thead>
      <tbody>
        {columns.map((column, index) => {
          if (isShown?.(column) === false) return null;
          const name = column.column || `column ${index + 1}`;
          const note = noteOf?.(column);
          return (
            <tr key={`${index} ${column.column}`}>
              <Td className="max-w-48 truncate font-medium" title={column.column}>
                {column.column || <span className="text-faint">no name</span>}
              </Td>
              <Td className="min-w-48 py-1">
                {renderPick(column, name)}
                {note && <p className="mt-1 text-sm text-warn">{note}</p>}
              </Td>
              <Td
                isNumber
                className={cx(
                  "whitespace-nowrap",
                  warnsOfGaps && column.nonEmptyRows < rows && column.field !== null && "text-warn",
                )}
              >
                {rows === 0 ? "–" : `${Math.floor((column.nonEmptyRows / rows) * 100)} %`}
              </Td>
              <Td className="w-1/3 max-w-0 min-w-40 truncate text-muted">{firstValues(sample, index)}</Td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

const firstValues = (sample: Props["sample"], index: number): string =>
  [...new Set(sample.map(({ cells }) => cells[index]?.trim() ?? ""))]
    .filter((cell) => cell !== "")
    .slice(0, 4)
    .join(", ");

import { Table, Td, Th } from "../table.tsx";

/** The values of a chart as a table, for screen readers and on demand. */
export function ChartTable({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: readonly string[];
  rows: ReadonlyArray<readonly string[]>;
}) {
  return (
    <Table label={label}>
      <thead>
        <tr>
          {columns.map((name, at) => (
            <Th key={name} isNumber={at > 0}>
              {name || <span className="sr-only">Name</span>}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((cell, at) => (
              <Td key={at} isNumber={at > 0}>
                {cell}
              </Td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

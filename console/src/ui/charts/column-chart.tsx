import { useState } from "react";
import { cx } from "../class-names.ts";
import { formatCount } from "../format.ts";
import type { Tone } from "../tone.ts";
import { toneSolid } from "../tone.ts";
import { ChartTable } from "./chart-table.tsx";
import { TableSwitch } from "./bar-chart.tsx";

export type ChartColumn = { label: string; value: number; tone: Tone; note?: string };

/** Histogram. Values are shown under the pointer and in the table. */
export function ColumnChart({
  label,
  unit,
  columns,
}: {
  label: string;
  unit: string;
  columns: readonly ChartColumn[];
}) {
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...columns.map(({ value }) => value));
  const shown = at === undefined ? undefined : columns[at];
  if (isTable) {
    return (
      <figure aria-label={label}>
        <ChartTable
          label={label}
          columns={["", unit]}
          rows={columns.map((column) => [column.label, formatCount(column.value)])}
        />
        <TableSwitch isTable onChange={setTable} />
      </figure>
    );
  }
  return (
    <figure aria-label={label}>
      <div
        role="img"
        aria-label={`${label}: ${columns.map((column) => `${column.label} ${formatCount(column.value)}`).join(", ")}`}
        className="flex h-32 items-end gap-0.5 border-b border-line"
        onPointerLeave={() => setAt(undefined)}
      >
        {columns.map((column, index) => (
          <span key={column.label} className="flex h-full min-w-0 flex-1 items-end" onPointerEnter={() => setAt(index)}>
            <i
              className={cx("block w-full rounded-t-sm", toneSolid[column.tone], at === index && "opacity-70")}
              style={{ height: `${column.value === 0 ? 0 : Math.max(1.5, (column.value / most) * 100)}%` }}
            />
          </span>
        ))}
      </div>
      <div aria-hidden className="flex justify-between pt-1 text-xs text-faint">
        <span>{columns[0]?.label}</span>
        <span>{columns.at(-1)?.label}</span>
      </div>
      <figcaption className="min-h-5 text-sm text-muted">
        {shown && (
          <>
            {shown.label}: <span className="font-medium text-text">{formatCount(shown.value)}</span> {unit}
            {shown.note && `, ${shown.note}`}
          </>
        )}
      </figcaption>
      <TableSwitch isTable={false} onChange={setTable} />
    </figure>
  );
}

import { useState } from "react";
import { cx } from "../class-names.ts";

export type DayColumn = {
  label: string;
  value: number;
  /** Part of `value`, drawn at the bottom. */
  part?: number;
  /** The part is drawn in red. */
  isBad?: boolean;
};
type Props = {
  label: string;
  columns: readonly DayColumn[];
  format(value: number): string;
  /** Name of the part, as in "3 late". */
  partName?: string;
};

/** A grey column for each day, with a part of it marked. The values are shown under the pointer and in the table beside it. */
export function DayColumns({ label, columns, format, partName = "" }: Props) {
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...columns.map(({ value }) => value));
  const height = (value: number): string => `${value === 0 ? 0 : Math.max(1.5, (value / most) * 100)}%`;
  const shown = at === undefined ? undefined : columns[at];
  const textOf = ({ label: name, value, part }: DayColumn): string =>
    `${name} ${format(value)}${part ? `, ${format(part)} ${partName}` : ""}`;
  return (
    <figure aria-label={label}>
      <div
        role="img"
        aria-label={`${label}: ${columns.map(textOf).join("; ")}`}
        className="flex h-28 items-end gap-[3px] border-b border-line"
        onPointerLeave={() => setAt(undefined)}
      >
        {columns.map((column, index) => (
          <span
            key={column.label}
            onPointerEnter={() => setAt(index)}
            className="flex h-full min-w-0 flex-1 flex-col justify-end"
          >
            <i
              className={cx("block w-full rounded-t-sm bg-line-strong", at === index && "opacity-70")}
              style={{ height: height(column.value - (column.part ?? 0)) }}
            />
            {column.part !== undefined && column.part > 0 && (
              <i
                className={cx("block w-full rounded-xs", column.isBad ? "bg-bad" : "bg-faint")}
                style={{ height: height(column.part) }}
              />
            )}
          </span>
        ))}
      </div>
      <div aria-hidden className="flex justify-between pt-1 text-sm text-faint">
        <span>{columns[0]?.label}</span>
        {shown && <span className="text-text">{textOf(shown)}</span>}
        <span>{columns.at(-1)?.label}</span>
      </div>
    </figure>
  );
}

import { scaleLinear } from "d3-scale";
import { useState } from "react";
import { cx } from "../class-names.ts";
import { formatCount } from "../format.ts";
import { Link } from "../link.tsx";
import { ChartTable } from "./chart-table.tsx";

type Bar = { label: string; value: number; href?: string; note?: string };
type Props = {
  label: string;
  bars: readonly Bar[];
  format?(value: number): string;
  /** Without the accent color, where no bar means good or bad. */
  isGrey?: boolean;
};

/** Horizontal bars with values, each optionally a link. */
export function BarChart({ label, bars, format = formatCount, isGrey = false }: Props) {
  const [isTable, setTable] = useState(false);
  const width = scaleLinear([0, Math.max(1, ...bars.map(({ value }) => value))], [0, 100]);
  return (
    <figure aria-label={label}>
      {isTable ? (
        <ChartTable label={label} columns={["", label]} rows={bars.map((bar) => [bar.label, format(bar.value)])} />
      ) : (
        <ul className="flex flex-col gap-0.5">
          {bars.map((bar) => {
            const line = (
              <>
                <span className={cx("w-36 shrink-0 truncate", bar.note !== undefined && "sm:w-72")}>
                  {bar.label}
                  {bar.note && <span className="ms-1.5 text-sm text-faint max-sm:hidden">{bar.note}</span>}
                </span>
                <span aria-hidden className="h-3.5 flex-1 rounded-sm bg-skip-soft">
                  <span
                    className={cx("block h-full rounded-sm", isGrey ? "bg-line-strong" : "bg-accent")}
                    style={{ width: `${width(bar.value)}%` }}
                  />
                </span>
                <span className="w-16 shrink-0 text-end tabular-nums">{format(bar.value)}</span>
              </>
            );
            const look = "flex min-h-6 items-center gap-2.5 rounded-md px-1";
            return (
              <li key={bar.label}>
                {bar.href ? (
                  <Link href={bar.href} className={`${look} hover:bg-skip-soft`}>
                    {line}
                  </Link>
                ) : (
                  <span className={look}>{line}</span>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <TableSwitch isTable={isTable} onChange={setTable} />
    </figure>
  );
}

export function TableSwitch({ isTable, onChange }: { isTable: boolean; onChange(isTable: boolean): void }) {
  return (
    <button
      type="button"
      onClick={() => onChange(!isTable)}
      className="mt-1 min-h-6 text-sm text-muted hover:text-text hover:underline"
    >
      {isTable ? "as a chart" : "as a table"}
    </button>
  );
}

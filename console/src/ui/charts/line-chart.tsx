import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { useState } from "react";
import { formatCount } from "../format.ts";
import { ChartTable } from "./chart-table.tsx";
import { TableSwitch } from "./bar-chart.tsx";

export type Point = { label: string; value: number };
type Props = { label: string; points: readonly Point[]; format?(value: number): string };

const [width, height, pad] = [600, 140, { top: 8, right: 8, bottom: 18, left: 44 }];

/** Line chart over time. The point at the pointer or the arrow keys is shown as text. */
export function LineChart({ label, points, format = formatCount }: Props) {
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number>();
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [pad.left, width - pad.right]);
  const y = scaleLinear([0, Math.max(1, ...points.map(({ value }) => value))], [height - pad.bottom, pad.top]).nice(3);
  const path =
    line<Point>(
      (_, index) => x(index),
      ({ value }) => y(value),
    )(points as Point[]) ?? "";
  const fill =
    area<Point>(
      (_, index) => x(index),
      y(0),
      ({ value }) => y(value),
    )(points as Point[]) ?? "";
  const shown = at === undefined ? points.at(-1) : points[at];
  if (isTable) {
    return (
      <figure aria-label={label}>
        <ChartTable
          label={label}
          columns={["", label]}
          rows={points.map((point) => [point.label, format(point.value)])}
        />
        <TableSwitch isTable onChange={setTable} />
      </figure>
    );
  }
  return (
    <figure aria-label={label}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className="w-full"
        role="img"
        aria-label={`${label}: ${points.map((point) => `${point.label} ${format(point.value)}`).join(", ")}`}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const index = Math.round(x.invert(((event.clientX - box.left) / box.width) * width));
          setAt(Math.max(0, Math.min(points.length - 1, index)));
        }}
        onPointerLeave={() => setAt(undefined)}
      >
        {y.ticks(3).map((tick) => (
          <g key={tick}>
            <line x1={pad.left} x2={width - pad.right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
            <text x={pad.left - 6} y={y(tick) + 4} textAnchor="end" fontSize={11} fill="var(--faint)">
              {format(tick)}
            </text>
          </g>
        ))}
        <path d={fill} fill="var(--accent-soft)" />
        <path d={path} fill="none" stroke="var(--accent)" strokeWidth={1.75} />
        {at !== undefined && points[at] && <circle cx={x(at)} cy={y(points[at].value)} r={3.5} fill="var(--accent)" />}
        {[0, points.length - 1].map((index) => (
          <text
            key={index}
            x={x(index)}
            y={height - 4}
            textAnchor={index === 0 ? "start" : "end"}
            fontSize={11}
            fill="var(--faint)"
          >
            {points[index]?.label}
          </text>
        ))}
      </svg>
      {shown && (
        <figcaption className="text-sm text-muted">
          {shown.label}: <span className="font-medium text-text">{format(shown.value)}</span>
        </figcaption>
      )}
      <TableSwitch isTable={false} onChange={setTable} />
    </figure>
  );
}

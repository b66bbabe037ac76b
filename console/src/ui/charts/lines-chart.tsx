import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { useState } from "react";
import { formatCount } from "../format.ts";
import { useWidth } from "../use-width.ts";
import { ChartTable } from "./chart-table.tsx";
import { TableSwitch } from "./bar-chart.tsx";

export type ChartLine = { name: string; points: ReadonlyArray<{ x: number; y: number }> };
type Props = {
  label: string;
  /** Unit of the x axis, as in "lb". */
  unit: string;
  lines: readonly ChartLine[];
  format?(value: number): string;
};

const [height, pad] = [190, { top: 8, right: 56, bottom: 20, left: 52 }];

/** Several lines on one scale, from light to dark, with their names at the end. */
export function LinesChart({ label, unit, lines, format = formatCount }: Props) {
  const [isTable, setTable] = useState(false);
  const [over, setOver] = useState<string>();
  const { width, ref } = useWidth(600);
  const all = lines.flatMap(({ points }) => points);
  const x = scaleLinear([0, Math.max(1, ...all.map((point) => point.x))], [pad.left, width - pad.right]);
  const y = scaleLinear([0, Math.max(1, ...all.map((point) => point.y))], [height - pad.bottom, pad.top]).nice(4);
  const grounds = [...new Set(all.map((point) => point.x))].toSorted((a, b) => a - b);
  if (isTable) {
    const at = (one: ChartLine, ground: number): number | undefined =>
      one.points.find((point) => point.x === ground)?.y;
    return (
      <figure aria-label={label}>
        <ChartTable
          label={label}
          columns={[unit, ...lines.map(({ name }) => name)]}
          rows={grounds.map((ground) => [
            formatCount(ground),
            ...lines.map((one) => {
              const value = at(one, ground);
              return value === undefined ? "–" : format(value);
            }),
          ])}
        />
        <TableSwitch isTable onChange={setTable} />
      </figure>
    );
  }
  const shade = (index: number): string =>
    `color-mix(in srgb, var(--accent) ${35 + (65 * (index + 1)) / lines.length}%, var(--panel))`;
  const draw = line<{ x: number; y: number }>(
    (point) => x(point.x),
    (point) => y(point.y),
  );
  return (
    <figure aria-label={label} ref={ref}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className="w-full"
        role="img"
        aria-label={`${label}: ${lines.map(({ name, points }) => `${name} from ${format(points[0]?.y ?? 0)} to ${format(points.at(-1)?.y ?? 0)}`).join(", ")}`}
      >
        {y.ticks(4).map((tick) => (
          <g key={tick}>
            <line x1={pad.left} x2={width - pad.right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
            <text x={pad.left - 6} y={y(tick) + 4} textAnchor="end" fontSize={11} fill="var(--faint)">
              {format(tick)}
            </text>
          </g>
        ))}
        {x.ticks(width / 100).map((tick) => (
          <text key={tick} x={x(tick)} y={height - 4} textAnchor="middle" fontSize={11} fill="var(--faint)">
            {`${formatCount(tick)} ${unit}`}
          </text>
        ))}
        {lines.map((one, index) => (
          <g
            key={one.name}
            onPointerEnter={() => setOver(one.name)}
            onPointerLeave={() => setOver(undefined)}
            opacity={over === undefined || over === one.name ? 1 : 0.25}
          >
            <path d={draw([...one.points]) ?? ""} fill="none" stroke="transparent" strokeWidth={10} />
            <path d={draw([...one.points]) ?? ""} fill="none" stroke={shade(index)} strokeWidth={1.75} />
          </g>
        ))}
        {namesOf(lines, y).map(({ name, at }) => (
          <text key={name} x={width - pad.right + 6} y={at} fontSize={11} fill="var(--muted)">
            {name}
          </text>
        ))}
      </svg>
      <TableSwitch isTable={false} onChange={setTable} />
    </figure>
  );
}

const nameHeight = 11;

/** Label positions, moved apart where lines end close together. */
function namesOf(lines: readonly ChartLine[], y: (value: number) => number): Array<{ name: string; at: number }> {
  const ends = lines
    .map(({ name, points }) => ({ name, at: y(points.at(-1)?.y ?? 0) + 4 }))
    .toSorted((a, b) => b.at - a.at);
  for (const [index, end] of ends.entries()) {
    const below = ends[index - 1];
    if (below) end.at = Math.min(end.at, below.at - nameHeight);
  }
  return ends;
}

import { useState } from "react";

type SparkPoint = { label: string; value: number | null };
type Props = {
  label: string;
  points: readonly SparkPoint[];
  format(value: number): string;
  /** Amounts start at zero; shares use their own range. */
  startsAtZero?: boolean;
  /** For tiles that only hint at the course: grey, without the value below. */
  isGrey?: boolean;
};

const [width, height, pad] = [160, 32, 3];

/** Sparkline. Missing values are gaps. */
export function SparkLine({ label, points, format, startsAtZero = false, isGrey = false }: Props) {
  const [at, setAt] = useState<number>();
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0 && isGrey) return null;
  if (values.length === 0) return <p className="flex h-8 items-center text-sm text-faint">Nothing on these days</p>;
  const low = startsAtZero ? 0 : Math.min(...values);
  const high = Math.max(...values);
  const x = (index: number): number => pad + (index / Math.max(1, points.length - 1)) * (width - 2 * pad);
  const y = (value: number): number =>
    high === low ? height / 2 : height - pad - ((value - low) / (high - low)) * (height - 2 * pad);
  const last = points.findLastIndex(({ value }) => value !== null);
  const shown = at !== undefined && points[at]?.value !== null ? at : last;
  const point = points[shown]!;
  const colour = isGrey ? "var(--faint)" : "var(--accent)";
  return (
    <div className="min-w-0">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="h-8 w-full"
        role="img"
        aria-label={`${label}: ${values.length} of ${points.length} days, from ${format(Math.min(...values))} to ${format(high)}, last ${format(points[last]!.value!)}`}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const index = Math.round(((event.clientX - box.left) / box.width) * (points.length - 1));
          setAt(Math.max(0, Math.min(points.length - 1, index)));
        }}
        onPointerLeave={() => setAt(undefined)}
      >
        <path
          d={pathOf(points, x, y)}
          fill="none"
          stroke={colour}
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
        <line
          x1={x(shown)}
          x2={x(shown)}
          y1={y(point.value!)}
          y2={y(point.value!)}
          stroke={colour}
          strokeWidth={5}
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      {!isGrey && (
        <p className="truncate text-xs text-faint tabular-nums">
          {point.label} {format(point.value!)}
        </p>
      )}
    </div>
  );
}

/** A single value between gaps is drawn as a dot. */
function pathOf(points: readonly SparkPoint[], x: (index: number) => number, y: (value: number) => number): string {
  let path = "";
  let isDown = false;
  for (const [index, { value }] of points.entries()) {
    if (value === null) isDown = false;
    else {
      path += `${isDown ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      if (!isDown && points[index + 1]?.value === null) path += "h0.1";
      isDown = true;
    }
  }
  return path;
}

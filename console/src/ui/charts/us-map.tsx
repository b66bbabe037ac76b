import { scaleLinear } from "d3-scale";
import { useState } from "react";
import { formatCount } from "../format.ts";
import { usStates } from "../us-states.ts";
import { ChartTable } from "./chart-table.tsx";
import { TableSwitch } from "./bar-chart.tsx";

type Props = {
  label: string;
  values: Readonly<Record<string, number>>;
  chosen?: string;
  onPick?(code: string): void;
  format?(value: number): string;
};

/**
 * Choropleth of the US states: darker is more; savings are green and losses red, as in the tables. Text and table give the numbers.
 */
export function UsMap({ label, values, chosen, onPick, format = formatCount }: Props) {
  const [isTable, setTable] = useState(false);
  const [over, setOver] = useState<string>();
  const shade = scaleLinear([0, Math.max(1, ...Object.values(values).map(Math.abs))], [8, 100]).clamp(true);
  const colour = (value: number): string => {
    const [name, soft] = value < 0 ? ["--bad", "--bad-soft"] : ["--ok", "--ok-soft"];
    return `color-mix(in srgb, var(${name}) ${shade(Math.abs(value))}%, var(${soft}))`;
  };
  const shown = over ?? chosen;
  const name = usStates.states.find(({ code }) => code === shown)?.name;
  if (isTable) {
    const rows = usStates.states
      .filter(({ code }) => values[code])
      .map((state) => [state.name, format(values[state.code] ?? 0)] as const);
    return (
      <figure aria-label={label}>
        <ChartTable label={label} columns={["State", label]} rows={rows} />
        <TableSwitch isTable onChange={setTable} />
      </figure>
    );
  }
  return (
    <figure aria-label={label}>
      <svg viewBox={usStates.viewBox} className="w-full" role="group" aria-label={label}>
        {usStates.states.map((state) => {
          const value = values[state.code] ?? 0;
          return (
            <path
              key={state.code}
              d={state.path}
              role={onPick ? "button" : "img"}
              aria-label={`${state.name}: ${format(value)}`}
              {...(onPick ? { tabIndex: 0, "aria-pressed": chosen === state.code } : {})}
              fill={value === 0 ? "var(--skip-soft)" : colour(value)}
              stroke="var(--panel)"
              strokeWidth={state.code === chosen ? 3 : 1}
              onPointerEnter={() => setOver(state.code)}
              onPointerLeave={() => setOver(undefined)}
              onFocus={() => setOver(state.code)}
              onBlur={() => setOver(undefined)}
              onClick={() => onPick?.(state.code)}
              onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && onPick?.(state.code)}
            />
          );
        })}
      </svg>
      <figcaption className="min-h-5 text-sm text-muted">
        {name && (
          <>
            {name}: <span className="font-medium text-text">{format(values[shown!] ?? 0)}</span>
          </>
        )}
      </figcaption>
      <TableSwitch isTable={false} onChange={setTable} />
    </figure>
  );
}

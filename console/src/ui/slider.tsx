import { useEffect, useId, useState } from "react";
import { useLatest } from "./use-latest.ts";

type Props = {
  label: string;
  /** Undefined: unchanged; the handle is at `start`. */
  value: number | undefined;
  start: number;
  max: number;
  step: number;
  /** Text while nothing is chosen. */
  untouched: string;
  format(value: number): string;
  onChange(value: number | undefined): void;
};

const settleMs = 250;

/** Slider. Calls `onChange` when the handle is released. */
export function Slider({ label, value, start, max, step, untouched, format, onChange }: Props) {
  const id = useId();
  const [moved, setMoved] = useState<number>();
  const latest = useLatest(onChange);
  useEffect(() => {
    if (moved === undefined) return undefined;
    const timer = setTimeout(() => {
      latest.current(moved);
      setMoved(undefined);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [moved, latest]);
  const shown = moved ?? value;
  return (
    <div className="flex min-w-48 flex-1 flex-col gap-0.5">
      <div className="flex items-baseline justify-between gap-2 text-sm">
        <label htmlFor={id} className="font-medium text-muted">
          {label}
        </label>
        <span aria-hidden className="tabular-nums">
          {shown === undefined ? untouched : format(shown)}
        </span>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={max}
        step={step}
        value={shown ?? start}
        aria-valuetext={shown === undefined ? untouched : format(shown)}
        onChange={(event) => setMoved(Number(event.target.value))}
        className="h-6 w-full accent-accent"
      />
    </div>
  );
}

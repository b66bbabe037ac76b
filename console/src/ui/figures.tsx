import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { formatCount } from "./format.ts";
import type { Tone } from "./tone.ts";
import { toneText } from "./tone.ts";

export type Figure = {
  label: string;
  value: number | ReactNode;
  tone?: Tone | undefined;
  isOn?: boolean;
  onPick?: (() => void) | undefined;
};

/** Row of counts, optionally as filters. */
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-[repeat(auto-fit,minmax(110px,1fr))]"
    >
      {figures.map((figure) => (
        <div
          key={figure.label}
          className={cx(
            "flex flex-col-reverse justify-end bg-panel max-sm:last:odd:col-span-2",
            figure.isOn && "bg-accent-soft",
          )}
        >
          <dt className="px-3 pb-2 text-sm text-muted">{figure.label}</dt>
          <dd
            className={cx(
              "px-3 pt-2 text-2xl font-semibold tracking-tight tabular-nums",
              // Zero has no tone.
              figure.tone && figure.value !== 0 && toneText[figure.tone],
            )}
          >
            {figure.onPick ? (
              <button
                type="button"
                aria-pressed={figure.isOn ?? false}
                onClick={figure.onPick}
                className="-mx-1 rounded-md px-1 hover:underline"
              >
                {shown(figure.value)}
                <span className="sr-only"> {figure.label}: show only these</span>
              </button>
            ) : (
              shown(figure.value)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const shown = (value: Figure["value"]): ReactNode => (typeof value === "number" ? formatCount(value) : value);

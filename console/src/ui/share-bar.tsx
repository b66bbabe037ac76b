import { cx } from "./class-names.ts";
import type { Tone } from "./tone.ts";
import { toneSolid } from "./tone.ts";

type Part = { label: string; count: number; tone: Tone };

/** Stacked bar of shares; the figures beside it have the numbers. */
export function ShareBar({ parts, total }: { parts: readonly Part[]; total: number }) {
  return (
    <div aria-hidden className="flex h-1.5 overflow-hidden rounded-full bg-skip-soft">
      {parts.map(({ label, count, tone }) => (
        <i
          key={label}
          className={cx("block transition-[width]", toneSolid[tone])}
          style={{ width: total === 0 ? 0 : `${(count / total) * 100}%` }}
        />
      ))}
    </div>
  );
}

import { useEffect, useState } from "react";
import { useLatest } from "./use-latest.ts";

const saidEveryMs = 5_000;

const shareOf = (done: number, total: number | null): number =>
  total === null ? 0.3 : total === 0 ? 0 : Math.min(1, done / total);

/** Progress bar. Screen readers hear it now and then, not with every update. */
export function ProgressBar({
  label,
  done,
  total,
  text,
}: {
  label: string;
  done: number;
  /** Null: not known yet. */
  total: number | null;
  text: string;
}) {
  const [announced, setAnnounced] = useState(text);
  const latest = useLatest(text);
  useEffect(() => {
    const timer = setInterval(() => setAnnounced(latest.current), saidEveryMs);
    return () => clearInterval(timer);
  }, [latest]);
  return (
    <div>
      <div
        role="progressbar"
        aria-label={label}
        {...(total === null ? {} : { "aria-valuemin": 0, "aria-valuemax": total, "aria-valuenow": done })}
        aria-valuetext={announced}
        className="h-2 overflow-hidden rounded-full bg-skip-soft"
      >
        <i className="block h-full bg-accent transition-[width]" style={{ width: `${shareOf(done, total) * 100}%` }} />
      </div>
      <p className="mt-1 tabular-nums">{text}</p>
      <p role="status" className="sr-only">
        {announced}
      </p>
    </div>
  );
}

import type { UpcomingRun } from "@order-operations-hub/sdk/api-types";
import { cityOfZone } from "../../ui/calendar.ts";
import { formatTime, useClock } from "../../ui/zone.tsx";
import { LocalTime } from "./local-time.tsx";

/** Next runs in the zone of the schedule, and in the viewer's zone where that differs. */
export function UpcomingRuns({ runs, timezone }: { runs: readonly UpcomingRun[]; timezone: string }) {
  const clock = useClock();
  return (
    <ol aria-label="Next runs" className="flex flex-col">
      {runs.map((run) => (
        <li key={run.runAt} className="border-b border-line py-1 last:border-b-0">
          <span className="font-medium tabular-nums">
            <LocalTime at={run.localTime} />
          </span>{" "}
          <span className="text-muted">
            {cityOfZone(timezone)} time
            {timezone !== clock.timeZone && `, ${formatTime(run.runAt, clock)} your time`}
          </span>
          {run.dstTransition && <p className="text-sm text-warn">{run.dstTransition.message}</p>}
        </li>
      ))}
    </ol>
  );
}

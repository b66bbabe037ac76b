import { paths } from "../../app/paths.ts";
import { cx } from "../../ui/class-names.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { formatFull, formatTime, useClock } from "../../ui/zone.tsx";
import type { Timeline } from "./schedules.queries.ts";
import { LocalTime } from "./local-time.tsx";
import { nameOf } from "./schedules.text.ts";

const hourMs = 3_600_000;
const tickHours = [1, 3, 6, 12, 24, 48, 120];

/** Ticks at round hours, as many as fit. */
function ticksOf(from: number, to: number): number[] {
  const step = (tickHours.find((hours) => (to - from) / (hours * hourMs) <= 8) ?? 120) * hourMs;
  // Local midnight is not a multiple of 24 hours since the epoch.
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - offset) / step) * step + offset;
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / step)) }, (_, at) => first + at * step);
}

/** Timeline with one row per schedule. DST effects are marked and explained below. */
export function ScheduleTimeline({ timeline }: { timeline: Timeline }) {
  const clock = useClock();
  const [from, to] = [Date.parse(timeline.from), Date.parse(timeline.to)];
  const place = (at: number): string => `${Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100))}%`;
  const ticks = ticksOf(from, to);
  const notes = timeline.data.flatMap((lane) =>
    lane.runs.flatMap((run) => (run.dstTransition ? [{ lane, run, note: run.dstTransition.message }] : [])),
  );
  return (
    <div className="px-3 py-2">
      <ul className="flex flex-col">
        {timeline.data.map((lane) => (
          <li
            key={lane.scheduleId}
            className="grid min-h-9 grid-cols-1 items-center gap-x-3 border-b border-line py-1 sm:grid-cols-[220px_1fr]"
          >
            <div className="min-w-0">
              <Link
                href={paths.schedule(lane.scheduleId)}
                className="inline-flex min-h-6 max-w-full items-center truncate font-medium hover:underline"
              >
                {nameOf(lane)}
              </Link>
              <p className="truncate text-sm text-muted" title={lane.description}>
                {lane.description}
              </p>
            </div>
            <div
              role="img"
              aria-label={`${nameOf(lane)}: ${lane.runsAreCapped ? "more than " : ""}${plural(lane.runs.length, "run")}, the next ${formatTime(lane.runs[0]!.runAt, clock)}`}
              className="relative h-6"
            >
              <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
              {lane.runsAreCapped && (
                <span
                  className="absolute top-1/2 h-1.5 -translate-y-1/2 rounded-full bg-accent opacity-40"
                  style={{ insetInlineStart: place(Date.parse(lane.runs.at(-1)!.runAt)), insetInlineEnd: 0 }}
                />
              )}
              {lane.runs.map((run) => (
                <span
                  key={run.runAt}
                  title={`${formatFull(run.runAt, clock)}${run.dstTransition ? `. ${run.dstTransition.message}` : ""}`}
                  className={cx(
                    "absolute top-1/2 -translate-x-1/2 -translate-y-1/2 rounded-full",
                    run.dstTransition
                      ? "size-2.5 border-2 border-warn bg-panel"
                      : lane.runs.length > 40
                        ? "h-2 w-0.5 bg-accent"
                        : "size-2 bg-accent",
                  )}
                  style={{ insetInlineStart: place(Date.parse(run.runAt)) }}
                />
              ))}
            </div>
          </li>
        ))}
      </ul>
      <div aria-hidden className="relative h-5 sm:ms-[232px]">
        {ticks.map((at) => (
          <span
            key={at}
            className="absolute -translate-x-1/2 text-xs whitespace-nowrap text-faint tabular-nums first:translate-x-0 max-sm:[&:nth-child(even)]:hidden"
            style={{ insetInlineStart: place(at) }}
          >
            {tickText(at, to - from, clock.timeZone)}
          </span>
        ))}
      </div>
      {timeline.isCapped && (
        <p className="text-sm text-muted">
          Only the first {formatCount(timeline.data.length)} schedules that run in this time are shown.
        </p>
      )}
      {notes.length > 0 && (
        <ul aria-label="Changes of the clock" className="mt-1 flex flex-col gap-0.5 text-sm text-warn">
          {notes.map(({ lane, run, note }) => (
            <li key={`${lane.scheduleId} ${run.runAt}`}>
              {nameOf(lane)}, <LocalTime at={run.localTime} />: {note}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function tickText(at: number, span: number, timeZone: string): string {
  const isLong = span > 2 * 24 * hourMs;
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    ...(isLong ? { weekday: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit" }),
  })
    .format(at)
    .replace(",", "");
}

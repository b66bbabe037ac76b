import { formatLongDay, formatWeekday } from "../../ui/calendar.ts";
import { cx } from "../../ui/class-names.ts";
import { Tooltip } from "../../ui/tooltip.tsx";
import type { SlotDays } from "./pickups.queries.ts";
import { shortWindow, windowText } from "./pickups.text.ts";

type Day = SlotDays["data"][number];

/** Two weeks of pickup windows. Days without a pickup show the reason. */
export function SlotPick({
  days,
  chosen,
  onPick,
}: {
  days: readonly Day[];
  chosen: string;
  onPick(slot: NonNullable<Day["window"]>): void;
}) {
  return (
    <div role="group" aria-label="Pickup days" className="grid grid-cols-4 gap-1 sm:grid-cols-7">
      {days.map(({ date, window: slot, reason }) => {
        const button = (
          <button
            type="button"
            aria-pressed={chosen === date}
            aria-disabled={!slot || undefined}
            aria-label={`${formatLongDay(date)}: ${slot ? windowText(slot) : (reason?.message ?? "no pickup")}`}
            onClick={() => slot && onPick(slot)}
            className={cx(
              "flex min-h-10 w-full flex-col items-center justify-center rounded-md border px-0.5 text-sm",
              chosen === date
                ? "border-accent bg-accent-soft text-accent-text"
                : slot
                  ? "border-line-strong bg-raised hover:bg-skip-soft"
                  : "border-dashed border-line text-faint",
            )}
          >
            <span className="font-medium">{formatWeekday(date)}</span>
            <span className={cx("text-xs tabular-nums", chosen !== date && "text-muted")}>
              {slot ? shortWindow(slot) : (closedWords[reason?.code ?? ""] ?? "closed")}
            </span>
          </button>
        );
        return reason ? (
          <Tooltip key={date} text={reason.message}>
            {button}
          </Tooltip>
        ) : (
          <span key={date}>{button}</span>
        );
      })}
    </div>
  );
}

const closedWords: Record<string, string> = {
  pickup_exists: "booked",
  holiday: "holiday",
  cutoff_passed: "too late",
  same_day_not_available: "too late",
  lead_time_too_short: "too late",
  window_in_past: "over",
  date_in_past: "over",
  too_far_ahead: "too far",
};

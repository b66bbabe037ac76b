import { useState } from "react";
import { addDays, dayIn, formatDay, isDate } from "../../ui/calendar.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TextField } from "../../ui/text-field.tsx";
import { useClock } from "../../ui/zone.tsx";
import type { Period } from "./reports.queries.ts";

const choices: Array<[days: number, label: string]> = [
  [1, "Today"],
  [7, "Last 7 days"],
  [30, "Last 30 days"],
];
const longest = 366;

const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

/** The period of the address: `days`, or `from` and `to`. Anything else is the last 30 days. */
export function usePeriod(): { period: Period; label: string; before: string } {
  const { search } = useSearchParams();
  const [from, to] = [oneOf(search["from"]), oneOf(search["to"])];
  if (isDate(from) && isDate(to) && from <= to && daysBetween(from, to) <= longest) {
    const length = daysBetween(from, to);
    const label = from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`;
    return { period: { from, to }, label, before: beforeText(length) };
  }
  const wanted = Number(oneOf(search["days"]));
  const [days, label] = choices.find(([one]) => one === wanted) ?? choices[2]!;
  return { period: { days }, label, before: days === 1 ? "yesterday" : beforeText(days) };
}

const beforeText = (days: number): string => (days === 1 ? "the day before" : `the ${days} days before`);

/** Chooses the period of all figures of the page. */
export function PeriodPicker() {
  const { label } = usePeriod();
  const { set } = useSearchParams();
  return (
    <Popover
      title="Period"
      triggerLabel={`Period: ${label}`}
      triggerClass={buttonClass("plain")}
      trigger={
        <>
          <Icon name="calendar" />
          {label}
          <Icon name="chevron-down" size={12} />
        </>
      }
    >
      {(close) => (
        <>
          <div className="mb-2.5 flex flex-wrap gap-1.5">
            {choices.map(([days, name]) => (
              <Button
                key={days}
                aria-pressed={name === label}
                onClick={() => {
                  set({ days: days === 30 ? undefined : String(days), from: undefined, to: undefined });
                  close();
                }}
              >
                {name}
              </Button>
            ))}
          </div>
          <CustomDays
            onApply={(from, to) => {
              set({ from, to, days: undefined });
              close();
            }}
          />
        </>
      )}
    </Popover>
  );
}

function CustomDays({ onApply }: { onApply(from: string, to: string): void }) {
  const clock = useClock();
  const { search } = useSearchParams();
  const today = dayIn(clock.timeZone, clock.now());
  const [from, setFrom] = useState(oneOf(search["from"]) ?? addDays(today, -13));
  const [to, setTo] = useState(oneOf(search["to"]) ?? today);
  const reason =
    !isDate(from) || !isDate(to)
      ? "Choose both days."
      : from > to
        ? "The last day is before the first."
        : daysBetween(from, to) > longest && `Choose at most ${longest} days.`;
  return (
    <form
      className="flex flex-col gap-2.5 border-t border-line pt-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) onApply(from, to);
      }}
    >
      <TextField type="date" label="First day" value={from} onChange={setFrom} />
      <TextField type="date" label="Last day" value={to} onChange={setTo} />
      <Button kind="primary" type="submit" disabledReason={reason}>
        Show these days
      </Button>
    </form>
  );
}

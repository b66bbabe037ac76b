import { useState } from "react";
import { CalendarButton } from "./calendar-button.tsx";
import { cityOfZone } from "./calendar.ts";
import { cx } from "./class-names.ts";
import type { InstantKind } from "./instant-text.ts";
import { instantForms, readInstant, shownInstant } from "./instant-text.ts";
import { Field, inputClass } from "./text-field.tsx";
import { useClock } from "./zone.tsx";

type Props = {
  label: string;
  isLabelHidden?: boolean;
  hint?: string | undefined;
  error?: string | undefined;
  kind: InstantKind;
  /** A day, a moment in ISO format, or one of the words. */
  value: string;
  onChange(value: string): void;
  /** Words that are values, too, such as "today". */
  words?: RegExp;
  /** Time of a day that is typed without one, where a moment is needed. */
  timeOfDay?: string;
};

/** Why text is not a value of a field. */
export const instantProblem = (kind: InstantKind): string =>
  kind === "date" ? "Enter a date, such as 2026-11-20." : "Enter a date and time, such as 2026-11-20 17:00.";

/**
 * A day or a moment as text, in the time zone for typed times. Text that is neither is reported here and passed on as it is, so
 * that the hub refuses it instead of emptying the field.
 */
export function InstantField({ label, isLabelHidden, hint, error, kind, value, onChange, words, timeOfDay }: Props) {
  const { entryZone, timeZone } = useClock();
  const zone = entryZone ?? timeZone;
  const [typed, setTyped] = useState(() => shownInstant(value, zone));
  const [known, setKnown] = useState(value);
  const valueOf = (text: string): string | undefined =>
    words?.test(text.trim()) ? text.trim() : readInstant(kind, text, zone, timeOfDay);
  if (known !== value) {
    setKnown(value);
    setTyped(shownInstant(value, zone));
  }
  const put = (text: string): void => {
    setTyped(text);
    const next = valueOf(text) ?? text;
    if (next === value) return;
    setKnown(next);
    onChange(next);
  };
  const isWrong = valueOf(typed) === undefined;
  const zoneHint = kind === "date" ? undefined : `${cityOfZone(zone)} time`;
  const shown = shownInstant(value, zone);
  const picked = kind === "date-time" ? shown.replace(" ", "T") : shown.slice(0, 10);
  return (
    <Field
      label={label}
      isLabelHidden={isLabelHidden ?? false}
      hint={hint ?? zoneHint}
      error={error ?? (isWrong ? instantProblem(kind) : undefined)}
    >
      {(ids) => (
        <span className="relative flex">
          <input
            {...ids}
            autoComplete="off"
            placeholder={instantForms[kind]}
            value={typed}
            onChange={(event) => put(event.target.value)}
            onBlur={() => !isWrong && setTyped(shown)}
            className={cx(inputClass, "pe-8")}
          />
          <CalendarButton
            type={kind === "date-time" ? "datetime-local" : "date"}
            value={/^\d{4}-\d\d-\d\d/.test(picked) ? picked : ""}
            isDisabled={false}
            onPick={(next) => put(next.replace("T", " "))}
          />
        </span>
      )}
    </Field>
  );
}

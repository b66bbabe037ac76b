import type { ComponentProps } from "react";
import { useState } from "react";
import { CalendarButton } from "./calendar-button.tsx";
import { cx } from "./class-names.ts";
import type { MomentKind } from "./moment-text.ts";
import { momentForms, readMoment, shownMoment } from "./moment-text.ts";

type Props = Omit<ComponentProps<"input">, "onChange" | "type"> & {
  kind: MomentKind;
  value: string;
  onChange(value: string): void;
};

/**
 * A date or time as text, with 24 hours and in the order of ISO dates for every browser language, and the calendar of the
 * browser behind a button. Its value is that of the native field; text that is no date or time counts as empty.
 */
export function MomentInput({ kind, value, onChange, className, ...rest }: Props) {
  const [typed, setTyped] = useState(() => shownMoment(kind, value));
  const [known, setKnown] = useState(value);
  const read = readMoment(kind, typed);
  if (known !== value) {
    setKnown(value);
    if (value !== (read ?? "")) setTyped(shownMoment(kind, value));
  }
  const put = (text: string): void => {
    setTyped(text);
    const next = readMoment(kind, text) ?? "";
    if (next === value) return;
    setKnown(next);
    onChange(next);
  };
  return (
    <span className="relative flex">
      <input
        {...rest}
        type="text"
        inputMode={kind === "time" ? "numeric" : "text"}
        autoComplete="off"
        placeholder={momentForms[kind]}
        aria-invalid={rest["aria-invalid"] ?? (read === undefined || undefined)}
        value={typed}
        onChange={(event) => put(event.target.value)}
        onBlur={() => read && setTyped(shownMoment(kind, read))}
        className={cx(className, kind !== "time" && "pe-8")}
      />
      {kind !== "time" && (
        <CalendarButton
          type={kind}
          value={value}
          isDisabled={rest.disabled ?? false}
          onPick={(next) => put(shownMoment(kind, next))}
        />
      )}
    </span>
  );
}

import { useRef } from "react";
import { Icon } from "./icons.tsx";

type Props = { type: "date" | "datetime-local"; value: string; isDisabled: boolean; onPick(value: string): void };

/** Opens the calendar of the browser, at the end of a text field. */
export function CalendarButton({ type, value, isDisabled, onPick }: Props) {
  const calendar = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={calendar}
        type={type}
        aria-hidden
        tabIndex={-1}
        value={value}
        onChange={(event) => onPick(event.target.value)}
        className="pointer-events-none absolute inset-0 opacity-0"
      />
      <button
        type="button"
        aria-label="Open the calendar"
        disabled={isDisabled}
        onClick={() => calendar.current?.showPicker()}
        className="absolute end-0.5 top-0.5 grid size-6 place-items-center rounded-md text-muted hover:bg-skip-soft hover:text-text"
      >
        <Icon name="calendar" />
      </button>
    </>
  );
}

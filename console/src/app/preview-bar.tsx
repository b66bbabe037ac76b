import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { previewClockQuery } from "../live/hub-clock.tsx";
import { useMe } from "../live/me.ts";
import { useOtherEnvironment } from "../live/other-environment.ts";
import { formatTime, useClock } from "../ui/zone.tsx";
import { text } from "./app.text.ts";
import previewIcon from "./favicon-preview.svg";

/** The day is shown as it is seen from today, not from the clock that is shown. */
const realNow = (): number => Date.now();

const linkClass = "min-h-6 shrink-0 underline underline-offset-2";

/** Cannot be closed: mistaking preview data for live data, or the reverse, is the most expensive error. Without the dialogs of the frame, clock and data are not changed here. */
export function PreviewBar({ onClock, onReset }: { onClock?(): void; onReset?(): void }) {
  const clock = useClock();
  const mayChange = useMe().scopes.includes("preview:write");
  const other = useOtherEnvironment();
  const { data } = useQuery(previewClockQuery);
  useEffect(() => {
    document.querySelector<HTMLLinkElement>("link[rel=icon]")?.setAttribute("href", previewIcon);
  }, []);
  const mode = data?.mode === "frozen" ? " (stopped)" : data?.mode === "shifted" ? " (changed)" : "";
  const time = data && `Clock: ${formatTime(clock.now(), { timeZone: clock.timeZone, now: realNow })}${mode}`;
  return (
    <aside
      aria-label={text.preview.word}
      className="stripes sticky top-0 z-40 flex min-h-7 items-center justify-center gap-x-4 px-3 text-sm font-semibold"
    >
      {text.preview.word}
      <span className="truncate max-wide:hidden">{text.preview.about}</span>
      {time &&
        (mayChange && onClock ? (
          <button type="button" onClick={onClock} className={`${linkClass} max-narrow:hidden`}>
            {time}
          </button>
        ) : (
          <span className="max-narrow:hidden">{time}</span>
        ))}
      {mayChange && onReset && (
        <button type="button" onClick={onReset} className={linkClass}>
          Reset
        </button>
      )}
      {other && (
        <a href={other.url} className={`${linkClass} inline-flex items-center`}>
          Go to live
        </a>
      )}
    </aside>
  );
}

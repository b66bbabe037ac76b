import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { previewClockQuery } from "../live/hub-clock.tsx";
import { formatFull, useClock } from "../ui/zone.tsx";
import { text } from "./app.text.ts";
import previewIcon from "./favicon-preview.svg";

/** Cannot be closed: mistaking preview data for live data, or the reverse, is the most expensive error. */
export function PreviewBar() {
  const clock = useClock();
  const { data } = useQuery(previewClockQuery);
  useEffect(() => {
    document.querySelector<HTMLLinkElement>("link[rel=icon]")?.setAttribute("href", previewIcon);
  }, []);
  const mode = data && data.mode !== "real" ? `, clock ${formatFull(clock.now(), clock)} (${data.mode})` : "";
  return (
    <div
      role="note"
      aria-label={text.preview.word}
      className="stripes sticky top-0 z-40 px-3 py-0.5 text-center text-sm font-semibold"
    >
      {text.preview.word}
      <span className="px-3 max-sm:hidden">
        {text.preview.data}
        {mode}
      </span>
      <span className="max-sm:hidden">{text.preview.nothingLeaves}</span>
    </div>
  );
}

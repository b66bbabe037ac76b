import { useClock } from "../../ui/zone.tsx";
import { localText } from "./schedules.text.ts";

/** A run as the clock of its own zone shows it. */
export function LocalTime({ at }: { at: string }) {
  return localText(at, useClock().now());
}

import { useClock } from "../../ui/zone.tsx";
import { localText } from "./schedules.text.ts";

/** A run in the local time of its schedule. */
export function LocalTime({ at }: { at: string }) {
  return localText(at, useClock().now());
}

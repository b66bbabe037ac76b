import { momentIn } from "../ui/zoned-moment.ts";
import { hub } from "./hub.ts";

export type ClockChange =
  | { day: string; time: string }
  | { advanceSeconds: number }
  | { frozen: boolean }
  | { reset: true };

export function setPreviewClock(change: ClockChange, timeZone: string) {
  const body = "day" in change ? { now: momentIn(timeZone, change.day, change.time) } : change;
  return hub.call("POST /api/v1/preview/clock", { body });
}

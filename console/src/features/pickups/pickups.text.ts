import type { Pickup } from "@order-operations-hub/sdk/api-types";
import { clockOf } from "../../ui/calendar.ts";
import type { Tone } from "../../ui/tone.ts";

export const pickupTones: Record<string, Tone> = {
  requested: "warn",
  scheduled: "info",
  dispatched: "info",
  completed: "ok",
  missed: "bad",
  cancelled: "skip",
  failed: "bad",
};

/** Explanation of each status. */
export const pickupMeanings: Record<string, string> = {
  requested: "The carrier has not responded yet. The hub retries automatically; the pickup is booked once.",
  failed: "The carrier rejected the pickup.",
  missed: "The driver did not come.",
};

export const windowText = ({ readyTime, closeTime }: { readyTime: string; closeTime: string }): string =>
  `${clockOf(readyTime)}–${clockOf(closeTime)}`;

/** "11–20", for narrow cells. */
export const shortWindow = ({ readyTime, closeTime }: { readyTime: string; closeTime: string }): string =>
  [readyTime, closeTime].map((time) => clockOf(time).replace(/^0/, "").replace(":00", "")).join("–");

export const placeName = ({ pickupAddress: at }: Pickup): string =>
  at.company || at.name || [at.address1, at.city].filter(Boolean).join(", ") || "No name";

export const text = {
  noAccount: "No active carrier account offers pickups. Add one to book a pickup.",
  noPlace: "Add a location with an address first. The driver collects the packages there.",
  nothing: "No pickups this week.",
} as const;

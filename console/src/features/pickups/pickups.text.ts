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
  failed: "The carrier did not take it.",
  missed: "Nobody came.",
};

export const windowText = ({ readyTime, closeTime }: { readyTime: string; closeTime: string }): string =>
  `${clockOf(readyTime)}–${clockOf(closeTime)}`;

/** "11–20", for narrow cells. */
export const shortWindow = ({ readyTime, closeTime }: { readyTime: string; closeTime: string }): string =>
  [readyTime, closeTime].map((time) => clockOf(time).replace(/^0/, "").replace(":00", "")).join("–");

export const placeName = ({ pickupAddress: at }: Pickup): string =>
  at.company || at.name || [at.address1, at.city].filter(Boolean).join(", ") || "No name";

export const text = {
  noAccount: "Pickups are booked with a carrier, and no active account is with one that takes them.",
  noPlace: "A driver needs a place to come to. Add a location with its address first.",
  nothing: "No pickup in this week.",
} as const;

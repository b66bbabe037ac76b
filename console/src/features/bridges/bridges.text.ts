import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { formatCount, plural, words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

const healthTones: Record<string, Tone> = { healthy: "ok", failing: "bad", unknown: "skip" };

/** "failing, 3 times in a row". */
export function healthText({ isActive, health }: Bridge): string {
  if (!isActive) return "switched off";
  if (health.status === "unknown") return "not tried yet";
  return health.consecutiveFailures > 1
    ? `${words(health.status)}, ${plural(health.consecutiveFailures, "time")} in a row`
    : words(health.status);
}

export const healthTone = ({ isActive, health }: Bridge): Tone =>
  isActive ? (healthTones[health.status] ?? "skip") : "skip";

export const modeWords: Record<string, string> = { pull: "reads", push: "sends", call: "asks" };

/** The result of an execution in words: "30 fetched, 30 created". Zeros are left out unless all are zero. */
export function resultText(result: unknown): string {
  if (typeof result !== "object" || result === null) return "";
  const counts = Object.entries(result).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const nonZero = counts.filter(([, count]) => count > 0);
  if (counts.length > 0 && nonZero.length === 0) return "nothing new";
  // "fetched" comes first.
  const ordered = nonZero.toSorted(([a], [b]) => Number(b === "fetched") - Number(a === "fetched"));
  return ordered.map(([name, count]) => `${formatCount(count)} ${words(name)}`).join(", ");
}

import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { formatCount, plural, sentence, words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

const healthTones: Record<string, Tone> = { healthy: "ok", failing: "bad", unknown: "skip" };

/** A connection whose first test failed: it is inactive until a test succeeds. */
export const isDraft = ({ isActive, health }: Bridge): boolean =>
  !isActive && health.lastSuccessAt === null && health.lastFailureAt !== null;

/** "Failing, 3 times in a row". */
export function healthText(bridge: Bridge): string {
  const { isActive, health } = bridge;
  if (isDraft(bridge)) return "Draft";
  if (!isActive) return "Inactive";
  if (health.status === "unknown") return "Not tested";
  return health.consecutiveFailures > 1
    ? `${sentence(health.status)}, ${plural(health.consecutiveFailures, "time")} in a row`
    : sentence(health.status);
}

export const healthTone = (bridge: Bridge): Tone => {
  if (isDraft(bridge)) return "warn";
  return bridge.isActive ? (healthTones[bridge.health.status] ?? "skip") : "skip";
};

export const modeWords: Record<string, string> = { pull: "Imports", push: "Sends", call: "Requests" };

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

/** The first unused name: the title, then "title 2" and so on. */
export function freeName(title: string, taken: readonly string[]): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? title : `${title} ${count}`;
    if (!taken.includes(name)) return name;
  }
}

/** Hosts of the URLs in the settings. */
export function hostsIn(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    if (name === "shop" && !settings["baseUrl"]) return [`${value.replace(/\.myshopify\.com$/, "")}.myshopify.com`];
    return URL.canParse(value) && /^https?:/.test(value) ? [new URL(value).host] : [];
  });
}

type Advice = { title: string; advice: string; tab: "settings" | "credentials" };

const unreachable = ["dns_failed", "connect_failed", "connection_lost", "circuit_open", "unreachable"];
const slow = ["timeout", "timed_out"];
const denied = ["unauthorized", "forbidden", "credentials_for_other_host", "credentials_required"];

/** What a failed test means and what to do about it. */
export function testAdvice(code: string, host: string | undefined): Advice {
  const there = host ?? "the other system";
  if (unreachable.includes(code)) {
    const advice = "Check the address for typing errors, and that the system is online and reachable from this hub.";
    return { title: `Could not reach ${there}`, advice, tab: "settings" };
  }
  if (slow.includes(code)) {
    const advice = "Test again. If it stays slow, check the system at that address.";
    return { title: `No response from ${there} within 15 s`, advice, tab: "settings" };
  }
  if (denied.includes(code)) {
    const advice =
      "Check that the credentials are complete, belong to this address and have not expired or been revoked.";
    return { title: `${there.replace(/^the /, "The ")} rejected the credentials`, advice, tab: "credentials" };
  }
  if (code === "address_not_allowed") {
    const advice = "Private addresses and hosts that are not on the list of allowed hosts cannot be called.";
    return { title: `The hub may not call ${there}`, advice, tab: "settings" };
  }
  const advice = "The response is below Details. Check address and credentials, then test again.";
  return { title: `${there.replace(/^the /, "The ")} did not accept the test request`, advice, tab: "settings" };
}

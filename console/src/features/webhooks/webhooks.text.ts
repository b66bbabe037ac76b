import type { Webhook } from "@order-operations-hub/sdk/api-types";
import { sentence } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

const webhookTones: Record<string, Tone> = { active: "ok", paused: "skip", disabled: "bad" };
export const healthTones: Record<string, Tone> = { unknown: "skip", healthy: "ok", failing: "bad" };
export const healthNames: Record<string, string> = {
  unknown: "Nothing sent yet",
  healthy: "Healthy",
  failing: "Failing",
};
export const deliveryTones: Record<string, Tone> = { pending: "info", delivered: "ok", failed: "bad", skipped: "skip" };

export const disabledReasons: Record<string, string> = {
  gone: "The endpoint answered 410 (gone).",
  failing: "The endpoint accepted nothing for five days.",
};

export const orderingOptions = [
  { value: "none", label: "In parallel" },
  { value: "strict", label: "One at a time, in order" },
];
export const signingOptions = [
  { value: "hmac", label: "Shared secret (HMAC)" },
  { value: "ed25519", label: "Key pair (Ed25519)" },
];

/** An active webhook whose endpoint fails is shown as failing: one state, not two that contradict. */
export const stateOf = ({ status, health }: Pick<Webhook, "status" | "health">): { name: string; tone: Tone } =>
  status === "active" && health.status === "failing"
    ? { name: "Failing", tone: "bad" }
    : { name: sentence(status), tone: webhookTones[status] ?? "skip" };

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

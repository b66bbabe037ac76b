import type { Tone } from "../../ui/tone.ts";

export const webhookTones: Record<string, Tone> = { active: "ok", paused: "skip", disabled: "bad" };
export const healthTones: Record<string, Tone> = { unknown: "skip", healthy: "ok", failing: "bad" };
export const healthNames: Record<string, string> = {
  unknown: "nothing sent yet",
  healthy: "healthy",
  failing: "failing",
};
export const deliveryTones: Record<string, Tone> = { pending: "info", delivered: "ok", failed: "bad", skipped: "skip" };

export const disabledReasons: Record<string, string> = {
  gone: "The endpoint answered 410: it is gone for good.",
  failing: "The endpoint took nothing for five days.",
};

export const orderingOptions = [
  { value: "none", label: "Several at a time (compare versions)" },
  { value: "strict", label: "One after the other" },
];
export const signingOptions = [
  { value: "hmac", label: "A secret that both sides know (HMAC)" },
  { value: "ed25519", label: "A key pair (Ed25519)" },
];

export const text = {
  none: "No webhook yet. A webhook tells another system what happens here, as it happens.",
} as const;

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** Semantic color. Never the only carrier of a meaning. */
export type Tone = "ok" | "warn" | "bad" | "skip" | "info";

export const toneText: Record<Tone, string> = {
  ok: "text-ok",
  warn: "text-warn",
  bad: "text-bad",
  skip: "text-skip",
  info: "text-accent-text",
};
export const toneSoft: Record<Tone, string> = {
  ok: "bg-ok-soft",
  warn: "bg-warn-soft",
  bad: "bg-bad-soft",
  skip: "bg-skip-soft",
  info: "bg-accent-soft",
};
export const toneSolid: Record<Tone, string> = {
  ok: "bg-ok",
  warn: "bg-warn",
  bad: "bg-bad",
  skip: "bg-skip",
  info: "bg-accent",
};

import { cutText } from "../core/cut-text.ts";

/** About 6,000 tokens: what a model reads of one answer without losing its thread. */
const maxChars = 24_000;

/** Tried in turn until the answer is short enough. */
const sizes = [
  { items: 50, text: 600 },
  { items: 20, text: 600 },
  { items: 10, text: 300 },
  { items: 5, text: 120 },
  { items: 2, text: 60 },
] as const;

/** Tokens are useless when cut. */
const neverCut = new Set(["preflight_token", "confirm"]);
const maxMembers = 100;

/** The text of an answer: without empty fields, long lists and texts cut, and every cut marked. */
export function toAnswerText(answer: unknown): string {
  for (const size of sizes) {
    const text = JSON.stringify(shrink(answer, size)) ?? "null";
    if (text.length <= maxChars) return text;
  }
  return JSON.stringify({ note: "The answer is too long. Ask for fewer records, or for one of them." });
}

function shrink(value: unknown, size: (typeof sizes)[number], name = ""): unknown {
  if (typeof value === "string") {
    return neverCut.has(name) || value.length <= size.text ? value : `${cutText(value, size.text)}…`;
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, size.items).map((item) => shrink(item, size));
    const hidden = value.length - shown.length;
    return hidden === 0 ? shown : [...shown, `… and ${hidden} more`];
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .map(([key, member]) => [key, shrink(member, size, key)] as const)
    .filter(([, member]) => !isEmpty(member));
  const shown = members.slice(0, maxMembers);
  return Object.fromEntries(
    shown.length === members.length ? shown : [...shown, ["…", `${members.length - shown.length} more fields`]],
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** These fields of a record, in this order. */
export function pickFields(record: unknown, names: readonly string[]): unknown {
  if (typeof record !== "object" || record === null) return record;
  const given = record as Record<string, unknown>;
  return Object.fromEntries(names.filter((name) => name in given).map((name) => [name, given[name]]));
}

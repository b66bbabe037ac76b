import type { Automation, Condition as SentCondition } from "@order-operations-hub/sdk/api-types";
import type { Condition as WholeCondition } from "../operations/condition-tree.pick.ts";

/** Undefined: none. */
export type Condition = WholeCondition | undefined;

export type Unit = "m" | "h" | "d" | "w";
/** Fields of all kinds are kept, so that switching between kinds loses nothing. */
export type WaitDraft = {
  kind: "none" | "duration" | "time" | "date" | "condition";
  amount: string;
  unit: Unit;
  time: string;
  path: string;
  side: "minus" | "plus";
  when: Condition;
};

export const noWait: WaitDraft = {
  kind: "none",
  amount: "1",
  unit: "h",
  time: "16:00",
  path: "shipBy",
  side: "minus",
  when: undefined,
};

const isUnit = (text: string): text is Unit => ["m", "h", "d", "w"].includes(text);

function lengthOf(duration: string): Pick<WaitDraft, "amount" | "unit"> {
  const unit = duration.slice(-1);
  return { amount: duration.slice(0, -1), unit: isUnit(unit) ? unit : "h" };
}

export function waitDraftOf(wait: Automation["wait"]): WaitDraft {
  if (wait === null) return noWait;
  const { until, when, at_most: atMost = "7d" } = wait;
  if (until === undefined) return { ...noWait, ...lengthOf(atMost), kind: "condition", when };
  if (typeof until === "string" && until.startsWith("next ")) return { ...noWait, kind: "time", time: until.slice(5) };
  if (typeof until === "string") return { ...noWait, ...lengthOf(until), kind: "duration" };
  const { path, minus, plus } = until;
  const length = lengthOf(minus ?? plus ?? "0h");
  return { ...noWait, ...length, kind: "date", path, side: plus === undefined ? "minus" : "plus" };
}

export function waitOf({ kind, amount, unit, time, path, side, when }: WaitDraft) {
  const duration = `${amount.trim()}${unit}`;
  if (kind === "duration") return { until: duration };
  if (kind === "time") return { until: `next ${time}` };
  if (kind === "date") return { until: { path, ...(Number(amount) > 0 ? { [side]: duration } : {}) } };
  // Without a condition the hub says which field is missing.
  if (kind === "condition") return { ...(when ? { when: when as SentCondition } : {}), at_most: duration };
  return null;
}

const unitNames: Record<Unit, [string, string]> = {
  m: ["minute", "minutes"],
  h: ["hour", "hours"],
  d: ["day", "days"],
  w: ["week", "weeks"],
};
export const unitOptions = Object.entries(unitNames).map(([value, [, label]]) => ({ value, label }));

/** Such as "waits 2 hours"; empty without a wait. */
export function waitText(wait: WaitDraft, fieldName: (path: string) => string): string {
  const length = `${wait.amount} ${unitNames[wait.unit][Number(wait.amount) === 1 ? 0 : 1]}`;
  if (wait.kind === "duration") return `waits ${length}`;
  if (wait.kind === "time") return `waits until ${wait.time}`;
  if (wait.kind === "condition") return `waits for a condition, at most ${length}`;
  if (wait.kind === "none") return "";
  const side = wait.side === "minus" ? "before" : "after";
  return `waits until ${Number(wait.amount) > 0 ? `${length} ${side} ` : ""}${fieldName(wait.path)}`;
}

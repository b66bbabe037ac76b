import type { Condition as SentCondition, OperationAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useEffect, useState } from "react";
import { words } from "../../ui/format.ts";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { startOf, withoutEmpty } from "../../ui/schema-form/schema.ts";
import { valueText } from "../../ui/change-text.ts";

export type Condition =
  | { path: string; op: string; value?: unknown }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

/** A step in the builder. `key` is its React key, stable when steps move. */
export type DraftStep = {
  key: number;
  type: string;
  params: Record<string, unknown>;
  when?: Condition | undefined;
  on_error?: OnError | undefined;
};
type OnError = "skip_order" | "continue" | "abort_run";
/** `preset`: the saved pipeline it was loaded from, until it is edited. */
export type Draft = { steps: DraftStep[]; isAtomic: boolean; preset?: { id: string; name: string } | undefined };

type Sent = { type: string; params?: Record<string, unknown>; when?: SentCondition; on_error?: OnError };

let nextKey = 1;

export function newStep(action: OperationAction): DraftStep {
  return { key: nextKey++, type: action.type, params: startOf(schemaOf(action)) };
}

export const schemaOf = (action: OperationAction): FormSchema => action.params_schema;

export function toActions(draft: Draft): Sent[] {
  return draft.steps.map(({ type, params, when, on_error }) => ({
    type,
    params: withoutEmpty(params),
    // The hub validates it and points at what is wrong.
    ...(when ? { when: when as SentCondition } : {}),
    ...(on_error ? { on_error } : {}),
  }));
}

export function fromPreset(preset: SavedPipeline): Draft {
  const steps = (preset.actions as Sent[]).map((action) => ({
    key: nextKey++,
    type: action.type,
    params: action.params ?? {},
    when: action.when,
    on_error: action.on_error,
  }));
  return { steps, isAtomic: preset.atomic, preset: { id: preset.id, name: preset.name } };
}

/** Required fields that are still empty. An incomplete step is not sent. */
export function missingOf(step: DraftStep, action: OperationAction | undefined): string[] {
  const given = withoutEmpty(step.params);
  return ((action?.params_schema as FormSchema | undefined)?.required ?? []).filter((name) => !(name in given));
}

/** "tags vip, gift": a step in one line. */
export function summaryOf(step: DraftStep, nameOf: (id: string) => string): Array<[name: string, value: string]> {
  return Object.entries(withoutEmpty(step.params)).map(([name, value]) => [
    words(name.replace(/_id$/, "")),
    typeof value === "string" && /^[\da-f]{8}-/.test(value)
      ? nameOf(value)
      : typeof value === "string"
        ? shortened(value)
        : valueText(value),
  ]);
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text.replaceAll("_", " "));

const opWords: Record<string, string> = {
  eq: "is",
  ne: "is not",
  in: "is one of",
  not_in: "is none of",
  in_set: "is in set",
  not_in_set: "is not in set",
  gt: ">",
  gte: "≥",
  lt: "<",
  lte: "≤",
  between: "between",
  contains: "contains",
  starts_with: "starts with",
  ends_with: "ends with",
  empty: "is empty",
  not_empty: "is filled",
  has_tag: "has tag",
};
export const operators = Object.entries(opWords).map(([value, label]) => ({ value, label }));

export function conditionText(condition: Condition): string {
  if ("not" in condition) return `not (${conditionText(condition.not)})`;
  if ("all" in condition) return condition.all.map(conditionText).join(" and ");
  if ("any" in condition) return condition.any.map(conditionText).join(" or ");
  return [
    words(condition.path.split(".").at(-1)!),
    opWords[condition.op] ?? condition.op,
    condition.value === undefined ? "" : valueText(condition.value),
  ]
    .join(" ")
    .trim();
}

const empty: Draft = { steps: [], isAtomic: false };

/** Kept in the session storage, so that a reload or an expired session loses no work. */
export function useDraft(key: string): [Draft, (next: Draft | ((before: Draft) => Draft)) => void] {
  const storageKey = `ooh-pipeline-${key}`;
  const [draft, setDraft] = useState<Draft>(() => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Draft | null;
      return kept ? { ...kept, steps: kept.steps.map((step) => ({ ...step, key: nextKey++ })) } : empty;
    } catch {
      return empty;
    }
  });
  useEffect(() => {
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(draft));
    } catch {
      // Storage is disabled in this browser.
    }
  }, [storageKey, draft]);
  return [draft, setDraft];
}

import type { OperationAction, PipelineAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useEffect, useState } from "react";
import { sentence } from "../../ui/format.ts";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { startOf, withoutEmpty } from "../../ui/schema-form/schema.ts";
import { valueText } from "../../ui/change-text.ts";
import type { Condition } from "./condition-tree.pick.ts";
import { isComplete } from "./condition-tree.pick.ts";
import type { NameOf } from "./named-values.ts";
import { withNames } from "./named-values.ts";

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

let nextKey = 1;

export function newStep(action: OperationAction): DraftStep {
  return { key: nextKey++, type: action.type, params: startOf(action.params_schema) };
}

const schemaOf = (action: OperationAction | undefined): FormSchema | undefined => action?.params_schema;

export function toActions(draft: Draft): PipelineAction[] {
  const steps = draft.steps.map(({ type, params, when, on_error }) => ({
    type,
    params: withoutEmpty(params),
    ...(when ? { when } : {}),
    ...(on_error ? { on_error } : {}),
  }));
  // Forms are made from the schemas of the catalog at run time; the hub validates params and points at what is wrong.
  return steps as PipelineAction[];
}

type Options = { isAtomic: boolean; onError: string };

/** Other than the default. */
const errorChoices: readonly OnError[] = ["continue", "abort_run"];

/** Steps as they were sent. What is to happen on an error is kept per step. */
export function fromActions(actions: SavedPipeline["actions"], { isAtomic, onError }: Options): Draft {
  const common = errorChoices.find((choice) => choice === onError);
  const steps = actions.map((action) => ({
    key: nextKey++,
    type: action.type,
    params: action.params ?? {},
    // The hub has compiled it.
    when: action.when as Condition | undefined,
    on_error: action.on_error ?? common,
  }));
  return { steps, isAtomic };
}

export function fromPreset(preset: SavedPipeline): Draft {
  const draft = fromActions(preset.actions, { isAtomic: preset.atomic, onError: preset.on_error });
  return { ...draft, preset: { id: preset.id, name: preset.name } };
}

/** Titles of the required fields that are still empty. An incomplete step is not sent. */
export function missingOf(step: DraftStep, action: OperationAction | undefined): string[] {
  const given = withoutEmpty(step.params);
  const fields = (schemaOf(action)?.required ?? []).filter((name) => !(name in given));
  const condition = step.when && !isComplete(step.when) ? ["a value for the condition"] : [];
  return [...fields.map((name) => paramTitle(action, name)), ...condition];
}

/** "Tags vip, gift": a step in one line. Params have the titles of their fields, and records their names. */
export function summaryOf(
  step: DraftStep,
  action: OperationAction | undefined,
  nameOf: NameOf,
): Array<[name: string, value: string]> {
  return Object.entries(withoutEmpty(step.params)).map(([name, value]) => {
    const shown = withNames(value, nameOf);
    return [paramTitle(action, name), typeof shown === "string" ? shortened(shown) : valueText(shown)];
  });
}

/** Title of a param as its field shows it. */
function paramTitle(action: OperationAction | undefined, name: string): string {
  return schemaOf(action)?.properties?.[name]?.title ?? sentence(name.replace(/_ids?$/, ""));
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text.replaceAll("_", " "));

export const empty: Draft = { steps: [], isAtomic: false };

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

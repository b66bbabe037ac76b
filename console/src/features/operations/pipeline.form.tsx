import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { firstField } from "../../ui/dialog.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Icon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ActionPick } from "./action.pick.tsx";
import type { Draft } from "./pipeline.ts";
import { newStep } from "./pipeline.ts";
import { StepCard } from "./step-card.tsx";

type Props = {
  draft: Draft;
  onChange(next: Draft | ((before: Draft) => Draft)): void;
  catalog: readonly OperationAction[];
  errors: ReadonlyMap<number, Map<string, string>>;
  /** The first step of an empty pipeline, such as that of a quick action of the list. */
  startWith?: string | undefined;
  /** Key of a step that was added from outside, such as the fix of a problem: it is opened and gets focus. */
  added?: number | undefined;
};

/** The key of no step. */
const none = 0;
const noErrors: ReadonlyMap<string, string> = new Map();

export function PipelineForm({ draft, onChange: put, catalog, errors, startWith, added: addedKey }: Props) {
  // An edited pipeline is no longer that preset.
  const onChange = (next: Draft): void => put({ ...next, preset: undefined });
  const [isPicking, setPicking] = useState(false);
  const [open, setOpen] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  const added = useRef(false);
  /** First field of the added step, or its heading. */
  const focusAfter = (): HTMLElement | null => {
    const step = added.current ? list.current?.lastElementChild : undefined;
    added.current = false;
    const target = step ? (firstField(step.querySelector("[data-params]")) ?? step.querySelector("button")) : null;
    target?.scrollIntoView({ block: "nearest" });
    return target;
  };
  const isStarted = startWith !== undefined && draft.steps[0]?.type === startWith;
  // The only step of a quick action is open until it is closed.
  const isOpen = (key: number): boolean => (open === undefined ? isStarted : open === key);
  useEffect(() => {
    if (isStarted) firstField(list.current)?.focus();
  }, [isStarted]);
  useEffect(() => {
    if (addedKey !== undefined) setOpen(addedKey);
  }, [addedKey]);
  useEffect(() => {
    if (addedKey === undefined || open !== addedKey) return;
    const at = draft.steps.findIndex(({ key }) => key === addedKey);
    const step = list.current?.children[at];
    (firstField(step?.querySelector("[data-params]") ?? null) ?? step?.querySelector("button"))?.focus();
    // Only when the step is opened, not with every change of the draft.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [addedKey, open]);
  useHotkeys([{ keys: "a", name: "Add step", run: () => setPicking(true) }]);
  const drop = (at: number): void => {
    const dropped = draft.steps[at]!;
    onChange({ ...draft, steps: draft.steps.filter(({ key }) => key !== dropped.key) });
    const back = (before: Draft): Draft => ({ ...before, steps: before.steps.toSpliced(at, 0, dropped) });
    showToast(`Step ${at + 1} removed`, { action: { label: "Undo", onPick: () => put(back) } });
  };
  const move = (at: number, by: number): void => {
    const steps = [...draft.steps];
    const [moved] = steps.splice(at, 1);
    steps.splice(at + by, 0, moved!);
    onChange({ ...draft, steps });
  };
  return (
    <>
      <ol ref={list} className="flex flex-col gap-2">
        {draft.steps.map((step, at) => (
          <StepCard
            key={step.key}
            at={at}
            step={step}
            action={catalog.find((action) => action.type === step.type)}
            isOpen={isOpen(step.key)}
            errors={errors.get(at) ?? noErrors}
            onOpen={() => setOpen(isOpen(step.key) ? none : step.key)}
            onChange={(next) =>
              onChange({ ...draft, steps: draft.steps.map((one) => (one.key === step.key ? next : one)) })
            }
            onMove={(by) => move(at, by)}
            onDrop={() => drop(at)}
            isFirst={at === 0}
            isLast={at === draft.steps.length - 1}
          />
        ))}
      </ol>
      <Button
        className="mt-2 w-full"
        keys="a"
        onClick={() => setPicking(true)}
        disabledReason={draft.steps.length >= 25 && "A pipeline has at most 25 steps."}
      >
        <Icon name="plus" size={12} /> Add step
      </Button>
      {draft.steps.length > 1 && (
        <div className="mt-2">
          <Checkbox
            label="Change an order only if all steps succeed"
            isChecked={draft.isAtomic}
            onChange={(isAtomic) => onChange({ ...draft, isAtomic })}
          />
        </div>
      )}
      <ActionPick
        catalog={catalog}
        isOpen={isPicking}
        focusAfter={focusAfter}
        onClose={() => setPicking(false)}
        onPick={(action) => {
          const step = newStep(action);
          onChange({ ...draft, steps: [...draft.steps, step] });
          setOpen(step.key);
          added.current = true;
          setPicking(false);
        }}
      />
    </>
  );
}

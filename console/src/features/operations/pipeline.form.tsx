import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { firstField } from "../../ui/dialog.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { ActionPick } from "./action.pick.tsx";
import type { Draft } from "./pipeline.ts";
import { newStep } from "./pipeline.ts";
import { StepCard } from "./step-card.tsx";

type Props = {
  draft: Draft;
  onChange(next: Draft): void;
  catalog: readonly OperationAction[];
  errors: ReadonlyMap<number, Map<string, string>>;
};

const noErrors: ReadonlyMap<string, string> = new Map();

export function PipelineForm({ draft, onChange: put, catalog, errors }: Props) {
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
  useHotkeys([{ keys: "a", name: "Add a step", run: () => setPicking(true) }]);
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
            isOpen={open === step.key}
            errors={errors.get(at) ?? noErrors}
            onOpen={() => setOpen(open === step.key ? undefined : step.key)}
            onChange={(next) =>
              onChange({ ...draft, steps: draft.steps.map((one) => (one.key === step.key ? next : one)) })
            }
            onMove={(by) => move(at, by)}
            onDrop={() => onChange({ ...draft, steps: draft.steps.filter((one) => one.key !== step.key) })}
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
        + step
      </Button>
      {draft.steps.length > 1 && (
        <div className="mt-2">
          <Checkbox
            label="All steps of an order, or none"
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

import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { lazy, Suspense } from "react";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Select } from "../../ui/select.tsx";
import { useKnownTitles } from "./operations.queries.ts";
import { plainMessage } from "./reasons.ts";
import { conditionText } from "./condition-tree.pick.ts";
import { onErrorOptions } from "./operations.text.ts";
import { paramPicker, paramSchema } from "./param.pick.tsx";
import type { DraftStep } from "./pipeline.ts";
import { missingOf, summaryOf } from "./pipeline.ts";
import { useRecordNames } from "./record-names.ts";
import { loadPart } from "../../ui/load-part.ts";

const ConditionForm = lazy(loadPart(async () => ({ default: (await import("./condition.pick.tsx")).ConditionForm })));

type Props = {
  at: number;
  step: DraftStep;
  action: OperationAction | undefined;
  isOpen: boolean;
  /** Field errors by pointer below the step. */
  errors: ReadonlyMap<string, string>;
  onOpen(): void;
  onChange(step: DraftStep): void;
  onMove(by: number): void;
  onDrop(): void;
  isFirst: boolean;
  isLast: boolean;
};

export function StepCard(props: Props) {
  const { at, step, action, isOpen, errors, onOpen, onChange } = props;
  const hasError = errors.size > 0;
  const missing = missingOf(step, action);
  const titleOf = useKnownTitles();
  return (
    <li
      className={cx(
        "group rounded-lg border bg-panel px-2.5 py-2",
        isOpen ? "border-accent shadow-[0_0_0_3px_var(--accent-soft)]" : hasError ? "border-bad" : "border-line",
      )}
    >
      <div className="flex items-center gap-2">
        <span className="grid size-4.5 place-items-center rounded-[5px] bg-skip-soft text-xs text-muted">{at + 1}</span>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onOpen}
          className="flex min-h-6 flex-1 items-center gap-2 text-start font-medium"
        >
          {action?.title ?? sentence(step.type)}
          {action?.effect === "external" && <Badge tone="warn">External</Badge>}
        </button>
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          {!props.isFirst && (
            <IconButton label={`Move step ${at + 1} up`} onClick={() => props.onMove(-1)}>
              <Icon name="arrow-up" size={12} />
            </IconButton>
          )}
          {!props.isLast && (
            <IconButton label={`Move step ${at + 1} down`} onClick={() => props.onMove(1)}>
              <Icon name="arrow-down" size={12} />
            </IconButton>
          )}
          <IconButton label={`Remove step ${at + 1}`} onClick={props.onDrop}>
            <Icon name="x" size={12} />
          </IconButton>
        </span>
      </div>
      {!isOpen && <Summary step={step} action={action} missing={missing} />}
      {isOpen && action && (
        <div className="mt-2 flex flex-col gap-2.5">
          <p className="text-sm text-muted">{plainMessage(action.description, titleOf)}</p>
          <div data-params>
            <SchemaForm
              schema={paramSchema(action)}
              value={step.params}
              onChange={(params) => onChange({ ...step, params })}
              errors={below(errors, "/params")}
              pickEntity={paramPicker(step.params)}
            />
          </div>
          <Suspense>
            <ConditionForm
              value={step.when}
              onChange={(when) => onChange({ ...step, when })}
              error={firstBelow(errors, "/when")}
            />
          </Suspense>
          <Select
            label="If this step fails for an order"
            value={step.on_error ?? "skip_order"}
            options={onErrorOptions}
            onChange={(value) =>
              onChange({ ...step, on_error: value === "skip_order" ? undefined : (value as "continue") })
            }
          />
          {!action.reversible && <p className="text-sm text-warn">This step cannot be undone.</p>}
        </div>
      )}
      {[...errors]
        .filter(([pointer]) => !isOpen || pointer === "" || pointer === "/type")
        .map(([pointer, message]) => (
          <p key={pointer} className="mt-1 text-sm text-bad">
            {message}
          </p>
        ))}
    </li>
  );
}

type SummaryProps = Pick<Props, "step" | "action"> & { missing: string[] };

function Summary({ step, action, missing }: SummaryProps) {
  const nameOf = useRecordNames();
  const parts = summaryOf(step, action, nameOf);
  return (
    <div className="ms-6.5 text-muted">
      {parts.map(([name, value], at) => (
        <span key={name}>
          {at > 0 && ", "}
          {name}: <span className="font-medium text-text">{value}</span>
        </span>
      ))}
      {missing.length > 0 && (
        <span className="text-warn">
          {parts.length > 0 ? ", " : ""}Missing: {missing.join(", ")}
        </span>
      )}
      {step.when && (
        <div>
          Only if <span className="font-medium text-text">{conditionText(step.when)}</span>
        </div>
      )}
      {step.on_error && (
        <div>
          If it fails:{" "}
          <span className="font-medium text-text">
            {onErrorOptions.find(({ value }) => value === step.on_error)?.label}
          </span>
        </div>
      )}
    </div>
  );
}

function below(errors: ReadonlyMap<string, string>, prefix: string): Map<string, string> {
  return new Map(
    [...errors]
      .filter(([pointer]) => pointer.startsWith(prefix))
      .map(([pointer, message]) => [pointer.slice(prefix.length), message]),
  );
}

const firstBelow = (errors: ReadonlyMap<string, string>, prefix: string): string | undefined =>
  [...below(errors, prefix).values()][0];

import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Select } from "../../ui/select.tsx";
import { pickEntity, useEntityNames } from "../pick/entity.pick.tsx";
import { ConditionForm } from "./condition.pick.tsx";
import { onErrorOptions } from "./operations.text.ts";
import type { DraftStep } from "./pipeline.ts";
import { conditionText, missingOf, schemaOf, summaryOf } from "./pipeline.ts";

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
          {action?.title ?? step.type}
          {action?.effect === "external" && <Badge tone="warn">leaves the hub</Badge>}
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
      {!isOpen && <Summary step={step} missing={missing} />}
      {isOpen && action && (
        <div className="mt-2 flex flex-col gap-2.5">
          <p className="text-sm text-muted">{action.description}</p>
          <div data-params>
            <SchemaForm
              schema={schemaOf(action)}
              value={step.params}
              onChange={(params) => onChange({ ...step, params })}
              errors={below(errors, "/params")}
              pickEntity={pickEntity}
            />
          </div>
          <ConditionForm
            value={step.when}
            onChange={(when) => onChange({ ...step, when })}
            error={firstBelow(errors, "/when")}
          />
          <Select
            label="If it fails for an order"
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

function Summary({ step, missing }: { step: DraftStep; missing: string[] }) {
  const lists = [useEntityNames("location").data, useEntityNames("bridge").data, useEntityNames("user").data];
  const names = new Map(lists.flatMap((list) => list ?? []).map(({ id, name }) => [id, name]));
  const parts = summaryOf(step, (id) => names.get(id) ?? id);
  return (
    <div className="ms-6.5 text-muted">
      {parts.map(([name, value], at) => (
        <span key={name}>
          {at > 0 && ", "}
          {name} <span className="font-medium text-text">{value}</span>
        </span>
      ))}
      {missing.length > 0 && (
        <span className="text-warn">
          {parts.length > 0 ? ", " : ""}needs {missing.join(", ").replaceAll("_", " ")}
        </span>
      )}
      {step.when && (
        <div>
          when <span className="font-medium text-text">{conditionText(step.when)}</span>
        </div>
      )}
      {step.on_error && (
        <div>
          on error{" "}
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

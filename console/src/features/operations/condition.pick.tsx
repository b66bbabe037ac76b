import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { valueText } from "../../ui/change-text.ts";
import { words } from "../../ui/format.ts";
import { conditionFieldsQuery } from "./operations.queries.ts";
import type { Condition } from "./pipeline.ts";
import { conditionText, operators } from "./pipeline.ts";

const JsonField = lazy(async () => ({ default: (await import("../../ui/schema-form/json-field.tsx")).JsonField }));

type Simple = Extract<Condition, { path: string }>;
type Props = { value: Condition | undefined; onChange(value: Condition | undefined): void; error?: string | undefined };

const valueless = new Set(["empty", "not_empty"]);
const lists = new Set(["in", "not_in", "between"]);

const isSimple = (condition: Condition): condition is Simple => "path" in condition;

/** Edits a flat all/any condition. Nested conditions are edited as JSON. */
export function ConditionForm({ value, onChange, error }: Props) {
  const join = value && "any" in value ? "any" : "all";
  const rows =
    value === undefined
      ? []
      : isSimple(value)
        ? [value]
        : "all" in value
          ? value.all
          : "any" in value
            ? value.any
            : undefined;
  if (rows === undefined || !rows.every(isSimple)) {
    return (
      <Suspense>
        <JsonField
          label="When"
          hint="A condition with parts in parts."
          error={error}
          value={value}
          onChange={(next) => onChange(next as Condition | undefined)}
        />
      </Suspense>
    );
  }
  const put = (next: Simple[], how = join): void => {
    if (next.length === 0) onChange(undefined);
    else if (next.length === 1) onChange(next[0]);
    else onChange(how === "all" ? { all: next } : { any: next });
  };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 flex w-full items-center justify-between text-sm font-medium text-muted">
        When (optional)
      </legend>
      {rows.length > 1 && (
        <Select
          label="Joined by"
          isLabelHidden
          value={join}
          options={[
            { value: "all", label: "all of these hold" },
            { value: "any", label: "any of these holds" },
          ]}
          onChange={(how) => put(rows, how === "any" ? "any" : "all")}
        />
      )}
      {rows.map((row, at) => (
        <Comparison
          key={at}
          row={row}
          onChange={(next) => put(rows.map((one, index) => (index === at ? next : one)))}
          onDrop={() => put(rows.filter((_, index) => index !== at))}
        />
      ))}
      {error && <p className="text-sm text-bad">{error}</p>}
      <div>
        <Button kind="quiet" onClick={() => put([...rows, { path: "status", op: "eq", value: "ready" }])}>
          <Icon name="plus" size={12} /> condition
        </Button>
      </div>
    </fieldset>
  );
}

function Comparison({ row, onChange, onDrop }: { row: Simple; onChange(row: Simple): void; onDrop(): void }) {
  const { data } = useQuery(conditionFieldsQuery);
  const known = (data?.data ?? []).filter(({ path, available }) => available && !path.includes("*"));
  const field = known.find(({ path }) => path === row.path);
  const options = known.map(({ path, title }) => ({ value: path, label: title }));
  const others = field ? [] : [{ value: row.path, label: words(row.path.replaceAll(".", " ")) }];
  const fitting = field ? operators.filter(({ value }) => field.operators.includes(value)) : operators;
  const shown = Array.isArray(row.value) ? row.value.join(", ") : row.value === undefined ? "" : valueText(row.value);
  return (
    <div className="grid grid-cols-[1fr_auto] gap-1 rounded-md bg-bg p-1.5">
      <Select
        label="Field"
        isLabelHidden
        value={row.path}
        options={[...others, ...options]}
        onChange={(path) => onChange({ ...row, path })}
      />
      <IconButton label="Remove this condition" onClick={onDrop}>
        <Icon name="x" size={12} />
      </IconButton>
      <Select
        label="Comparison"
        isLabelHidden
        value={row.op}
        options={fitting}
        onChange={(op) =>
          onChange(
            valueless.has(op)
              ? { path: row.path, op }
              : { ...row, op, value: lists.has(op) ? [row.value ?? ""].flat() : [row.value].flat()[0] },
          )
        }
      />
      <span />
      {!valueless.has(row.op) && field?.values && !lists.has(row.op) ? (
        <Select
          label="Value"
          isLabelHidden
          value={shown}
          options={field.values.map((one) => ({ value: one, label: words(one) }))}
          onChange={(value) => onChange({ ...row, value })}
        />
      ) : (
        !valueless.has(row.op) && (
          <TextField
            label="Value"
            isLabelHidden
            placeholder={lists.has(row.op) ? "values, with commas between" : "value"}
            value={shown}
            onChange={(text) =>
              onChange({
                ...row,
                value: lists.has(row.op)
                  ? text.split(",").map((one) => typed(one.trim(), field?.type))
                  : typed(text, field?.type),
              })
            }
          />
        )
      )}
    </div>
  );
}

/** Converts to number or boolean by the field's type; the digits of a ZIP stay text. */
function typed(text: string, type: string | undefined): unknown {
  const isOpen = type === undefined;
  if ((isOpen || type === "boolean") && (text === "true" || text === "false")) return text === "true";
  const isNumber = text !== "" && /^-?\d+(\.\d+)?$/.test(text) && !/^0\d/.test(text);
  return (isOpen || type === "number") && isNumber ? Number(text) : text;
}

/** Read-only text of a condition. */
export function ConditionText({ value }: { value: Record<string, unknown> }) {
  return conditionText(value as Condition);
}

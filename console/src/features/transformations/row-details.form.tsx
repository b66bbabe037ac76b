import { lazy, Suspense } from "react";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { valueText } from "../../ui/change-text.ts";
import { Fold } from "../../ui/fold.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Mapping, Row } from "./mapping.ts";
import { kindOf, readConstant, showConstant, unknownOf, withField } from "./mapping.ts";
import { TransformsForm, transformText } from "./transforms.form.tsx";
import { transformsQuery } from "./transformations.queries.ts";
import { loadPart } from "../../ui/load-part.ts";

const JsonField = lazy(
  loadPart(async () => ({ default: (await import("../../ui/schema-form/json-field.tsx")).JsonField })),
);

const types = ["string", "number", "integer", "boolean", "date", "datetime", "array", "object", "any"];
const onErrors = [
  { value: "", label: "Reject the record (default)" },
  { value: "skip", label: "Skip the row" },
  { value: "default", label: "Use the default" },
  { value: "null", label: "Leave the field empty" },
];

/** Options of a row in words. */
export function summaryOf(mapping: Mapping): string[] {
  const { type, transforms, required, default: fallback, when, onError, note } = mapping;
  const steps = Array.isArray(transforms) ? transforms.map(transformText) : [];
  return [
    ...steps,
    ...(typeof type === "string" ? [`as ${type}`] : []),
    ...(required === true ? ["required"] : []),
    ...(fallback === undefined ? [] : [`else ${valueText(fallback)}`]),
    ...(when === undefined ? [] : ["with a condition"]),
    ...(typeof onError === "string" ? [`on error: ${onError}`] : []),
    ...Object.keys(unknownOf(mapping)),
    ...(typeof note === "string" ? [`“${note}”`] : []),
  ];
}

type Props = {
  row: Row;
  name: string;
  onChange(row: Row): void;
  onMove: { up: false | (() => void); down: false | (() => void) };
};

export function RowDetails({ row, name: label, onChange, onMove }: Props) {
  const { mapping } = row;
  const { data: catalog } = useQuery(transformsQuery);
  const set = (name: string, value: unknown): void => onChange(withField(row, name, value));
  const unknown = unknownOf(mapping);
  const text = (name: string): string => (typeof mapping[name] === "string" ? mapping[name] : "");
  return (
    <div className="mt-1.5 flex flex-col gap-2.5 border-t border-line px-1 pt-2">
      <TransformsForm catalog={catalog} value={mapping["transforms"]} onChange={(next) => set("transforms", next)} />
      <div className="grid gap-2.5 sm:grid-cols-2">
        {kindOf(row) !== "each" && (
          <Select
            label="Convert to (optional)"
            value={text("type")}
            options={[{ value: "", label: "No conversion" }, ...types.map((value) => ({ value, label: value }))]}
            onChange={(next) => set("type", next || undefined)}
          />
        )}
        <TextField
          label="Default if missing (optional)"
          hint='Put quotes around a number that is text: "5".'
          value={showConstant(mapping["default"])}
          onChange={(next) => set("default", next === "" ? undefined : readConstant(next))}
        />
        <Select
          label="If the value cannot be mapped"
          value={text("onError") === "fail" ? "" : text("onError")}
          options={onErrors}
          onChange={(next) => set("onError", next || undefined)}
        />
        <TextField label="Note (optional)" value={text("note")} onChange={(next) => set("note", next || undefined)} />
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        <Button
          aria-label={`${label}: move up`}
          disabledReason={!onMove.up && "This is the first row."}
          onClick={() => onMove.up && onMove.up()}
        >
          <Icon name="arrow-up" size={12} /> Up
        </Button>
        <Button
          aria-label={`${label}: move down`}
          disabledReason={!onMove.down && "This is the last row."}
          onClick={() => onMove.down && onMove.down()}
        >
          <Icon name="arrow-down" size={12} /> Down
        </Button>
        <span className="text-sm text-faint">If two rows fill the same field, the later row wins.</span>
      </div>
      <Switch
        label="Reject the record if the value is missing"
        isOn={mapping["required"] === true}
        onChange={(isOn) => set("required", isOn || undefined)}
      />
      <Suspense>
        <Fold title="Condition" isOpenAtFirst={mapping["when"] !== undefined}>
          <JsonField
            label="Condition"
            hint='Such as {"path": "country", "op": "eq", "value": "US"}.'
            error={undefined}
            value={mapping["when"]}
            onChange={(next) => set("when", next)}
          />
        </Fold>
        {Object.entries(unknown).map(([name, value]) => (
          <JsonField
            key={name}
            label={name}
            hint="The form has no field for this option; edit it as JSON."
            error={undefined}
            value={value}
            onChange={(next) => set(name, next)}
          />
        ))}
      </Suspense>
    </div>
  );
}

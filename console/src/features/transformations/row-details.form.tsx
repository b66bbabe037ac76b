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

const JsonField = lazy(async () => ({ default: (await import("../../ui/schema-form/json-field.tsx")).JsonField }));

const types = ["string", "number", "integer", "boolean", "date", "datetime", "array", "object", "any"];
const onErrors = [
  { value: "", label: "the record fails (default)" },
  { value: "skip", label: "the row is skipped" },
  { value: "default", label: "the default is taken" },
  { value: "null", label: "it is empty" },
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
    ...(when === undefined ? [] : ["only under a condition"]),
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
            label="Turned into (optional)"
            value={text("type")}
            options={[{ value: "", label: "what it is" }, ...types.map((value) => ({ value, label: value }))]}
            onChange={(next) => set("type", next || undefined)}
          />
        )}
        <TextField
          label="If it is missing (optional)"
          hint='A constant; in quotes it is a text: "5".'
          value={showConstant(mapping["default"])}
          onChange={(next) => set("default", next === "" ? undefined : readConstant(next))}
        />
        <Select
          label="If it cannot be mapped"
          value={text("onError") === "fail" ? "" : text("onError")}
          options={onErrors}
          onChange={(next) => set("onError", next || undefined)}
        />
        <TextField label="Note (optional)" value={text("note")} onChange={(next) => set("note", next || undefined)} />
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        <Button
          aria-label={`${label}: move up`}
          disabledReason={!onMove.up && "It is the first."}
          onClick={() => onMove.up && onMove.up()}
        >
          <Icon name="arrow-up" size={12} /> Up
        </Button>
        <Button
          aria-label={`${label}: move down`}
          disabledReason={!onMove.down && "It is the last."}
          onClick={() => onMove.down && onMove.down()}
        >
          <Icon name="arrow-down" size={12} /> Down
        </Button>
        <span className="text-sm text-faint">
          What is written later takes the place of what was written there before.
        </span>
      </div>
      <Switch
        label="A missing value is an error"
        isOn={mapping["required"] === true}
        onChange={(isOn) => set("required", isOn || undefined)}
      />
      <Suspense>
        <Fold title="Only under a condition" isOpenAtFirst={mapping["when"] !== undefined}>
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
            hint="No field is drawn for it; it is kept as it stands here."
            error={undefined}
            value={value}
            onChange={(next) => set(name, next)}
          />
        ))}
      </Suspense>
    </div>
  );
}

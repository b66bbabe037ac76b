import { useMemo } from "react";
import { words } from "../../ui/format.ts";
import { SearchSelect } from "../../ui/search-select.tsx";
import { inputClass } from "../../ui/text-field.tsx";
import { cx } from "../../ui/class-names.ts";
import type { TargetField } from "./target-check.ts";

type Props = {
  label: string;
  value: string;
  /** Known fields; empty: the format is unknown, and any path can be typed. */
  fields: readonly TargetField[];
  /** Path of the list whose elements are filled: "lines[]." */
  around: string;
  isReadOnly: boolean;
  onChange(target: string): void;
};

/** The field that a row fills, chosen from the known ones. */
export function TargetPick({ label, value, fields, around, isReadOnly, onChange }: Props) {
  const options = useMemo(
    () =>
      fieldsAt(fields, around).map((field) => ({
        value: field.path.slice(around.length),
        label: targetName(field.path.slice(around.length)),
        note: field.required ? `${field.type}, required` : field.type,
      })),
    [fields, around],
  );
  if (options.length === 0 || isReadOnly) {
    return (
      <input
        aria-label={label}
        value={value}
        readOnly={isReadOnly}
        placeholder="Target field"
        onChange={(event) => onChange(event.target.value)}
        className={cx(inputClass, "font-mono text-sm")}
      />
    );
  }
  return (
    <SearchSelect
      label={label}
      value={value}
      options={options}
      placeholder="Choose a field"
      optionFor={(typed) => ({ value: typed, label: typed })}
      onChange={onChange}
    />
  );
}

/** Fields of one level: those of the record, or of the elements of a list. */
function fieldsAt(fields: readonly TargetField[], around: string): TargetField[] {
  return fields.filter(
    ({ path, type, isOpen }) =>
      path.startsWith(around) && !path.slice(around.length).includes("[]") && (type !== "object" || isOpen),
  );
}

/** "Shipping address: ZIP" for shippingAddress.zip. */
function targetName(path: string): string {
  const text = path
    .split(".")
    .map(words)
    .join(": ")
    .replaceAll(/\b(sku|id|zip|url|hs|po)\b/g, (short) => short.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "text, such as 12207, required": what the chosen field takes. */
export function targetHint(field: TargetField | undefined): string | undefined {
  if (!field || field.type === "object") return undefined;
  const { type, example, values, required } = field;
  const known = values && values.length <= 8 ? `one of ${values.join(", ")}` : undefined;
  const such = known ?? (example === null ? undefined : `such as ${String(example)}`);
  return [type, such, required ? "required" : undefined].filter(Boolean).join(", ");
}

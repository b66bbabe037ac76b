import { words } from "../../ui/format.ts";
import { InstantField } from "../../ui/instant-field.tsx";
import { SearchSelect } from "../../ui/search-select.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { TokenField } from "../../ui/token-field.tsx";
import type { Field, Fields } from "./condition-subjects.ts";
import { findField, subjectFor, subjectKey, subjectsOf } from "./condition-subjects.ts";
import type { Condition, Leaf } from "./condition-tree.pick.ts";

const valueless = new Set(["empty", "not_empty"]);
const listed = new Set(["in", "not_in"]);
const constantOnly = new Set(["matches", "in_set", "not_in_set"]);

/** The value after a change of the operator: a list, two values, one or none. */
export function valueFor(op: string, value: unknown): { value?: unknown } {
  if (valueless.has(op)) return {};
  const all = [value ?? ""].flat();
  if (listed.has(op)) return { value: all.filter((one) => one !== "") };
  return { value: op === "between" ? [all[0] ?? "", all[1] ?? ""] : (all[0] ?? "") };
}

type Type = Field["type"] | undefined;
type Props = {
  leaf: Extract<Leaf, { op: string }>;
  type: Type;
  choices: readonly string[] | undefined;
  fields: Fields;
  onChange(value: Condition): void;
};

export function ConditionValue({ leaf, type, choices, fields, onChange }: Props) {
  const { op, value } = leaf;
  const put = (next: unknown): void => onChange({ ...leaf, value: next });
  if (valueless.has(op)) return null;
  if (listed.has(op) && !isOperand(value)) {
    const tokens = [value ?? []].flat().map(String);
    return <TokenField label="Values" tokens={tokens} onChange={(next) => put(next.map((one) => typed(one, type)))} />;
  }
  const shared = { type, choices, fields, op };
  if (op !== "between") return <Operand {...shared} label="Value" value={value} onChange={put} />;
  const [from, to] = [value ?? ""].flat();
  return (
    <div className="flex flex-col gap-1">
      <Operand {...shared} label="From" value={from} onChange={(next) => put([next, to ?? ""])} />
      <Operand {...shared} label="To" value={to ?? ""} onChange={(next) => put([from, next])} />
    </div>
  );
}

type Kind = "constant" | "field" | "now";
const kindOf = (value: unknown): Kind => (isOperand(value) ? ("now" in value ? "now" : "field") : "constant");

type FieldOperand = { path: string; times?: number; plus?: number | string };
type NowOperand = { now: string };
const isOperand = (value: unknown): value is FieldOperand | NowOperand =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type OperandProps = Omit<Props, "leaf" | "onChange"> & {
  label: string;
  op: string;
  value: unknown;
  onChange(value: unknown): void;
};

/** A constant, another field, or a moment relative to now. */
function Operand(props: OperandProps) {
  const { label, op, value, type, choices, onChange } = props;
  const kind = kindOf(value);
  const kinds = [
    { value: "constant", label: "Value" },
    ...(constantOnly.has(op) ? [] : [{ value: "field", label: "Another field" }]),
    ...(type === "date" ? [{ value: "now", label: "Relative to now" }] : []),
  ];
  const start: Record<Kind, unknown> = { constant: "", field: { path: "" }, now: { now: "0 days" } };
  return (
    <div className="flex flex-col gap-1">
      {kinds.length > 1 && (
        <Select
          label={`${label}: kind`}
          isLabelHidden
          value={kind}
          options={kinds}
          onChange={(next) => onChange(start[next as Kind])}
        />
      )}
      {kind === "field" && <FieldValue {...props} value={value as FieldOperand} />}
      {kind === "now" && <NowValue label={label} value={value as NowOperand} onChange={onChange} />}
      {kind === "constant" && choices && (
        <Select
          label={label}
          isLabelHidden
          value={constantText(value)}
          options={choices.map((one) => ({ value: one, label: words(one) }))}
          onChange={onChange}
        />
      )}
      {kind === "constant" && !choices && type === "boolean" && (
        <Select
          label={label}
          isLabelHidden
          value={constantText(value)}
          options={[
            { value: "true", label: "Yes" },
            { value: "false", label: "No" },
          ]}
          onChange={(next) => onChange(next === "true")}
        />
      )}
      {kind === "constant" && !choices && type === "date" && (
        <InstantField label={label} isLabelHidden kind="either" value={constantText(value)} onChange={onChange} />
      )}
      {kind === "constant" && !choices && type !== "boolean" && type !== "date" && (
        <TextField
          label={label}
          isLabelHidden
          placeholder={placeholderOf(type, op)}
          value={constantText(value)}
          onChange={(text) => onChange(typed(text, type))}
        />
      )}
    </div>
  );
}

const constantText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";

function placeholderOf(type: Type, op: string): string {
  if (op === "matches") return "Pattern, such as ^PO BOX";
  if (op.endsWith("in_set")) return "Name of the value list";
  return type === "number" ? "Number" : "Value";
}

function FieldValue({ label, value, fields, onChange }: OperandProps & { value: FieldOperand }) {
  const type = findField(fields, value.path)?.type;
  const set = (change: { times?: number | undefined; plus?: number | string | undefined }): void => {
    const next = Object.entries({ ...value, ...change }).filter(([, one]) => one !== undefined && one !== "");
    onChange(Object.fromEntries([["path", value.path], ...next]));
  };
  return (
    <>
      <SearchSelect
        label={`${label}: field`}
        placeholder="Choose a field"
        value={value.path ? subjectKey("path", value.path) : ""}
        options={subjectsOf(fields).filter((option) => option.value.startsWith("path:"))}
        optionFor={(typedPath) => subjectFor(typedPath.includes(":") ? typedPath : `path:${typedPath}`)}
        onChange={(key) => onChange({ path: key.slice("path:".length) })}
      />
      {type === "number" && (
        <div className="grid grid-cols-2 gap-1">
          <TextField
            label="Times (optional)"
            type="number"
            step="any"
            value={value.times === undefined ? "" : String(value.times)}
            onChange={(text) => set({ times: text === "" ? undefined : Number(text) })}
          />
          <TextField
            label="Plus (optional)"
            type="number"
            step="any"
            value={value.plus === undefined ? "" : String(value.plus)}
            onChange={(text) => set({ plus: text === "" ? undefined : Number(text) })}
          />
        </div>
      )}
      {type === "date" && (
        <Span
          label="Moved by"
          value={typeof value.plus === "string" ? value.plus : "0 days"}
          onChange={(plus) => set({ plus: plus.startsWith("0 ") ? undefined : plus })}
        />
      )}
    </>
  );
}

function NowValue({ label, value, onChange }: { label: string; value: NowOperand; onChange(value: NowOperand): void }) {
  return <Span label={label} value={value.now} onChange={(now) => onChange({ now })} />;
}

const units = ["minutes", "hours", "days", "weeks", "working days"];

/** "-2 working days" as a number, a unit and a direction. */
function Span({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  const [, sign = "", count = "0", unit = "days"] = /^(-?)(\d+) (.+)$/.exec(value) ?? [];
  const plain = units.find((one) => one === unit || one === `${unit}s`) ?? unit;
  const write = (next: { sign?: string; count?: string; unit?: string }): void => {
    const parts = { sign, count, unit: plain, ...next };
    onChange(`${parts.count === "0" ? "" : parts.sign}${parts.count} ${parts.unit}`);
  };
  return (
    <div className="grid grid-cols-[3.5rem_minmax(0,1fr)_minmax(0,1fr)] gap-1">
      <TextField
        label={`${label}: amount`}
        isLabelHidden
        type="number"
        min={0}
        step={1}
        value={count}
        onChange={(text) => write({ count: String(Math.max(0, Math.trunc(Number(text) || 0))) })}
      />
      <Select
        label={`${label}: unit`}
        isLabelHidden
        value={plain}
        options={units.map((one) => ({ value: one, label: one }))}
        onChange={(next) => write({ unit: next })}
      />
      <Select
        label={`${label}: direction`}
        isLabelHidden
        value={sign === "-" ? "-" : "+"}
        options={[
          { value: "-", label: "before" },
          { value: "+", label: "after" },
        ]}
        onChange={(next) => write({ sign: next === "-" ? "-" : "", ...(count === "0" ? { count: "1" } : {}) })}
      />
    </div>
  );
}

/** Converts to number or boolean by the field's type; the digits of a ZIP stay text. */
function typed(text: string, type: Type): unknown {
  const isOpen = type === undefined;
  if ((isOpen || type === "boolean") && (text === "true" || text === "false")) return text === "true";
  const isNumber = text !== "" && /^-?\d+(\.\d+)?$/.test(text) && !/^0\d/.test(text);
  return (isOpen || type === "number") && isNumber ? Number(text) : text;
}

import { useQuery } from "@tanstack/react-query";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { SearchSelect } from "../../ui/search-select.tsx";
import { Select } from "../../ui/select.tsx";
import type { Fields } from "./condition-subjects.ts";
import { fieldsWithin, findField, newLeaf, subjectFor, subjectKey, subjectsOf } from "./condition-subjects.ts";
import type { Condition, Join, Leaf } from "./condition-tree.pick.ts";
import {
  allOperators,
  conditionText,
  fromGroup,
  groupOf,
  isMomentValue,
  opText,
  sideOf,
  subjectTitle,
  whereOf,
} from "./condition-tree.pick.ts";
import { ConditionValue, valueFor } from "./condition-value.tsx";
import { conditionFieldsQuery } from "./operations.queries.ts";

type Props = { value: Condition | undefined; onChange(value: Condition | undefined): void; error?: string | undefined };

const noFields: Fields = { data: [], lists: [] };

/** Edits every form of a condition. */
export function ConditionForm({ value, onChange, error }: Props) {
  const { data: fields = noFields } = useQuery(conditionFieldsQuery);
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium text-muted">Only if (optional)</legend>
      <GroupEditor value={value} fields={fields} onChange={onChange} />
      {error && <p className="text-sm text-bad">{error}</p>}
    </fieldset>
  );
}

const joins = [
  { value: "all", label: "All of these are met" },
  { value: "any", label: "Any of these is met" },
  { value: "none", label: "None of these is met" },
];

type EditorProps = {
  value: Condition | undefined;
  fields: Fields;
  onChange(value: Condition | undefined): void;
};

function GroupEditor({ value, fields, onChange }: EditorProps) {
  const { join, parts } = (value && groupOf(value)) ?? { join: "all" as Join, parts: value ? [value] : [] };
  const put = (next: Condition[], how: Join = join): void => onChange(fromGroup({ join: how, parts: next }));
  const first = subjectsOf(fields).find(({ value: key }) => key === "path:status") ?? subjectsOf(fields)[0];
  const added = (): Condition => newLeaf(first?.value ?? "path:status", fields);
  return (
    <div className="flex flex-col gap-1.5">
      {(parts.length > 1 || join === "none") && (
        <Select
          label="Joined by"
          isLabelHidden
          value={join}
          options={joins}
          onChange={(how) => put(parts, how as Join)}
        />
      )}
      {parts.map((part, at) => {
        const replace = (next: Condition | undefined): void =>
          put(parts.flatMap((one, index) => (index === at ? (next ?? []) : one)));
        return (
          <div key={at} className="rounded-md bg-bg p-1.5">
            {groupOf(part) ? (
              <div className="flex items-start gap-1">
                <div className="min-w-0 flex-1">
                  <GroupEditor value={part} fields={fields} onChange={replace} />
                </div>
                <DropButton label="Remove this group" onDrop={() => replace(undefined)} />
              </div>
            ) : (
              <LeafEditor leaf={part as Leaf} fields={fields} onChange={replace} />
            )}
          </div>
        );
      })}
      <div className="flex flex-wrap gap-1">
        <Button kind="quiet" onClick={() => put([...parts, added()])}>
          <Icon name="plus" size={12} /> Add condition
        </Button>
        {parts.length > 0 && (
          <Button kind="quiet" onClick={() => put([...parts, { any: [added(), added()] }])}>
            <Icon name="plus" size={12} /> Add group
          </Button>
        )}
        {parts.length === 1 && join !== "none" && (
          <Button kind="quiet" onClick={() => put(parts, "none")}>
            Negate
          </Button>
        )}
      </div>
    </div>
  );
}

function DropButton({ label, onDrop }: { label: string; onDrop(): void }) {
  return (
    <IconButton label={label} onClick={onDrop}>
      <Icon name="x" size={12} />
    </IconButton>
  );
}

type LeafProps = { leaf: Leaf; fields: Fields; onChange(value: Condition | undefined): void };

function LeafEditor({ leaf, fields, onChange }: LeafProps) {
  const { side, path } = sideOf(leaf);
  const isOver = side !== "path";
  const where = whereOf(leaf);
  const inner = isOver ? fieldsWithin(fields, side === "sum" ? listOfSum(fields, path) : path) : noFields;
  const mayChoose = side === "count" || side === "sum";
  const putWhere = (next: Condition | undefined): void => {
    if (next !== undefined) onChange({ ...leaf, where: next });
    else if (mayChoose) {
      const { where: _where, ...rest } = leaf as Leaf & { where?: Condition };
      onChange(rest as Leaf);
    } else onChange(undefined);
  };
  return (
    <div className="flex flex-col gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-1">
        <SearchSelect
          label="Field"
          placeholder="Choose a field"
          value={subjectKey(side, path)}
          options={subjectsOf(fields)}
          optionFor={(typed) =>
            typed.includes(":") ? subjectFor(typed) : { ...subjectFor(`path:${typed}`), note: "Custom field" }
          }
          // Another field has other operators and values.
          onChange={(key) => onChange(newLeaf(key, fields))}
        />
        <DropButton label="Remove this condition" onDrop={() => onChange(undefined)} />
      </div>
      {"op" in leaf && <ComparisonEditor leaf={leaf} fields={fields} onChange={onChange} />}
      {isOver && (where !== undefined || mayChoose) && inner.data.length > 0 && (
        <div className="ms-2 border-s border-line ps-2">
          <span className="text-sm text-muted">
            {mayChoose ? `Only those that meet` : `${subjectTitle(side, path)} must meet`}
          </span>
          <GroupEditor value={where} fields={inner} onChange={putWhere} />
        </div>
      )}
    </div>
  );
}

/** The list that holds the number: the longest one that the path begins with. */
const listOfSum = ({ lists }: Fields, path: string): string =>
  lists.filter((list) => path.startsWith(`${list}.`)).toSorted((one, other) => other.length - one.length)[0] ?? "";

type ComparisonProps = {
  leaf: Extract<Leaf, { op: string }>;
  fields: Fields;
  onChange(value: Condition): void;
};

const countOperators = ["eq", "ne", "gt", "gte", "lt", "lte", "between"];

function ComparisonEditor({ leaf, fields, onChange }: ComparisonProps) {
  const field = "path" in leaf ? findField(fields, leaf.path) : undefined;
  const type = "path" in leaf ? field?.type : "number";
  const fitting = "path" in leaf ? (field?.operators ?? allOperators) : countOperators;
  const operators = fitting.includes(leaf.op) ? fitting : [leaf.op, ...fitting];
  const isMoment = type === "date" || isMomentValue(leaf.value);
  return (
    <>
      <Select
        label="Comparison"
        isLabelHidden
        value={leaf.op}
        options={operators.map((op) => ({ value: op, label: opText(op, isMoment) }))}
        onChange={(op) => {
          const { value: _value, ...rest } = leaf;
          onChange({ ...rest, op, ...valueFor(op, leaf.value) });
        }}
      />
      <ConditionValue
        leaf={leaf}
        type={type}
        choices={field?.values ?? undefined}
        fields={fields}
        onChange={onChange}
      />
    </>
  );
}

/** Read-only text of a condition. */
export function ConditionText({ value }: { value: Record<string, unknown> }) {
  return conditionText(value as Condition);
}

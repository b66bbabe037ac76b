import type { TransformationTest } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { valueText } from "../../ui/change-text.ts";
import { cx } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { inputClass } from "../../ui/text-field.tsx";
import type { Row, RowKind } from "./mapping.ts";
import { kindOf, readConstant, rowOf, showConstant, toMapping, withField, withKind } from "./mapping.ts";
import type { TargetField, WrongTarget } from "./target-check.ts";
import { TargetPick, targetHint } from "./target-field.tsx";
import { RowDetails, summaryOf } from "./row-details.form.tsx";

/** Test results by the pointer of the row. */
export type RowResults = {
  errors: Map<string, TransformationTest["errors"]>;
  warnings: Map<string, TransformationTest["warnings"]>;
  trace: Map<string, TransformationTest["trace"]>;
  /** Rows with an invalid target. */
  targets: ReadonlyMap<string, WrongTarget>;
};

type Props = {
  rows: readonly Row[];
  onChange(rows: Row[]): void;
  results: RowResults;
  /** Fields that rows can fill; empty: the format is unknown. */
  fields: readonly TargetField[];
  /** Pointer of the surrounding rows: "" or "/mappings/3". */
  pointer?: string;
  /** Path of the list that the rows fill: "" or "lines[]." */
  around?: string;
  isReadOnly: boolean;
};

export function MappingRows({ rows, onChange, results, fields, pointer = "", around = "", isReadOnly }: Props) {
  const put = (at: number, row: Row): void => onChange(rows.map((one, index) => (index === at ? row : one)));
  const move = (at: number, by: number): void => {
    const next = [...rows];
    const [row] = next.splice(at, 1);
    next.splice(at + by, 0, row!);
    onChange(next);
  };
  return (
    <div className="flex flex-col gap-1">
      <ol className="flex flex-col gap-1">
        {rows.map((row, at) => (
          <MappingRow
            key={row.key}
            row={row}
            name={`${pointer === "" ? "Row" : "Inner row"} ${at + 1}`}
            pointer={`${pointer}/mappings/${at}`}
            results={results}
            fields={fields}
            around={around}
            isReadOnly={isReadOnly}
            isInner={pointer !== ""}
            onChange={(next) => put(at, next)}
            onMove={{ up: at > 0 && (() => move(at, -1)), down: at < rows.length - 1 && (() => move(at, 1)) }}
            onDrop={() => onChange(rows.filter((_, index) => index !== at))}
          />
        ))}
      </ol>
      {!isReadOnly && (
        <div>
          <Button
            kind="quiet"
            onClick={() => onChange([...rows, rowOf({ source: pointer === "" ? "$." : "@.", target: "" })])}
          >
            <Icon name="plus" size={12} /> {pointer === "" ? "Add row" : "Add row to the list"}
          </Button>
        </div>
      )}
    </div>
  );
}

const kindNames: Record<RowKind, string> = { source: "Field", value: "Constant", template: "Text", each: "List" };

type RowProps = {
  row: Row;
  name: string;
  pointer: string;
  results: RowResults;
  fields: readonly TargetField[];
  around: string;
  isReadOnly: boolean;
  isInner: boolean;
  onChange(row: Row): void;
  onMove: { up: false | (() => void); down: false | (() => void) };
  onDrop(): void;
};

function MappingRow(props: RowProps) {
  const { row, name, pointer, results, fields, around, isReadOnly, onChange, onMove, onDrop } = props;
  const [isOpen, setOpen] = useState(false);
  const kind = kindOf(row);
  // Error pointers name fields below the row.
  const errors = [...results.errors].filter(([at]) => at === pointer || isField(at, pointer)).flatMap(([, all]) => all);
  const wrong = results.targets.get(pointer);
  const tools = (
    <span className="flex shrink-0 items-center">
      {kind && !isReadOnly && (
        <IconButton label={`${name}: details`} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? "chevron-down" : "gear"} size={13} />
        </IconButton>
      )}
      {!isReadOnly && (
        <IconButton label={`${name}: remove`} onClick={onDrop}>
          <Icon name="x" size={13} />
        </IconButton>
      )}
    </span>
  );
  return (
    <li className={cx("rounded-lg border bg-panel p-1", errors.length > 0 || wrong ? "border-bad" : "border-line")}>
      <div className="flex items-center gap-1.5">
        {kind ? (
          <Fields {...props} kind={kind} />
        ) : (
          <div className="min-w-0 flex-1">
            <p className="mb-1 px-1 text-sm text-muted">
              This row has options that the form does not show. Edit it as JSON.
            </p>
            <JsonView label={name} value={toMapping(row)} />
          </div>
        )}
        {tools}
      </div>
      {kind && !isOpen && <Summary row={row} />}
      <Trace
        pointer={pointer}
        results={results}
        onTake={(source) => onChange(withField(row, kind ?? "source", source))}
        isReadOnly={isReadOnly}
      />
      {wrong && (
        <p className="flex flex-wrap items-center gap-x-2 px-1 text-sm text-bad">
          {wrong.nearest ? `${wrong.message} Did you mean ${wrong.nearest}?` : wrong.message}
          {wrong.nearest && !isReadOnly && (
            <TakeButton onTake={() => onChange(withField(row, "target", wrong.nearest))}>{wrong.nearest}</TakeButton>
          )}
        </p>
      )}
      {errors.map((error) => (
        <p key={`${error.path} ${error.code} ${error.item ?? ""}`} className="px-1 text-sm text-bad">
          {fieldOf(error.path, pointer)}
          {error.message}
          {error.suggestion && ` ${adviceText(error.suggestion)}`}
        </p>
      ))}
      {kind && isOpen && <RowDetails row={row} name={name} onChange={onChange} onMove={onMove} />}
      {row.inner && kind === "each" && (
        <div className="mt-1 ms-3 border-s border-line ps-2">
          <MappingRows
            rows={row.inner}
            onChange={(inner) => onChange({ ...row, inner })}
            results={results}
            fields={fields}
            pointer={pointer}
            around={`${around}${textAt(row, "target")}[].`}
            isReadOnly={isReadOnly}
          />
        </div>
      )}
    </li>
  );
}

/** Prefix for an error below the row: "onError: …". */
function fieldOf(path: string, pointer: string): string {
  const below = path.slice(pointer.length + 1).replaceAll("/", " ");
  return below && path.startsWith(`${pointer}/`) ? `${below}: ` : "";
}

/** A suggestion is a name that was probably meant, or a sentence. */
const adviceText = (suggestion: string): string =>
  suggestion.includes(" ")
    ? `${suggestion.charAt(0).toUpperCase()}${suggestion.slice(1)}.`
    : `Did you mean ${suggestion}?`;

const isField = (at: string, pointer: string): boolean =>
  at.startsWith(`${pointer}/`) && !at.startsWith(`${pointer}/mappings/`);

const textAt = ({ mapping }: Row, name: string): string => {
  const text = mapping[name];
  return typeof text === "string" ? text : "";
};

type FieldsProps = Pick<RowProps, "row" | "name" | "fields" | "around" | "isReadOnly" | "isInner" | "onChange"> & {
  kind: RowKind;
};

function Fields({ row, kind, name, fields, around, isReadOnly, isInner, onChange }: FieldsProps) {
  const target = textAt(row, "target");
  const hint = targetHint(fields.find(({ path }) => path === around + target));
  const text = kind === "value" ? showConstant(row.mapping["value"]) : String(row.mapping[kind]);
  return (
    <div className="grid min-w-0 flex-1 grid-cols-[68px_minmax(0,1fr)_auto_minmax(0,1fr)] items-center gap-1.5 max-sm:grid-cols-[68px_minmax(0,1fr)]">
      <select
        aria-label={`${name}: from`}
        value={kind}
        disabled={isReadOnly}
        onChange={(event) => onChange(withKind(row, event.target.value as RowKind))}
        className="h-7 rounded-md border border-transparent bg-transparent text-sm text-muted hover:border-line-strong"
      >
        {Object.entries(kindNames).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <input
        aria-label={`${name}: source`}
        value={text}
        readOnly={isReadOnly}
        list={kind === "source" || kind === "each" ? (isInner ? "element-paths" : "source-paths") : undefined}
        placeholder={kind === "template" ? "{{first}} {{last}}" : kind === "value" ? "USD" : "$.field"}
        onChange={(event) =>
          onChange(withField(row, kind, kind === "value" ? readConstant(event.target.value) : event.target.value))
        }
        className={cx(inputClass, "font-mono text-sm")}
      />
      <span aria-hidden className="text-faint max-sm:text-end">
        →
      </span>
      <TargetPick
        label={`${name}: target`}
        value={target}
        fields={fields}
        around={around}
        isReadOnly={isReadOnly}
        onChange={(next) => onChange(withField(row, "target", next))}
      />
      {hint && <p className="col-start-4 px-1 text-sm text-faint max-sm:col-start-2">{hint}</p>}
    </div>
  );
}

/** Applies a suggestion. */
function TakeButton({ onTake, children }: { onTake(): void; children: string }) {
  return (
    <button type="button" onClick={onTake} className="min-h-6 font-medium text-accent-text underline">
      Use {children}
    </button>
  );
}

function Summary({ row }: { row: Row }) {
  const parts = summaryOf(row.mapping);
  if (parts.length === 0) return null;
  return <p className="px-1 text-sm text-muted">{parts.join(", ")}</p>;
}

const maxTraced = 3;

/** Test result of a row: input, output and suggestion. */
function Trace({
  pointer,
  results,
  onTake,
  isReadOnly,
}: {
  pointer: string;
  results: RowResults;
  onTake(source: string): void;
  isReadOnly: boolean;
}) {
  const traced = (results.trace.get(pointer) ?? []).filter(({ status }) => status !== "error");
  const warnings = results.warnings.get(pointer) ?? [];
  return (
    <>
      {traced.slice(0, maxTraced).map((entry, at) => (
        <p key={at} className="truncate px-1 text-sm text-faint tabular-nums">
          {entry.status === "skipped" ? (
            "Skipped"
          ) : (
            <>
              {sameText(entry.from, entry.to) ? (
                <span className="text-text">{valueText(entry.to)}</span>
              ) : (
                <>
                  {valueText(entry.from)} <span aria-hidden>→</span>{" "}
                  <span className="text-text">{valueText(entry.to)}</span>
                </>
              )}
              {entry.status === "defaulted" && " (default)"}
            </>
          )}
        </p>
      ))}
      {warnings.slice(0, maxTraced).map((warning) => (
        <p key={warning.code} className="flex flex-wrap items-center gap-x-2 px-1 text-sm text-warn">
          {warning.message}
          {warning.suggestion && !isReadOnly && (
            <TakeButton onTake={() => onTake(warning.suggestion!)}>{warning.suggestion}</TakeButton>
          )}
        </p>
      ))}
    </>
  );
}

const sameText = (a: unknown, b: unknown): boolean => valueText(a) === valueText(b);

import { useState } from "react";
import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { plural } from "../../ui/format.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { inputClass } from "../../ui/text-field.tsx";
import type { ColumnMapping, ImportAnswer } from "./order-import.page.tsx";
import { importFields } from "./order-import.text.ts";

/** What each column of the file is taken for. Another answer looks at the file again. */
export function ImportColumns({
  answer,
  mapping,
  onChange,
}: {
  answer: ImportAnswer;
  mapping: ColumnMapping;
  onChange(mapping: ColumnMapping): void;
}) {
  const unread = answer.columns.filter(({ field }) => field === null).length;
  return (
    <section aria-label="Columns">
      <Heading
        title="Columns"
        note={unread === 0 ? `all ${answer.columns.length} are read` : `${plural(unread, "column")} not read`}
      />
      <datalist id="order-fields">
        {importFields.map((field) => (
          <option key={field} value={field}>
            {field}
          </option>
        ))}
      </datalist>
      <Card>
        <Table label="Columns">
          <thead>
            <tr>
              <Th>Column of the file</Th>
              <Th>Is the order&apos;s</Th>
              <Th>What is said of it</Th>
            </tr>
          </thead>
          <tbody>
            {answer.columns.map(({ column, field }, at) => (
              <tr key={`${column} ${at}`}>
                <Td className="font-medium">{column || <span className="text-muted">(no name)</span>}</Td>
                <Td className="w-72 min-w-40">
                  <FieldInput
                    key={field}
                    column={column}
                    field={field}
                    onChange={(next) => onChange({ ...mapping, [column]: next === "" ? null : next })}
                  />
                </Td>
                <Td className="text-muted">
                  {answer.warnings.find((warning) => warning.column === column)?.message ?? "–"}
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      </Card>
    </section>
  );
}

/** Handed on when it is left, not with every letter. */
function FieldInput({
  column,
  field,
  onChange,
}: {
  column: string;
  field: string | null;
  onChange(field: string): void;
}) {
  const [typed, setTyped] = useState(field ?? "");
  const leave = (): void => {
    if (typed.trim() !== (field ?? "")) onChange(typed.trim());
  };
  return (
    <input
      aria-label={`Field of ${column}`}
      list="order-fields"
      placeholder="left out"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={leave}
      onKeyDown={(event) => event.key === "Enter" && leave()}
      className={cx(inputClass, "my-0.5 h-6")}
    />
  );
}

const maxShown = 100;

/** What is wrong, by the row as a spreadsheet counts it. */
export function ImportErrors({ answer: { errors, summary } }: { answer: ImportAnswer }) {
  if (errors.length === 0) return null;
  const shown = errors.slice(0, maxShown);
  return (
    <section aria-label="What is wrong">
      <Heading
        title="What is wrong"
        note={`${shown.length === errors.length ? "" : `the first ${shown.length} of `}${plural(errors.length, "mistake")}, in ${plural(summary.failed, "order")}`}
      />
      <Card>
        <Table label="What is wrong">
          <thead>
            <tr>
              <Th isNumber className="w-16">
                Row
              </Th>
              <Th>Column</Th>
              <Th>Why</Th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, column, code, message }) => (
              <tr key={`${row} ${column} ${code} ${message}`}>
                <Td isNumber>{row}</Td>
                <Td className="whitespace-nowrap">{column ?? <span className="text-muted">whole row</span>}</Td>
                <Td>{message}</Td>
              </tr>
            ))}
          </tbody>
        </Table>
      </Card>
    </section>
  );
}

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import type { FileColumn } from "../../ui/file-columns.tsx";
import { FileColumns } from "../../ui/file-columns.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { SearchSelect } from "../../ui/search-select.tsx";
import type { ColumnMapping, ImportAnswer } from "./order-import.queries.ts";
import { fieldName, ownField, warningText } from "./order-import.text.ts";

type Props = { answer: ImportAnswer; mapping: ColumnMapping; isOld: boolean; onChange(mapping: ColumnMapping): void };

/** Column mapping with sample values. A change reads the file again. */
export function ImportColumns({ answer, mapping, isOld, onChange }: Props) {
  const { columns, fields, sample, summary, warnings } = answer;
  const [isAll, setAll] = useState(false);
  const noteOf = ({ column }: FileColumn): string =>
    warnings
      .filter((warning) => warning.column === column && warning.row === undefined)
      .map(warningText)
      .join(" ");
  const matters = (one: FileColumn): boolean =>
    one.field !== null || noteOf(one) !== "" || Object.hasOwn(mapping, one.column);
  const hidden = columns.filter((one) => !matters(one)).length;
  const choose = (column: string, field: string): void => {
    const next: ColumnMapping = { ...mapping, [column]: field || null };
    // A field maps to one column: take it from the column that had it.
    for (const other of columns) {
      if (field && other.field === field && other.column !== column) next[other.column] = null;
    }
    onChange(next);
  };
  const options = [
    { value: "", label: "Not imported" },
    ...fields.map(({ field }) => ({ value: field, label: fieldName(field) })),
  ];
  return (
    <Card label="Columns" className={cx(isOld && "stale")}>
      <div className="px-2.5 pt-2.5">
        <Heading title="Columns" note={readText(columns)}>
          {hidden > 0 && (
            <Button kind="quiet" onClick={() => setAll(!isAll)} aria-expanded={isAll}>
              {isAll ? "Hide unused columns" : `Show ${plural(hidden, "unused column")}`}
            </Button>
          )}
        </Heading>
      </div>
      <FileColumns
        columns={columns}
        rows={summary.rows}
        sample={sample}
        isShown={(one) => isAll || matters(one)}
        noteOf={noteOf}
        renderPick={({ column, field }, name) => (
          <SearchSelect
            label={`Field for ${name}`}
            value={field ?? ""}
            options={options}
            placeholder="Not imported"
            optionFor={ownField}
            onChange={(next) => choose(column, next)}
          />
        )}
      />
    </Card>
  );
}

function readText(columns: readonly FileColumn[]): string {
  const read = columns.filter(({ field }) => field !== null).length;
  return read === columns.length
    ? `all ${formatCount(read)} imported`
    : `${formatCount(read)} of ${formatCount(columns.length)} imported`;
}

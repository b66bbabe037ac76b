import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { FileColumns } from "../../ui/file-columns.tsx";
import { formatCount, sentence } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import type { FileReport, Mapping } from "./rate-comparisons.queries.ts";
import { fieldNames } from "./rate-comparisons.text.ts";

const nameOf = (field: string): string => fieldNames[field] ?? sentence(field);

type Props = { report: FileReport; mapping: Mapping; onChange(mapping: Mapping): void; isOld: boolean };

/** Column mapping: suggested by the hub, corrected by hand. */
export function ColumnMapping({ report, mapping, onChange, isOld }: Props) {
  const { columns, fields, sample, summary } = report;
  const missing = fields.filter(({ field, isRequired }) => isRequired && !columns.some((one) => one.field === field));
  const choose = (column: string, field: string): void => {
    const next: Mapping = { ...mapping, [column]: field === "" ? null : field };
    // A field maps to one column: take it from the column that had it.
    for (const other of columns) {
      if (field !== "" && other.field === field && other.column !== column) next[other.column] = null;
    }
    onChange(next);
  };
  return (
    <Card label="Columns" className={cx(isOld && "stale")}>
      <div className="px-3 pt-2.5">
        <Heading
          title="Columns"
          note={`${formatCount(columns.filter(({ field }) => field !== null).length)} of ${formatCount(columns.length)} imported`}
        />
        {missing.length > 0 && (
          <p role="alert" className="mb-2 text-bad">
            Choose the column for {missing.map(({ field }) => `“${nameOf(field)}”`).join(" and ")}.
          </p>
        )}
      </div>
      <FileColumns
        columns={columns}
        rows={summary.rows}
        sample={sample}
        warnsOfGaps
        renderPick={({ column, field }, name) => (
          <Select
            label={`What ${name} is`}
            isLabelHidden
            value={field ?? ""}
            placeholder="Ignore"
            options={[
              { value: "", label: "Ignore" },
              ...fields.map((one) => ({
                value: one.field,
                label: nameOf(one.field),
                ...(one.isRequired ? { note: "required" } : {}),
              })),
            ]}
            onChange={(next) => choose(column, next)}
          />
        )}
      />
    </Card>
  );
}

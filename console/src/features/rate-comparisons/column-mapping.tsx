import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, sentence } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { FileReport, Mapping } from "./rate-comparisons.queries.ts";
import { fieldNames } from "./rate-comparisons.text.ts";

const nameOf = (field: string): string => fieldNames[field] ?? sentence(field);

type Props = { report: FileReport; mapping: Mapping; onChange(mapping: Mapping): void; isOld: boolean };

/** Which column is what: suggested by the hub, put right by hand. */
export function ColumnMapping({ report, mapping, onChange, isOld }: Props) {
  const { columns, fields, sample, summary } = report;
  const missing = fields.filter(({ field, isRequired }) => isRequired && !columns.some((one) => one.field === field));
  const choose = (column: string, field: string): void => {
    const next: Mapping = { ...mapping, [column]: field === "" ? null : field };
    // A field is one column: who had it gives it up.
    for (const other of columns) {
      if (field !== "" && other.field === field && other.column !== column) next[other.column] = null;
    }
    onChange(next);
  };
  return (
    <Card label="Columns" className={cx(isOld && "opacity-60")}>
      <div className="px-3 pt-2.5">
        <Heading
          title="Columns"
          note={`${formatCount(columns.filter(({ field }) => field !== null).length)} of ${formatCount(columns.length)} are read`}
        />
        {missing.length > 0 && (
          <p role="alert" className="mb-2 text-bad">
            Say which column is {missing.map(({ field }) => `“${nameOf(field)}”`).join(" and ")}: no item is complete
            without.
          </p>
        )}
      </div>
      <Table label="Columns of the file">
        <thead>
          <tr>
            <Th>In the file</Th>
            <Th className="w-52">Is</Th>
            <Th isNumber>Filled</Th>
            <Th>First values</Th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ column, field, filled }, index) => (
            <tr key={`${index} ${column}`}>
              <Td className="max-w-48 truncate font-medium">{column || <span className="text-faint">no name</span>}</Td>
              <Td className="py-1">
                <Select
                  label={`What ${column || `column ${index + 1}`} is`}
                  isLabelHidden
                  value={field ?? ""}
                  placeholder="Not read"
                  options={[
                    { value: "", label: "Not read" },
                    ...fields.map((one) => ({
                      value: one.field,
                      label: nameOf(one.field),
                      ...(one.isRequired ? { note: "needed" } : {}),
                    })),
                  ]}
                  onChange={(next) => choose(column, next)}
                />
              </Td>
              <Td isNumber className={cx("whitespace-nowrap", filled < summary.rows && field !== null && "text-warn")}>
                {summary.rows === 0 ? "–" : `${Math.floor((filled / summary.rows) * 100)} %`}
              </Td>
              <Td className="max-w-0 min-w-40 truncate text-muted">{firstValues(sample, index)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

const firstValues = (sample: FileReport["sample"], index: number): string =>
  [...new Set(sample.map(({ cells }) => cells[index]?.trim() ?? ""))]
    .filter((cell) => cell !== "")
    .slice(0, 4)
    .join(", ");

import { Card, Heading } from "../../ui/card.tsx";
import { FileColumns } from "../../ui/file-columns.tsx";
import { formatCount } from "../../ui/format.ts";
import { SearchSelect } from "../../ui/search-select.tsx";
import type { ImportPreset } from "../import-presets/import-presets.queries.ts";
import type { FileShape, Reading } from "./invoices.queries.ts";
import { fieldName, formatTexts } from "./invoices.text.ts";

/** The field of a column: chosen by hand, or suggested by its name. */
export function fieldOf({ column, field }: FileShape["columns"][number], { mapping }: Reading): string | null {
  return Object.hasOwn(mapping, column) ? (mapping[column] ?? null) : field;
}

const mappingOf = ({ settings }: ImportPreset): Reading["mapping"] => settings.mapping ?? {};

/** The preset whose columns the file has. */
export function presetFor({ columns }: FileShape, presets: readonly ImportPreset[]): ImportPreset | undefined {
  const names = new Set(columns.map(({ column }) => column));
  return presets.find((preset) => {
    const mapped = Object.keys(mappingOf(preset));
    return mapped.length > 0 && mapped.every((column) => names.has(column));
  });
}

const isKnown = <Value extends string>(texts: Record<Value, string>, value: string | undefined): value is Value =>
  value !== undefined && Object.hasOwn(texts, value);

/** With the settings of the preset. Columns that the file does not have would be refused. */
export function readingWith(reading: Reading, preset: ImportPreset, { columns }: FileShape): Reading {
  const { delimiter, decimalSeparator, dateOrder, currency } = preset.settings;
  const names = new Set(columns.map(({ column }) => column));
  const mapping = Object.entries(mappingOf(preset)).filter(([column]) => names.has(column));
  return {
    ...reading,
    ...(isKnown(formatTexts.delimiter, delimiter) ? { delimiter } : {}),
    ...(isKnown(formatTexts.decimalSeparator, decimalSeparator) ? { decimalSeparator } : {}),
    ...(isKnown(formatTexts.dateOrder, dateOrder) ? { dateOrder } : {}),
    ...(currency ? { currency } : {}),
    // Presets are usually named after the carrier.
    carrier: reading.carrier || preset.name,
    mapping: Object.fromEntries(mapping),
  };
}

type Props = { shape: FileShape; reading: Reading; onChange(reading: Reading): void };

/** What each column of the file is. */
export function InvoiceColumns({ shape, reading, onChange }: Props) {
  const shown = shape.columns.map((column, index) => ({
    column: column.column,
    field: fieldOf(column, reading),
    nonEmptyRows: shape.sample.filter((cells) => (cells[index] ?? "").trim() !== "").length,
  }));
  const choose = (column: string, field: string): void => {
    const mapping = { ...reading.mapping, [column]: field || null };
    // A field maps to one column: take it from the column that had it.
    for (const other of shown) {
      if (field && other.field === field && other.column !== column) mapping[other.column] = null;
    }
    onChange({ ...reading, mapping });
  };
  const options = [
    { value: "", label: "Not imported" },
    ...shape.fields.map((field) => ({ value: field, label: fieldName(field) })),
  ];
  const read = shown.filter(({ field }) => field !== null).length;
  return (
    <Card label="Columns" className="min-w-0">
      <div className="px-2.5 pt-2.5">
        <Heading title="Columns" note={`${formatCount(read)} of ${formatCount(shown.length)} imported`} />
      </div>
      <FileColumns
        columns={shown}
        rows={shape.sample.length}
        sample={shape.sample.map((cells) => ({ cells }))}
        // A column without a name cannot be mapped.
        isShown={({ column }) => column !== ""}
        renderPick={({ column, field }, name) => (
          <SearchSelect
            label={`Field for ${name}`}
            value={field ?? ""}
            options={options}
            placeholder="Not imported"
            onChange={(next) => choose(column, next)}
          />
        )}
      />
    </Card>
  );
}

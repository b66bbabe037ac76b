import type { Row } from "../../core/csv/csv.ts";
import { MalformedCsv, numberRows } from "../../core/csv/csv.ts";
import { conventionsOf } from "../../core/csv/csv-cells.ts";
import type { CsvSource, InvoiceSourceOptions } from "../../core/csv/csv-source.ts";
import { openText } from "../../core/csv/csv-source.ts";
import type { Column, ColumnMapping, Warning } from "../../core/csv/csv-columns.ts";
import { detectPreset, matchColumns, nameTest } from "../../core/csv/csv-columns.ts";
import { provenDateOrder } from "../../core/csv/date-order.ts";
import { foldColumnName } from "../../core/csv/invoice-headers.ts";
import { findHeader } from "../../core/csv/find-header.ts";
import type { CellError, SheetOptions } from "../../core/csv/sheet.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError } from "../../core/errors.ts";
import type { ReadRow } from "./invoice-line.ts";
import { dhlInvoice } from "./readers/dhl-invoice.ts";
import { fedexInvoice } from "./readers/fedex-invoice.ts";
import { createCells } from "./readers/invoice-cells.ts";
import type { InvoiceFormat, OpenFormat } from "./readers/invoice-reader.ts";
import { skippedTexts } from "./readers/invoice-reader.ts";
import { hasAmounts, hasInvoiceNumber, invoiceSheet, openSheetInvoice, sheetPresets } from "./readers/sheet-invoice.ts";
import { upsInvoice } from "./readers/ups-invoice.ts";

const formats: readonly InvoiceFormat[] = [upsInvoice, fedexInvoice, dhlInvoice];
/** Titles and dates that may stand above the header. */
const maxAbove = 10;
const maxRows = 300_000;
const maxErrors = 1_000;

export type InvoiceFileOptions = Pick<SheetOptions, "delimiter" | "decimalSeparator" | "dateOrder" | "mapping"> & {
  /** For amounts without a currency. */
  currency?: string | undefined;
  /** Names of the carrier and of the invoice, for files that do not name them. */
  carrier?: string | undefined;
  number?: string | undefined;
};

export type InvoiceFile = {
  format: string;
  carrier: string;
  warnings: Warning[];
  /** Unreadable cells found so far. */
  errors: CellError[];
  rows(): AsyncGenerator<ReadRow & { row: number }>;
};

type Recognised = Pick<InvoiceFile, "format" | "carrier" | "warnings"> & {
  columns: readonly string[];
  header: Row | undefined;
  opened: OpenFormat;
  /** The file names no invoice: its number is made from the days of its parcels. */
  lacksNumber?: boolean;
  reopen?(number: string): OpenFormat;
};

/** The text of a file, or a function that opens it row by row. */
export type InvoiceContent = string | ((options: InvoiceSourceOptions) => Promise<CsvSource>);

/** Recognises the file by its shape, or reads it by the mapping. */
export async function openInvoiceFile(csv: InvoiceContent, options: InvoiceFileOptions): Promise<InvoiceFile> {
  const sourceOptions = { delimiter: options.delimiter ?? "auto", maxRows };
  const source = typeof csv === "string" ? openText(csv, sourceOptions) : await csv(sourceOptions);
  const known = await recognise(source, options);
  const { opened, header } = known;
  const below = (): AsyncGenerator<Row> => dataRows(source, header);
  const isOpen = options.dateOrder === undefined && opened.dateColumns.length > 0 && source.hasDecisiveDate();
  const dateOrder = options.dateOrder ?? (isOpen ? await provenDateOrder(below, opened.dateColumns) : undefined);
  const { decimalSeparator } = options;
  const conventions = conventionsOf(source.delimiter, {
    ...(decimalSeparator && { decimalSeparator }),
    ...(dateOrder && { dateOrder }),
  });
  // Files with semicolons are European: their dates never begin with the month.
  const assumed = { ...conventions, dateOrder: dateOrder ?? (source.delimiter === ";" ? "dmy" : "mdy") } as const;
  const errors: CellError[] = [];
  const { warnings } = known;
  const cells = createCells(known.columns, assumed, { errors, warnings });
  async function* read(using: OpenFormat): AsyncGenerator<ReadRow & { row: number }> {
    const skipped = new Map<keyof typeof skippedTexts, number>();
    for await (const row of below()) {
      if (row.problem !== undefined)
        errors.push({ row: row.number, column: null, code: "malformed_row", message: row.problem });
      if (errors.length > maxErrors) return;
      if (row.problem !== undefined) continue;
      cells.open(row);
      const found = using.read(cells);
      if (!("skipped" in found)) yield { ...found, row: row.number };
      else skipped.set(found.skipped, (skipped.get(found.skipped) ?? 0) + 1);
    }
    for (const [code, count] of skipped)
      warnings.push({ column: "", code, message: `${count} ${skippedTexts[code]}.` });
  }
  const using = known.lacksNumber ? known.reopen!(await madeNumber(read(opened), errors, warnings)) : opened;
  return { format: known.format, carrier: known.carrier, warnings, errors, rows: () => read(using) };
}

async function recognise(source: CsvSource, options: InvoiceFileOptions): Promise<Recognised> {
  const { mapping = {}, currency = "USD" } = options;
  if (Object.keys(mapping).length > 0) return await openMapped(source, options, mapping);
  let seen = 0;
  for await (const row of readable(source)) {
    const folded = new Set(row.cells.map(foldColumnName));
    for (const format of formats) {
      const columns = format.isHeader(folded)
        ? row.cells.map((name) => name.trim())
        : format.bare?.isRow(row.cells)
          ? format.bare.columns
          : undefined;
      if (columns === undefined) continue;
      const header = columns === format.bare?.columns ? undefined : row;
      const { name, carrier } = format;
      return { format: name, carrier, warnings: [], columns, header, opened: format.open(columns, { currency }) };
    }
    if (++seen > maxAbove) break;
  }
  return await openMapped(source, options, mapping);
}

/** Files of sellers, and of any carrier with a mapping. */
async function openMapped(
  source: CsvSource,
  { carrier, number, currency = "USD" }: InvoiceFileOptions,
  mapping: ColumnMapping,
): Promise<Recognised> {
  const header = await findHeader(readable(source), nameTest(invoiceSheet, mapping, undefined));
  if (!header) throw badField("/csv", "empty", "The file is empty.");
  const names = header.cells.map((name) => name.trim());
  const preset = detectPreset(names, sheetPresets);
  const { columns, warnings } = matchColumns(names, mapping, invoiceSheet, preset);
  if (!hasAmounts(columns)) {
    const message =
      "This is no file of a known carrier, and no column is known as an amount. Assign its columns in `mapping`, at least netAmount.";
    const error = { pointer: "/csv", code: "unknown_format", message, allowed: [...fieldNames] };
    throw await mappingNeeded(source, header, columns, error);
  }
  const seller = preset?.title ?? carrier;
  if (seller === undefined) {
    const message = "The file does not name its carrier: send `carrier`.";
    throw await mappingNeeded(source, header, columns, { pointer: "/carrier", code: "required", message });
  }
  const open = (made: string): OpenFormat =>
    openSheetInvoice(columns, { currency, number: made, weightUnit: preset?.name === "easypost" ? "oz" : "lb" });
  return {
    format: preset?.name ?? "mapped",
    carrier: seller,
    // Exports of sellers have many columns that are not about charges.
    warnings: preset ? [] : warnings,
    columns: names,
    header,
    opened: open(number ?? ""),
    lacksNumber: number === undefined && !hasInvoiceNumber(columns),
    reopen: open,
  };
}

const fieldNames = invoiceSheet.fields.map(([field]) => field);
const sampledRows = 5;
const sampledLength = 60;

/** The error with the columns of the file, so that a person can map them. */
async function mappingNeeded(
  source: CsvSource,
  header: Row,
  columns: readonly Column[],
  error: FieldError,
): Promise<HubError> {
  const sample: string[][] = [];
  for await (const { cells } of dataRows(source, header)) {
    if (sample.push(cells.map((cell) => cell.slice(0, sampledLength))) === sampledRows) break;
  }
  return new HubError("validation_failed", error.message, {
    errors: [error],
    extra: { columns, fields: fieldNames, sample },
  });
}

/** The first and the last day of the parcels: the same export has the same number again. */
async function madeNumber(rows: AsyncIterable<ReadRow>, errors: CellError[], warnings: Warning[]): Promise<string> {
  let [first, last] = ["9999", ""];
  const before = warnings.length;
  for await (const { facts } of rows) {
    const day = facts.shipDate ?? facts.transactionDate;
    if (day === null) continue;
    if (day < first) first = day;
    if (day > last) last = day;
  }
  // They are found again when the rows are read.
  errors.length = 0;
  warnings.length = before;
  if (last === "") throw badField("/number", "required", "The file names no invoice and no day: send `number`.");
  return `${first} to ${last}`;
}

async function* readable(source: CsvSource): AsyncGenerator<Row> {
  try {
    yield* numberRows(source.rows());
  } catch (error) {
    if (!(error instanceof MalformedCsv)) throw error;
    throw badField("/csv", "malformed_csv", error.message);
  }
}

/** Without the header, which files that were joined have again. */
async function* dataRows(source: CsvSource, header: Row | undefined): AsyncGenerator<Row> {
  for await (const row of readable(source)) {
    if (header === undefined) yield row;
    else if (row.number > header.number && !isSame(row, header)) yield row;
  }
}

function isSame({ cells }: Row, header: Row): boolean {
  return cells.slice(0, 4).join("\n") === header.cells.slice(0, 4).join("\n");
}

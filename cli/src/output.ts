import { once } from "node:events";
import { nearestName } from "../../server/src/core/nearest.ts";
import { toCell, toCsv } from "../../server/src/core/csv/csv.ts";
import type { Given, OutputFormat } from "./command.ts";
import { outputFormats } from "./command.ts";
import { usageError } from "./exit.ts";
import type { Operation } from "./operation.ts";
import { columnsOf, describeRecord, fieldOf, tableOf, textOf } from "./table.ts";

/** What was typed about the output. After a change it no longer fails: a script that repeated the command would make the change twice. */
export type Output = { given: Given; isAfterChange?: boolean };

export type Records = AsyncIterable<unknown> | Iterable<unknown>;

/** Writes to stdout. Waits while the reader is slow, so that a list of a million entries takes no memory. */
export async function print(line: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(typeof line === "string" ? `${line}\n` : line)) await once(process.stdout, "drain");
}

/** Remarks for people; data goes to stdout. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function formatOf(given: Given): OutputFormat {
  const wanted = given.text("output");
  return outputFormats.find((format) => format === wanted) ?? (process.stdout.isTTY ? "table" : "ndjson");
}

/** Refuses an output that a change cannot have, before the change is sent. */
export function checkOutput({ returns }: Pick<Operation, "returns">, given: Given): void {
  if (returns === undefined) return;
  if (returns === "file") {
    if (process.stdout.isTTY) throw usageError(redirectFile);
    return;
  }
  const problem =
    missingField(returns, fieldsOf(given)) ?? (formatOf(given) === "ids" && !returns.includes("id") ? noId : undefined);
  if (problem !== undefined) throw usageError(problem);
}

const noId = "-o ids: these entries have no id.";
const redirectFile = "the answer is a file. Redirect it: hub ... > FILE";

/** A mistake in the options that was found in the answer. */
function mismatch({ isAfterChange = false }: Output, problem: string): void {
  if (!isAfterChange) throw usageError(problem);
  note(`The change was made. ${problem}`);
}

/** Prints the entries of a list as they arrive, except in a table, whose columns depend on all of them. */
export async function printRecords(records: Records, output: Output): Promise<void> {
  const format = formatOf(output.given);
  const fields = fieldsOf(output.given);
  if (format === "json" || format === "table") {
    const all: unknown[] = [];
    for await (const record of records) all.push(record);
    if (format === "json") await print(toJson(all.map((record) => pick(record, fields))));
    else await printTable(all, fields, output);
    return;
  }
  let columns: string[] | undefined;
  for await (const record of records) {
    checkFields(record, fields, output);
    if (format === "ndjson") await print(JSON.stringify(pick(record, fields)));
    if (format === "ids") await printId(record, output);
    if (format !== "csv") continue;
    if (!columns) await print(csvLine((columns = fields ?? columnsOf(record))));
    await print(csvLine(columns.map((column) => toCell(textOf(fieldOf(record, column))))));
  }
}

/** Without its line end, which `print` writes. */
const csvLine = (cells: string[]): string => toCsv([cells]).slice(0, -2);

/** Prints one record. */
export async function printRecord(record: unknown, output: Output): Promise<void> {
  const format = formatOf(output.given);
  const fields = fieldsOf(output.given);
  if (format !== "table" && format !== "json") return await printRecords([record], output);
  checkFields(record, fields, output);
  await print(format === "table" ? describeRecord(pick(record, fields)) : toJson(pick(record, fields)));
}

async function printTable(records: unknown[], fields: string[] | undefined, output: Output): Promise<void> {
  const [first] = records;
  if (records.length === 0) return note("No entries.");
  checkFields(first, fields, output);
  await print(tableOf(records, fields ?? columnsOf(first), fields ? undefined : process.stdout.columns));
}

/** Bytes of a file, which would garble a terminal. */
export async function printFile(file: Blob, output: Output): Promise<void> {
  if (process.stdout.isTTY) return mismatch(output, redirectFile);
  await print(new Uint8Array(await file.arrayBuffer()));
}

const toJson = (value: unknown): string => JSON.stringify(value, undefined, 2);

function fieldsOf(given: Given): string[] | undefined {
  const names = given
    .text("fields")
    ?.split(",")
    .map((name) => name.trim());
  return names?.filter((name) => name !== "");
}

/** A misspelled field would be an empty column. */
function checkFields(record: unknown, fields: string[] | undefined, output: Output): void {
  if (typeof record !== "object" || record === null) return;
  const problem = missingField(Object.keys(record), fields);
  if (problem !== undefined) mismatch(output, problem);
}

function missingField(known: string[], fields: string[] = []): string | undefined {
  const missing = fields.map((field) => field.split(".")[0]!).find((name) => !known.includes(name));
  if (missing === undefined) return undefined;
  const meant = nearestName(missing, known);
  return `--fields: there is no field "${missing}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
}

function pick(record: unknown, fields: string[] | undefined): unknown {
  if (!fields) return record;
  return Object.fromEntries(fields.map((field) => [field, fieldOf(record, field)]));
}

async function printId(record: unknown, output: Output): Promise<void> {
  const { id } = (record ?? {}) as { id?: unknown };
  if (typeof id === "string") await print(id);
  else mismatch(output, noId);
}

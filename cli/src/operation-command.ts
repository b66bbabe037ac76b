import type { Command, Given, Option, Options } from "./command.ts";
import { confirmOptions, connectionOptions, outputOptions } from "./command.ts";
import type { Connection } from "./connection.ts";
import { confirmWrite } from "./ask.ts";
import { readBytes, readData } from "./body-input.ts";
import { usageError } from "./exit.ts";
import type { Operation, OperationField } from "./operation.ts";
import { idsOf, isWrite, kebab } from "./operation.ts";
import type { Output } from "./output.ts";
import { checkOutput, note, print, printFile, printRecord, printRecords } from "./output.ts";
import { pagedList } from "../../sdk/src/pages.ts";
import { timeoutOption } from "./time-limit.ts";
import { listOf, valueOf } from "./values.ts";
import { watchRecord } from "./watch-record.ts";

type Input = { path: Record<string, string>; query: Record<string, unknown>; body?: unknown; ifMatch?: number };

/** A command for an operation of the API: IDs of the path as arguments, fields of query and body as options. */
export function operationCommand(name: string, operation: Operation): Command {
  const ids = idsOf(operation);
  const usage = ids.map((id) => kebab(id).toUpperCase()).join(" ");
  return {
    summary: operation.summary,
    ...(usage === "" ? {} : { usage }),
    args: { min: ids.length, max: ids.length },
    options: { ...ownOptions(operation), ...outputOptions, ...connectionOptions },
    details: `${operation.key}${operation.scope === "any" ? "" : `, scope ${operation.scope}`}`,
    async run(given) {
      const input = await inputOf(operation, given);
      checkOutput(operation, given);
      // Loads the client: the help does without.
      const connection = (await import("./connection.ts")).connect(given);
      if (isWrite(operation)) await confirmWrite(connection, given, `hub ${name}`);
      await callAndPrint(operation, input, connection, given);
      return undefined;
    },
  };
}

function ownOptions(operation: Operation): Options {
  const { query = [], body = [], takesFile, key, kind } = operation;
  const fields = [...query, ...body].map((field): [string, Option] => [kebab(field.name), optionOf(field)]);
  return {
    ...Object.fromEntries(fields),
    ...(kind === "list" ? { all: { type: "boolean", text: "All pages instead of one" } as const } : {}),
    ...(kind === "body" ? { data: dataOption } : {}),
    ...(takesFile ? { file: fileOption } : {}),
    ...(/^(?:PATCH|PUT|DELETE) /.test(key) ? { "if-match": ifMatchOption } : {}),
    ...(isWrite(operation) ? confirmOptions : {}),
    ...(kind === "watch" || kind === "watchBy" ? timeoutOption : {}),
  };
}

const dataOption: Option = {
  type: "string",
  short: "d",
  placeholder: "JSON",
  text: "The body, or @FILE, or - for stdin; options set single fields of it",
};
const fileOption: Option = { type: "string", placeholder: "FILE", text: "The file, .csv or .xlsx" };
const ifMatchOption: Option = {
  type: "string",
  placeholder: "VERSION",
  text: "Only if the record still has this version",
};

function optionOf({ type, isList, isRequired, values, text = "" }: OperationField): Option {
  const isFlag = type === "boolean" && !isList;
  // Values of a list are checked one by one, since they may be separated by commas.
  const allowed = isList && values && !text.startsWith("One or more of") ? `One or more of ${values.join(", ")}` : "";
  return {
    type: isFlag ? "boolean" : "string",
    ...(isList ? { multiple: true } : {}),
    ...(values && !isList ? { values } : {}),
    ...(type === "json" ? { placeholder: "JSON" } : {}),
    text: [isRequired ? "Required" : "", text, allowed].filter(Boolean).join(". "),
  };
}

async function inputOf(operation: Operation, given: Given): Promise<Input & { file?: Blob }> {
  const path = Object.fromEntries(idsOf(operation).map((id, at) => [id, given.args[at]!]));
  const file = given.text("file");
  const query = valuesOf(operation.query ?? [], given);
  const version = given.text("if-match");
  const ifMatch = version === undefined ? {} : { ifMatch: versionOf(version) };
  if (file !== undefined) {
    if (given.text("data") !== undefined) throw usageError("give either --file or --data.");
    return { path, query, file: fileOf(file), ...ifMatch };
  }
  if (operation.kind !== "body") return { path, query, ...ifMatch };
  const data = given.text("data");
  const base = data === undefined ? {} : await readData(data, "--data");
  const fields = valuesOf(operation.body ?? [], given);
  // A name that is in both is a field of the body, unless a file is sent.
  const rest = Object.fromEntries(Object.entries(query).filter(([name]) => !(name in fields)));
  const isObject = typeof base === "object" && base !== null && !Array.isArray(base);
  if (!isObject && Object.keys(fields).length > 0)
    throw usageError("--data must be a JSON object if options set fields.");
  return { path, query: rest, body: isObject ? { ...base, ...fields } : base, ...ifMatch };
}

function versionOf(typed: string): number {
  const version = Number(typed);
  if (!Number.isInteger(version) || version < 1) throw usageError(`--if-match must be a version, not "${typed}".`);
  return version;
}

const types: Record<string, string> = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

function fileOf(file: string): Blob {
  const type = types[file.split(".").at(-1)!.toLowerCase()];
  if (type === undefined) throw usageError(`--file must be a .csv or .xlsx file, not "${file}".`);
  return new Blob([Uint8Array.from(readBytes(file, "--file"))], { type });
}

function valuesOf(fields: readonly OperationField[], given: Given): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const option = kebab(field.name);
    const [text, flag, all] = [given.text(option), given.flag(option), given.list(option)];
    if (flag !== undefined) found[field.name] = flag;
    else if (field.isList && all.length > 0) found[field.name] = listOf(all, field, `--${option}`);
    else if (text !== undefined) found[field.name] = valueOf(text, field, `--${option}`);
  }
  return found;
}

async function callAndPrint(
  operation: Operation,
  input: Input & { file?: Blob },
  connection: Connection,
  given: Given,
): Promise<void> {
  const { key, kind } = operation;
  const { client } = connection;
  if (kind === "watch" || kind === "watchBy") return await watchRecord(connection, key, input, given);
  if (kind === "list") return await printList(connection, operation, input, given);
  const answer = await (input.file ? client.upload(key, input) : client.call(key, input));
  await printAnswer(answer, { given, isAfterChange: isWrite(operation) });
}

async function printList({ client }: Connection, operation: Operation, input: Input, given: Given): Promise<void> {
  const read = async (query: object): Promise<Page> => (await client.call(operation.key, { ...input, query })) as Page;
  if (given.flag("all")) {
    const hasLimit = operation.query?.some(({ name }) => name === "limit");
    return await printRecords(pagedList({ ...(hasLimit ? { limit: 100 } : {}), ...input.query }, read), { given });
  }
  const { data, pagination, hasMore } = await read(input.query);
  await printRecords(data, { given });
  if ((pagination?.hasMore ?? hasMore) && process.stderr.isTTY) {
    const total = pagination ? ` of ${pagination.total.toLocaleString("en-US")}` : "";
    note(`${data.length}${total} entries. Add --all for all of them.`);
  }
}

/** Lists have numbered pages; the event feed has a cursor. */
type Page = { data: unknown[]; pagination?: { total: number; hasMore: boolean }; hasMore?: boolean };

/** A record, a list without pages, a file, or nothing. */
export async function printAnswer(answer: unknown, output: Output): Promise<void> {
  if (answer === undefined) return;
  if (typeof answer === "string") return await print(answer.trimEnd());
  if (answer instanceof Blob) return await printFile(answer, output);
  const { data, ...others } = answer as { data?: unknown };
  if (Array.isArray(data) && Object.keys(others).length === 0) return await printRecords(data, output);
  await printRecord(answer, output);
}

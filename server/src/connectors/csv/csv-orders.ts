import path from "node:path";
import { Type } from "../../core/type.ts";
import { delimiters } from "../../core/csv/csv.ts";
import type { CsvSource } from "../../core/csv/csv-source.ts";
import { presetSettings } from "../../core/csv/import-shapes.ts";
import type { Sheet, SheetOptions, SheetRecord } from "../../core/csv/sheet.ts";
import { openSheet } from "../../core/csv/sheet.ts";
import { readRecords } from "../../core/csv/sheet-records.ts";
import { writeRejected } from "../../core/csv/sheet-report.ts";
import { placedError } from "../../core/csv/csv-table.ts";
import { HubError, validationFailed } from "../../core/errors.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import type { Call, Page, PageFailure, PulledRecord, Settings } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { shortHash } from "../short-hash.ts";
import { cleanText } from "../../core/strict-json.ts";
import { asText, objectOf } from "../shape.ts";
import { pullTask, pushTask } from "../standard-tasks.ts";
import { orderToCsv } from "./csv-export.ts";
import type { Found } from "./csv-folder.ts";
import { addRejected, listFiles, openFolder, archiveFile, writeTextFile } from "./csv-folder.ts";
import type { FileReader, OpenedFile } from "./file-reader.ts";
import { createFileReader } from "./file-reader.ts";
import { orderPresets } from "./order-presets.ts";
import { orderSheet } from "./order-sheet.ts";

const pageSize = 500;
const maxRows = 200_000;
const maxMessages = 10;
/** Orders that may wait for further rows, so that a long file is never in memory as a whole. */
const maxOpen = 5_000;

/** `file` and `mark` identify the current file, `done` is the number of its orders that are stored. */
type Cursor = { file?: string; mark?: string; done?: number };

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  const at = objectOf(cursor) as Cursor;
  const given = call.input.csv;
  if (typeof given === "string") {
    const mark = shortHash(given);
    const sheet = await openOrders(call, given, { ...call.settings, ...call.input });
    // The same text in a later execution is read again.
    yield* sheet ? readPages(sheet, { mark }, at, () => ({})) : [{ records: [], cursor: {}, total: 0 }];
    logWarnings(call, sheet);
    return;
  }
  const name = call.settings.importFolder;
  if (typeof name !== "string") {
    throw new RemoteError("nothing_to_read", "Send the text as `csv`, or set the import folder of the bridge.");
  }
  yield* pullFolder(call, await openFolder(call, name), at);
}

async function* pullFolder(call: Call, folder: string, at: Cursor): AsyncGenerator<Page> {
  const reader = createFileReader(call.signal);
  try {
    yield* pullFiles(call, folder, at, reader);
  } finally {
    reader.stop();
  }
}

async function* pullFiles(call: Call, folder: string, at: Cursor, reader: FileReader): AsyncGenerator<Page> {
  const { encoding, delimiter = "auto" } = call.settings as Pick<OpenedFile, "encoding"> & Partial<OpenedFile>;
  const broken: string[] = [];
  const settle = async (file: Found, where: "processed" | "failed"): Promise<void> => {
    if (!call.isSample) await archiveFile(folder, file, where);
  };
  const files = await listFiles(folder);
  for (const file of files) {
    const place = { file: file.name, mark: file.mark };
    const counts = { imported: 0, failed: 0 };
    const messages: string[] = [];
    try {
      const rows = await reader.open({ file: path.join(folder, file.name), encoding, delimiter, maxRows });
      const sheet = await openOrders(call, rows, call.settings);
      if (sheet) {
        const reject = async (rejected: SheetRecord[]): Promise<void> =>
          await addRejected(folder, file, writeRejected(sheet, rejected));
        for await (const page of readPages(sheet, place, at, undefined, call.isSample ? undefined : reject)) {
          counts.imported += page.records.length;
          for (const { errors } of page.failures ?? []) {
            counts.failed++;
            if (messages.length <= maxMessages) messages.push(...errors.map(({ message }) => message));
          }
          yield page;
        }
        logWarnings(call, sheet, `${file.name}: `);
      }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      counts.failed++;
      messages.push(error.message);
    }
    if (counts.failed > 0) {
      const problem = `${file.name}: ${invalid(messages).message}`;
      call.log("error", problem);
      // A bad file does not stop the others; it is reported at the end.
      if (counts.imported === 0) broken.push(problem);
    }
    // The next page is requested after the last one was stored, so the file is not needed again.
    await settle(file, counts.imported === 0 && counts.failed > 0 ? "failed" : "processed");
    call.log("info", `${file.name}: ${counts.imported} orders`);
  }
  if (files.length === 0) yield { records: [], cursor: at, total: 0 };
  if (broken.length > 0) throw new RemoteError("invalid_file", broken.join(" ").slice(0, 2000));
}

/** Reads the header; throws if the file as a whole is invalid. Undefined if it is empty. */
async function openOrders(call: Call, csv: string | CsvSource, options: Settings): Promise<Sheet | undefined> {
  const { preset, ...given } = options as SheetOptions & { preset?: string };
  const known = preset === "none" ? null : orderPresets.find(({ name }) => name === preset);
  const timeZone = await call.timeZone();
  try {
    const source = typeof csv === "string" ? cleanText(csv) : csv;
    const open = async (): Promise<Sheet> =>
      await openSheet(source, orderSheet, { ...given, timeZone, preset: known, maxRows });
    if (given.strict) await refuseAssumptions(await open());
    return await open();
  } catch (error) {
    const { errors = [] } = asHubError(error).details;
    if (errors.some(({ code }) => code === "empty")) return undefined;
    throw invalid(
      errors.map(({ pointer, message }) => (pointer.startsWith("/csv") ? message : `${pointer}: ${message}`)),
    );
  }
}

/** Reads the whole file before its first order is stored: in strict mode nothing of a file with an assumption is imported. */
async function refuseAssumptions(sheet: Sheet): Promise<void> {
  const errors = [...sheet.refused];
  for await (const record of readRecords(sheet, maxOpen)) {
    errors.push(...record.errors);
    if (errors.length > maxMessages) break;
  }
  if (errors.length > 0)
    throw validationFailed(errors.map(({ row, column, code, message }) => placedError(row, column, code, message)));
}

/** Rethrows anything else: it is a defect. */
function asHubError(error: unknown): HubError {
  if (!(error instanceof HubError)) throw error;
  return error;
}

const unreadCodes: readonly string[] = ["unknown_column", "duplicate_field"];

function logWarnings(call: Call, sheet: Sheet | undefined, about = ""): void {
  const { unread = [], other = [] } = Object.groupBy(sheet?.warnings ?? [], ({ code }) =>
    unreadCodes.includes(code) ? "unread" : "other",
  );
  const names = unread.map(({ column }) => column).join(", ");
  if (names !== "") call.log("warn", `${about}Ignored columns: ${names.slice(0, 500)}.`);
  for (const { column, message } of other) call.log("warn", `${about}${column}: ${message}`);
}

function invalid(problems: string[]): RemoteError {
  const more = problems.length > maxMessages ? " And more." : "";
  return new RemoteError("invalid_file", `${problems.slice(0, maxMessages).join(" ")}${more}`);
}

/**
 * Yields pages while the file is read, after the records that are already stored. Unreadable records are reported with their
 * page, and rejected ones after it was stored; both are passed to `reject`.
 */
async function* readPages(
  sheet: Sheet,
  place: Cursor,
  at: Cursor,
  lastCursor?: () => Cursor,
  reject?: (rejected: SheetRecord[]) => Promise<void>,
): AsyncGenerator<Page> {
  const isStarted = at.file === place.file && at.mark === place.mark;
  let done = 0;
  const skipped = isStarted ? (at.done ?? 0) : 0;
  let waiting: SheetRecord[] = [];
  const toPage = (isLast: boolean): Page => {
    const read = waiting;
    waiting = [];
    done += read.length;
    const sound = read.filter(({ errors }) => errors.length === 0);
    const unreadable = read.filter(({ errors }) => errors.length > 0);
    const byId = new Map(sound.map((record) => [idOf(record, sheet), record]));
    return {
      records: sound.map((record) => toPulled(record, sheet)),
      cursor: isLast && lastCursor ? lastCursor() : { ...place, done },
      ...(isLast ? { total: done } : {}),
      ...(unreadable.length > 0 ? { failures: unreadable.map((record) => toFailure(record, sheet)) } : {}),
      ...(reject ? { onStored: async (refused) => await sendBack(refused) } : {}),
    };
    async function sendBack(refused: Pick<PageFailure, "externalId" | "message">[]): Promise<void> {
      const back = refused.flatMap(({ externalId, message }) => {
        const record = byId.get(externalId);
        const errors = [{ row: record?.rows[0]!.number ?? 0, column: null, code: "refused", message }];
        return record ? [{ ...record, errors }] : [];
      });
      if (unreadable.length + back.length > 0) await reject?.([...unreadable, ...back]);
    }
  };
  try {
    let index = 0;
    for await (const record of readRecords(sheet, maxOpen)) {
      if (index++ < skipped) {
        done++;
        continue;
      }
      if (waiting.length === pageSize) yield toPage(false);
      waiting.push(record);
    }
  } catch (error) {
    const { errors = [] } = asHubError(error).details;
    throw invalid(errors.map(({ message }) => message));
  }
  yield toPage(true);
}

function toFailure(record: SheetRecord, sheet: Sheet): PageFailure {
  const errors = record.errors
    .slice(0, 5)
    .map(({ row, column, code, message }) => placedError(row, column, code, message));
  return { externalId: idOf(record, sheet), code: "unreadable_row", message: errors[0]!.message, errors };
}

function rawOf({ rows }: SheetRecord, { columns }: Sheet): Record<string, string>[] {
  return rows.map(({ cells }) => Object.fromEntries(columns.map(({ column }, i) => [column, cells[i] ?? ""])));
}

/** The external ID, or else the number, or else a hash of the content, so that a file read twice creates no duplicates. */
function idOf(record: SheetRecord, sheet: Sheet): string {
  const given = record.request.externalId ?? record.request.number;
  return typeof given === "string" ? given : `row-${shortHash(JSON.stringify(rawOf(record, sheet)))}`;
}

function toPulled(record: SheetRecord, sheet: Sheet): PulledRecord {
  const externalId = idOf(record, sheet);
  return { externalId, raw: { rows: rawOf(record, sheet) }, canonical: { ...record.request, externalId } };
}

const presetNames = ["auto", "none", ...orderPresets.map(({ name }) => name)];

export const sheetSettings = {
  ...presetSettings,
  preset: Type.Optional(
    OneOf(presetNames, {
      title: "Program",
      default: "auto",
      description: "Whose files they are; auto: they are known by their columns",
    }),
  ),
};

export const ordersImport = pullTask("orders.import", {
  description:
    "Reads orders from the text in the input, or from the files of the folder, oldest first. A file that was read is " +
    "moved to `processed`, one of which nothing could be taken to `failed`; rows that were not taken lie in `rejected`, with " +
    "the reason. Rows with the same order number are one order.",
  input: Strict(
    {
      csv: Type.Optional(
        Type.String({ title: "CSV", minLength: 1, maxLength: 10 * 1024 * 1024, description: "The text of a file" }),
      ),
      ...sheetSettings,
    },
    { examples: [{ csv: "Order Number,SKU,Quantity\nSHOP-17,MUG-01,2\n" }] },
  ),
  isIncremental: true,
  pull: pullOrders,
});

export const ordersExport = pushTask("orders.export", {
  description: "Makes a CSV file of each order, in the folder of the bridge or, without one, in the result.",
  idempotent: true,
  async send(call, record, effectKey) {
    const wanted = (call.settings.delimiter ?? "comma") as keyof typeof delimiters | "auto";
    const csv = orderToCsv(record, wanted === "auto" ? "," : delimiters[wanted]);
    const name = call.settings.exportFolder;
    const number = (asText(record.number) || "order")
      .replaceAll(/[^\w.-]+/g, "_")
      .replace(/^\.+/, "")
      .slice(0, 80);
    const file = `${number || "order"}-${shortHash(effectKey)}.csv`;
    if (typeof name !== "string") return { details: { file, csv } };
    await writeTextFile(await openFolder(call, name), file, csv);
    return { externalId: file, details: { file } };
  },
});

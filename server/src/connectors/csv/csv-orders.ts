import path from "node:path";
import { Type } from "../../core/type.ts";
import { delimiters } from "../../core/csv/csv.ts";
import type { CsvSource } from "../../core/csv/csv-source.ts";
import { presetSettings } from "../../core/csv/import-shapes.ts";
import type { Sheet, SheetOptions, SheetRecord } from "../../core/csv/sheet.ts";
import { openSheet, placedError, readRecords, writeRejected } from "../../core/csv/sheet.ts";
import { HubError } from "../../core/errors.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import type { Call, Page, PageFailure, PulledRecord, Settings } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { shortHash } from "../short-hash.ts";
import { cleanText } from "../../core/strict-json.ts";
import { asText, objectOf } from "../shape.ts";
import { pullTask, pushTask } from "../standard-tasks.ts";
import { orderToCsv } from "./csv-export.ts";
import type { Found } from "./csv-folder.ts";
import { addRejected, listFiles, openFolder, putAway, writeTextFile } from "./csv-folder.ts";
import type { FileReader, OpenedFile } from "./file-reader.ts";
import { createFileReader } from "./file-reader.ts";
import { orderPresets } from "./order-presets.ts";
import { orderSheet } from "./order-sheet.ts";

const pageSize = 500;
const maxRows = 200_000;
const maxTold = 10;
/** As many orders wait for further rows of theirs: a long file is never in memory as orders. */
const maxOpen = 5_000;

/** `file` and `mark` name the file that is being read, `done` how many of its orders are stored. */
type Cursor = { file?: string; mark?: string; done?: number };

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  const at = objectOf(cursor) as Cursor;
  const given = call.input.csv;
  if (typeof given === "string") {
    const mark = shortHash(given);
    const sheet = await openOrders(call, given, { ...call.settings, ...call.input });
    // Whoever sends the same text once more wants it to be read once more.
    yield* sheet ? readPages(sheet, { mark }, at, () => ({})) : [{ records: [], cursor: {}, total: 0 }];
    tellWarnings(call, sheet);
    return;
  }
  const name = call.settings.importFolder;
  if (typeof name !== "string") {
    throw new RemoteError("nothing_to_read", "Give the text as `csv`, or set a folder for the bridge.");
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
    if (!call.isSample) await putAway(folder, file, where);
  };
  const files = await listFiles(folder);
  for (const file of files) {
    const place = { file: file.name, mark: file.mark };
    const counts = { taken: 0, failed: 0 };
    const told: string[] = [];
    try {
      const rows = await reader.open({ file: path.join(folder, file.name), encoding, delimiter, maxRows });
      const sheet = await openOrders(call, rows, call.settings);
      if (sheet) {
        const reject = async (rejected: SheetRecord[]): Promise<void> =>
          await addRejected(folder, file, writeRejected(sheet, rejected));
        for await (const page of readPages(sheet, place, at, undefined, call.isSample ? undefined : reject)) {
          counts.taken += page.records.length;
          for (const { errors } of page.failures ?? []) {
            counts.failed++;
            if (told.length <= maxTold) told.push(...errors.map(({ message }) => message));
          }
          yield page;
        }
        tellWarnings(call, sheet, `${file.name}: `);
      }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      counts.failed++;
      told.push(error.message);
    }
    if (counts.failed > 0) {
      const problem = `${file.name}: ${invalid(told).message}`;
      call.log("error", problem);
      // One bad file does not keep the others waiting; it is said at the end.
      if (counts.taken === 0) broken.push(problem);
    }
    // Whoever asks for more has stored the last page, so the file is not needed again.
    await settle(file, counts.taken === 0 && counts.failed > 0 ? "failed" : "processed");
    call.log("info", `${file.name}: ${counts.taken} orders`);
  }
  if (files.length === 0) yield { records: [], cursor: at, total: 0 };
  if (broken.length > 0) throw new RemoteError("invalid_file", broken.join(" ").slice(0, 2000));
}

/** Its header; what is wrong with the file as a whole is said at once. Undefined: there is nothing in it. */
async function openOrders(call: Call, csv: string | CsvSource, options: Settings): Promise<Sheet | undefined> {
  const { preset, ...given } = options as SheetOptions & { preset?: string };
  const known = preset === "none" ? null : orderPresets.find(({ name }) => name === preset);
  const timeZone = await call.timeZone();
  try {
    const source = typeof csv === "string" ? cleanText(csv) : csv;
    return await openSheet(source, orderSheet, { ...given, timeZone, preset: known, maxRows });
  } catch (error) {
    const { errors = [] } = asHubError(error).details;
    if (errors.some(({ code }) => code === "empty")) return undefined;
    throw invalid(
      errors.map(({ pointer, message }) => (pointer.startsWith("/csv") ? message : `${pointer}: ${message}`)),
    );
  }
}

/** What is not one of ours is a defect. */
function asHubError(error: unknown): HubError {
  if (!(error instanceof HubError)) throw error;
  return error;
}

const unreadCodes: readonly string[] = ["unknown_column", "duplicate_field"];

function tellWarnings(call: Call, sheet: Sheet | undefined, about = ""): void {
  const { unread = [], other = [] } = Object.groupBy(sheet?.warnings ?? [], ({ code }) =>
    unreadCodes.includes(code) ? "unread" : "other",
  );
  const names = unread.map(({ column }) => column).join(", ");
  if (names !== "") call.log("warn", `${about}Columns that were not read: ${names.slice(0, 500)}.`);
  for (const { column, message } of other) call.log("warn", `${about}${column}: ${message}`);
}

function invalid(problems: string[]): RemoteError {
  const more = problems.length > maxTold ? " And more." : "";
  return new RemoteError("invalid_file", `${problems.slice(0, maxTold).join(" ")}${more}`);
}

/**
 * Page by page while the file is read, beginning behind what is stored. What cannot be read is told with its page, and what
 * the hub refuses is known when that is stored: both go to `reject`.
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

/** Without an external id the number stands for it; without both, the content does, so that a file read twice is one. */
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

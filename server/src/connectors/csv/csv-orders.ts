import { Type } from "../../core/type.ts";
import { delimiters } from "../../core/csv/csv.ts";
import type { Sheet, SheetOptions, SheetRecord } from "../../core/csv/sheet.ts";
import { placedError, readSheet } from "../../core/csv/sheet.ts";
import { HubError } from "../../core/errors.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import type { Call, Page, PulledRecord } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { shortHash } from "../short-hash.ts";
import { cleanText } from "../../core/strict-json.ts";
import { asText, objectOf } from "../shape.ts";
import { pullTask, pushTask } from "../standard-tasks.ts";
import { orderToCsv } from "./csv-export.ts";
import type { Found } from "./csv-folder.ts";
import { listFiles, openFolder, putAway, readTextFile, writeTextFile } from "./csv-folder.ts";
import { orderSheet } from "./order-sheet.ts";

const pageSize = 500;
const maxRows = 200_000;
const maxTold = 10;

/** `file` and `mark` name the file that is being read, `done` how many of its orders are stored. */
type Cursor = { file?: string; mark?: string; done?: number };

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  const at = objectOf(cursor) as Cursor;
  const options = call.settings as SheetOptions;
  const given = call.input.csv;
  if (typeof given === "string") {
    const mark = shortHash(given);
    const records = await readOrders(call, given, { ...options, ...(call.input as SheetOptions) });
    for (const page of inPages(records, { mark }, at.mark === mark ? (at.done ?? 0) : 0)) {
      // Whoever sends the same text once more wants it to be read once more.
      yield (page.cursor as Cursor).done === records.length ? { ...page, cursor: {} } : page;
    }
    return;
  }
  const name = call.settings.importFolder;
  if (typeof name !== "string") {
    throw new RemoteError("nothing_to_read", "Give the text as `csv`, or set a folder for the bridge.");
  }
  yield* pullFolder(call, await openFolder(call, name), options, at);
}

async function* pullFolder(call: Call, folder: string, options: SheetOptions, at: Cursor): AsyncGenerator<Page> {
  const broken: string[] = [];
  const settle = async (file: Found, where: "processed" | "failed"): Promise<void> => {
    if (!call.isSample) await putAway(folder, file, where);
  };
  const files = await listFiles(folder);
  for (const file of files) {
    const isStarted = at.file === file.name && at.mark === file.mark;
    let records: PulledRecord[];
    try {
      records = await readOrders(call, await readTextFile(folder, file), options);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      // One bad file does not keep the others waiting; it is said at the end.
      call.log("error", `${file.name}: ${error.message}`);
      broken.push(`${file.name}: ${error.message}`);
      await settle(file, "failed");
      continue;
    }
    yield* inPages(records, { file: file.name, mark: file.mark }, isStarted ? (at.done ?? 0) : 0);
    // Whoever asks for more has stored the last page, so the file is not needed again.
    await settle(file, "processed");
    call.log("info", `${file.name}: ${records.length} orders`);
  }
  if (files.length === 0) yield { records: [], cursor: at, total: 0 };
  if (broken.length > 0) throw new RemoteError("invalid_file", broken.join(" ").slice(0, 2000));
}

/** The orders of a file, in its order. All that is wrong with it is said at once, and then nothing of it is taken. */
async function readOrders(call: Call, csv: string, options: SheetOptions): Promise<PulledRecord[]> {
  try {
    const sheet = await readSheet(cleanText(csv), orderSheet, { ...options, maxRows });
    const problems = sheet.records
      .flatMap(({ errors }) => errors)
      .map(({ row, column, code, message }) => placedError(row, column, code, message).message);
    if (problems.length > 0) throw invalid(problems);
    if (sheet.warnings.length > 0) {
      call.log(
        "warn",
        `Columns that were not read: ${sheet.warnings
          .map(({ column }) => column)
          .join(", ")
          .slice(0, 500)}.`,
      );
    }
    return sheet.records.map((record) => toPulled(record, sheet));
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { errors = [] } = error.details;
    if (errors.some(({ code }) => code === "empty")) return [];
    throw invalid(
      errors.map(({ pointer, message }) => (pointer.startsWith("/csv") ? message : `${pointer}: ${message}`)),
    );
  }
}

function invalid(problems: string[]): RemoteError {
  const more = problems.length > maxTold ? ` And ${problems.length - maxTold} more.` : "";
  return new RemoteError("invalid_file", `${problems.slice(0, maxTold).join(" ")}${more}`);
}

/** Without an external id the number stands for it; without both, the content does, so that a file read twice is one. */
function toPulled({ request, rows }: SheetRecord, { columns }: Sheet): PulledRecord {
  const raw = rows.map(({ cells }) => Object.fromEntries(columns.map(({ column }, i) => [column, cells[i] ?? ""])));
  const given = request.externalId ?? request.number;
  const externalId = typeof given === "string" ? given : `row-${shortHash(JSON.stringify(raw))}`;
  return { externalId, raw: { rows: raw }, canonical: { ...request, externalId } };
}

function* inPages(records: PulledRecord[], place: Cursor, from: number): Generator<Page> {
  let done = from;
  do {
    const page = records.slice(done, done + pageSize);
    done += page.length;
    yield { records: page, cursor: { ...place, done }, total: records.length };
  } while (done < records.length);
}

export const sheetSettings = {
  delimiter: Type.Optional(
    OneOf(["auto", "comma", "semicolon", "tab"], {
      title: "Delimiter",
      default: "auto",
      description: "Between columns",
    }),
  ),
  mapping: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String({ maxLength: 100 }), Type.Null()]), {
      title: "Mapping",
      "x-advanced": true,
      description: "Column name to field, such as customer.name or line.sku; null leaves a column out",
      examples: [{ Bestellnummer: "number", Artikel: "line.sku" }],
    }),
  ),
};

export const ordersImport = pullTask("orders.import", {
  description:
    "Reads orders from the text in the input, or from the files of the folder, oldest first. A file that was read is " +
    "moved to `processed`, one that cannot be read to `failed`. Rows with the same order number are one order.",
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

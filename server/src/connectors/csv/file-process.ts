import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { setPriority } from "node:os";
import path from "node:path";
import type { BareRow } from "../../core/csv/csv.ts";
import { MalformedCsv } from "../../core/csv/csv.ts";
import type { CsvSource } from "../../core/csv/csv-source.ts";
import { openText } from "../../core/csv/csv-source.ts";
import { decodeText } from "../../core/csv/decode-text.ts";
import { isZip, MalformedXlsx, xlsxToCsv } from "../../core/csv/read-xlsx.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { FileAnswer, FileQuestion, OpenedFile } from "./file-reader.ts";

/** A process that reads files of partners for file-reader.ts and ends with the process that started it. */
const niceness = 10;
setPriority(niceness);

const maxFileBytes = 50 * 1024 * 1024;
const batchRows = 500;
const batchCharacters = 256 * 1024;

class Refused extends Error {}

let source: CsvSource | undefined;
let rows: AsyncIterator<BareRow> | undefined;

async function open({ file, encoding, delimiter, maxRows, maxBytes = maxFileBytes }: OpenedFile): Promise<FileAnswer> {
  if ((await stat(file)).size > maxBytes) {
    throw new Refused(`${path.basename(file)} has more than ${maxBytes / 1024 / 1024} MB; split it.`);
  }
  const bytes = await readFile(file);
  const text = cleanText(isZip(bytes) ? xlsxToCsv(bytes) : decodeText(bytes, encoding).text);
  source = openText(text, { delimiter, maxRows });
  return { delimiter: source.delimiter, hasDecisiveDate: source.hasDecisiveDate() };
}

async function readBatch(): Promise<FileAnswer> {
  const batch: BareRow[] = [];
  for (let characters = 0; batch.length < batchRows && characters < batchCharacters;) {
    const { value, done } = await rows!.next();
    if (done) return { rows: batch, isLast: true };
    batch.push(value);
    for (const cell of value.cells) characters += cell.length;
  }
  return { rows: batch, isLast: false };
}

async function answer(question: FileQuestion): Promise<FileAnswer> {
  try {
    if ("file" in question) return await open(question);
    if (question.read === "from the start") rows = source!.rows(question.quoting)[Symbol.asyncIterator]();
    return await readBatch();
  } catch (error) {
    const isOfFile = error instanceof Refused || error instanceof MalformedXlsx || error instanceof MalformedCsv;
    return { [isOfFile ? "refused" : "failed"]: (error as Error).message } as FileAnswer;
  }
}

process.once("disconnect", () => process.exit(0));
for (;;) {
  const [question] = (await once(process, "message")) as [FileQuestion];
  process.send!(await answer(question));
}

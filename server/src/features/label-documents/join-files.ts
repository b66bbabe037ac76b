import type { FieldError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import type { Ctx } from "../../context.ts";
import { readFilesOf } from "../labels/labels.ts";
import type { FileToPrint } from "./document-writer.ts";
import { startZpl } from "./document-writer.ts";
import type { LabelDocumentRequest, Paper } from "./label-documents.schemas.ts";
import { startPdf } from "./pdf/pdf-writer.ts";
import type { PrintableFile, PrintableLabel } from "./printable-files.ts";
import { nameOf } from "./printable-files.ts";

/** `printed`: IDs of the labels in the document. `unusable`: labels whose files are damaged or gone. */
type Joined = { body: AsyncGenerator<Uint8Array>; printed: string[]; unusable: FieldError[] };

/** Read at once: mostly some hundred KB, and in the worst case as much as the whole document may have. */
const labelsAtOnce = 25;

export async function joinFiles(
  ctx: Ctx,
  labels: PrintableLabel[],
  format: NonNullable<LabelDocumentRequest["format"]>,
  paper: Paper = "4x6",
): Promise<Joined> {
  const writer = format === "pdf" ? await startPdf(paper) : startZpl();
  const printed: string[] = [];
  const unusable: FieldError[] = [];
  for (let from = 0; from < labels.length; from += labelsAtOnce) {
    const batch = labels.slice(from, from + labelsAtOnce);
    const ids = batch.map(({ label }) => label.id);
    const stored = await readFilesOf(ctx.db, ctx.orgId, ids);
    const contents = new Map(stored.map((file) => [keyOf(file.labelId, file), file.content]));
    for (const { label, pointer, files } of batch) {
      const found = files.flatMap((file) => {
        const content = contents.get(keyOf(label.id, file));
        return content ? [toPrint(file, content)] : [];
      });
      const problem = found.length < files.length ? removed : await writer.add(found);
      if (problem) unusable.push({ pointer, code: problem.code, message: `${nameOf(label)} ${problem.reason}` });
      else printed.push(label.id);
      await yieldToEventLoop();
    }
  }
  return { body: each(await writer.finish()), printed, unusable };
}

const removed = {
  code: "no_file",
  reason: "has no file any more: it was removed at the end of its retention period.",
};

function keyOf(labelId: string, { kind, position }: Pick<PrintableFile, "kind" | "position">): string {
  return `${labelId} ${kind} ${position}`;
}

function toPrint({ kind, position, contentType }: PrintableFile, content: Buffer): FileToPrint {
  return { contentType, content, name: `${kind} ${position + 1}`, isDocument: kind === "document" };
}

async function* each(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

import type { FieldError } from "../../core/errors.ts";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { Streamed } from "../../route.ts";
import { markPrinted, requirePersonalData } from "../labels/labels.ts";
import { getPrintSettings } from "../documents/documents.ts";
import type { Chosen } from "./choose-labels.ts";
import { chooseLabels } from "./choose-labels.ts";
import { joinFiles } from "./join-files.ts";
import type { LabelDocumentRequest } from "./label-documents.schemas.ts";
import { maxFiles } from "./label-documents.schemas.ts";
import type { PrintableLabel } from "./printable-files.ts";
import { filesOf, nameOf } from "./printable-files.ts";

/** The files are joined in memory. */
const maxMegabytes = 64;

/**
 * One file with the labels of the request. They are marked as printed after it was made and before it is sent: a lost response
 * is printed again, while labels that were sent without a mark would be printed twice.
 */
export async function createLabelDocument(ctx: Ctx, request: LabelDocumentRequest): Promise<Streamed> {
  requirePersonalData(ctx);
  const { format = "pdf", size } = request;
  if (format === "zpl" && size !== undefined)
    throw badField(
      "/size",
      "pdf_only",
      "`size` applies to PDF files. ZPL labels are printed as the carrier made them.",
    );
  const { chosen, missing } = await chooseLabels(ctx, request);
  if (request.refusePrinted) refusePrinted(chosen);
  const found = chosen.map((one) => filesOf(one, request));
  const printable = found.flatMap((one) => ("files" in one ? [one] : []));
  const refused = [...missing, ...found.flatMap((one) => ("files" in one ? [] : [one]))];
  refuse(refused, request);
  if (printable.length === 0) throw new HubError("nothing_to_print", undefined, { errors: refused });
  requireBounds(printable);
  const paper = size ?? (await getPrintSettings(ctx)).papers.labels;
  const { body, printed, unusable } = await joinFiles(ctx, printable, format, paper);
  refuse(unusable, request);
  if (printed.length === 0) throw new HubError("nothing_to_print", undefined, { errors: [...refused, ...unusable] });
  await change(ctx, (tx) => markPrinted(tx, ctx, printed));
  const [type, name] = format === "pdf" ? ["application/pdf", "labels.pdf"] : ["application/zpl", "labels.zpl"];
  const skipped = refused.length + unusable.length;
  return new Streamed(type, name, body, { "hub-labels-skipped": String(skipped) });
}

/** A label that is printed by mistake twice can end up on two parcels. */
function refusePrinted(chosen: readonly Chosen[]): void {
  const printed = chosen.filter(({ label }) => label.printCount > 0);
  if (printed.length === 0) return;
  const errors = printed.map(({ label, pointer }) => {
    const times = label.printCount === 1 ? "once" : `${label.printCount} times`;
    return { pointer, code: "already_printed", message: `${nameOf(label)} was printed ${times}.` };
  });
  const message = `${printed.length} of ${chosen.length} ${chosen.length === 1 ? "label was" : "labels were"} printed before.`;
  throw new HubError("labels_already_printed", message, { errors });
}

function refuse(problems: FieldError[], { skipUnavailable = false }: LabelDocumentRequest): void {
  if (problems.length === 0 || skipUnavailable) return;
  const [first] = problems;
  const rest = problems.length === 1 ? "" : ` There are ${problems.length - 1} more.`;
  throw new HubError("labels_not_printable", `${first!.message}${rest}`, { errors: problems });
}

function requireBounds(labels: PrintableLabel[]): void {
  const files = labels.flatMap((label) => label.files);
  const hint = "Print fewer labels at once, with `limit` and `offset`.";
  if (files.length > maxFiles) {
    const message = `These are ${files.length} parcels and documents; a file has at most ${maxFiles}. ${hint}`;
    throw new HubError("too_many_labels", message);
  }
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2;
  if (megabytes > maxMegabytes) {
    const message = `The labels have ${Math.ceil(megabytes)} MiB; a file has at most ${maxMegabytes}. ${hint}`;
    throw new HubError("too_many_labels", message);
  }
}

import type { LabelFile } from "../../carriers/seam/labels.ts";
import type { FieldError } from "../../core/errors.ts";
import type { ShipmentLabel } from "../labels/labels.ts";
import { mayBePrinted, parcelsOf } from "../labels/labels.ts";
import type { Chosen } from "./choose-labels.ts";
import type { LabelDocumentRequest } from "./label-documents.schemas.ts";

type ContentType = LabelFile["contentType"];
type Format = NonNullable<LabelDocumentRequest["format"]>;

/** A file of a label that goes into the document. */
export type PrintableFile = {
  kind: "parcel" | "document";
  position: number;
  contentType: ContentType;
  bytes: number;
};
export type PrintableLabel = Chosen & { files: PrintableFile[] };

const printableAs: Record<Format, readonly ContentType[]> = {
  pdf: ["application/pdf", "image/png", "image/gif"],
  zpl: ["application/zpl"],
};
const typeNames: Record<ContentType, string> = {
  "text/plain": "text",
  "application/pdf": "PDF",
  "image/png": "PNG",
  "image/gif": "GIF",
  "application/zpl": "ZPL",
};

/** The files of a label in the order in which they are printed, or why it cannot be printed. */
export function filesOf(
  chosen: Chosen,
  { format = "pdf", include = [] }: Pick<LabelDocumentRequest, "format" | "include">,
): PrintableLabel | FieldError {
  const { label, pointer } = chosen;
  const refuse = (code: string, reason: string): FieldError => ({
    pointer,
    code,
    message: `${nameOf(label)} ${reason}`,
  });
  if (!mayBePrinted(label)) return refuse(...stateProblem(label));
  const parcels = parcelsOf(label).map((file, position) => ({ ...file, kind: "parcel" as const, position }));
  const documents = label.documents.map((file, position) => ({ ...file, kind: "document" as const, position }));
  const included = documents.filter((document) => include.includes(label.documents[document.position]!.kind));
  const files: PrintableFile[] = [];
  for (const { kind, position, contentType, contentBytes } of [...parcels, ...included]) {
    const what = kind === "parcel" ? `parcel ${position + 1}` : `document ${position + 1}`;
    if (contentType === null)
      return refuse("no_file", `has no file for ${what}: the carrier did not send it. Download it from the carrier.`);
    if (!printableAs[format].includes(contentType))
      return refuse("wrong_format", formatProblem(contentType, format, what));
    files.push({ kind, position, contentType, bytes: contentBytes ?? 0 });
  }
  return { ...chosen, files };
}

/** Tracking numbers are what a clerk sees; the ID is what the API takes. */
export function nameOf({ id, trackingNumber }: Pick<ShipmentLabel, "id" | "trackingNumber">): string {
  return trackingNumber === null ? `Label ${id}` : `Label ${id} (${trackingNumber})`;
}

function stateProblem({ status }: ShipmentLabel): [code: string, reason: string] {
  if (status === "purchased") return ["void_pending", "is being voided."];
  if (status === "voided") return ["voided", "is voided."];
  return ["not_purchased", status === "failed" ? "was not bought: the request failed." : "is not bought yet."];
}

function formatProblem(contentType: ContentType, format: Format, what: string): string {
  const other = format === "pdf" ? "zpl" : "pdf";
  const fix = printableAs[other].includes(contentType) ? ` Print it with the format ${other}.` : "";
  return `is a ${typeNames[contentType]} file (${what}), which does not go into a ${format.toUpperCase()} file.${fix}`;
}

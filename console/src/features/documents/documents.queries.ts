import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";
import { usePreferences } from "../../live/preferences.ts";
import { downloadBlob } from "../../ui/download-text.ts";
import type { Printed } from "../../ui/print-blob.ts";
import { printBlob } from "../../ui/print-blob.ts";

type LabelRequest = NonNullable<Input<"POST /api/v1/shipments/labels/documents">["body"]>;
type DocumentRequest = NonNullable<Input<"POST /api/v1/documents">["body"]>;

export type DocumentKind = "labels" | DocumentRequest["kind"];
export type Paper = NonNullable<DocumentRequest["paper"]>;

/** What a document is made of: exactly one of them. */
export type DocumentSource = Pick<
  DocumentRequest,
  "runId" | "selectionId" | "orderIds" | "shipmentIds" | "labelIds" | "filter"
>;

export type PrintChoice = {
  kind: DocumentKind;
  /** Undefined: the default of the organization. */
  paper: Paper | undefined;
  format: "pdf" | "zpl";
  sort: NonNullable<LabelRequest["sort"]>;
  output: Printed;
};

/** How documents of a kind are printed: as the user chose last. */
export function usePrintChoice(): (kind: DocumentKind) => PrintChoice {
  const { preferences } = usePreferences();
  return (kind) => ({
    kind,
    paper: undefined,
    format: "pdf",
    sort: "given",
    output: "dialog",
    ...preferences.print?.[kind],
  });
}

/** Prints or downloads a requested file. Answers which of them happened. */
export async function deliver(name: string, file: Blob, { output }: PrintChoice): Promise<Printed> {
  if (output === "dialog") return await printBlob(name, file);
  downloadBlob(name, file);
  return "file";
}

/** `onlyNew`: labels that were not printed before. `others`: print those that can be printed. */
export type PrintAnswers = { reprint?: boolean; onlyNew?: boolean; others?: boolean };

/** Requests the file. Labels have a route of their own, which also marks them as printed. */
export async function requestDocument(
  source: DocumentSource,
  { kind, paper, format, sort }: PrintChoice,
  { reprint = false, onlyNew = false, others = false }: PrintAnswers = {},
): Promise<Blob> {
  if (kind !== "labels") {
    const body: DocumentRequest = { ...source, kind, ...(paper && { paper }), sort, skipUnavailable: others };
    return await hub.call("POST /api/v1/documents", { body });
  }
  const body: LabelRequest = {
    ...source,
    format,
    ...(format === "pdf" && paper && { size: paper }),
    sort,
    refusePrinted: !reprint && !onlyNew,
    ...(onlyNew && { isPrinted: false }),
    skipUnavailable: others,
  };
  return await hub.call("POST /api/v1/shipments/labels/documents", { body });
}

export type PrintSettings = Answer<"GET /api/v1/documents/settings">;

export const readPrintSettings = (): Promise<PrintSettings> => hub.call("GET /api/v1/documents/settings");

export const printSettingsQuery = queryOptions({ queryKey: ["print-settings"], queryFn: readPrintSettings });

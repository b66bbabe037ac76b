import { decodePDFRawStream, PDFDocument, PDFName, PDFRawStream } from "@cantoo/pdf-lib";
import type { PDFDict, PDFPage } from "@cantoo/pdf-lib";

/** Size in points, the texts of the page, and the transformation of each object that is drawn on it. */
export type PdfPage = { width: number; height: number; text: string; placed: number[][]; images: number };

/** The pages of a PDF file, with what is drawn on them by other objects. */
export async function readPdf(bytes: Uint8Array): Promise<PdfPage[]> {
  const file = await PDFDocument.load(bytes, { updateMetadata: false });
  return file.getPages().map((page) => {
    const { width, height } = page.getSize();
    const own = contentsOf(page);
    const drawn = objectsOf(page.node.Resources());
    const forms = drawn.filter((object) => isKind(object, "Form"));
    const texts = [own, ...forms.map((form) => textOf(form))];
    const placed = [...own.matchAll(/((?:-?[\d.]+ ){6})cm/g)].map(([, numbers]) =>
      numbers!.trim().split(" ").map(Number),
    );
    const images = [...drawn, ...forms.flatMap((form) => objectsOf(formResources(form)))];
    return {
      width,
      height,
      text: texts.join("\n"),
      placed,
      images: images.filter((object) => isKind(object, "Image")).length,
    };
  });
}

function contentsOf({ node }: PDFPage): string {
  const { Contents } = node.normalizedEntries();
  return (Contents?.asArray() ?? []).map((ref) => textOf(node.context.lookup(ref))).join("\n");
}

function textOf(stream: unknown): string {
  return stream instanceof PDFRawStream ? Buffer.from(decodePDFRawStream(stream).decode()).toString("latin1") : "";
}

function objectsOf(resources: PDFDict | undefined): PDFRawStream[] {
  const found = resources?.lookup(PDFName.of("XObject")) as PDFDict | undefined;
  return (found?.values() ?? []).flatMap((ref) => {
    const object = resources!.context.lookup(ref);
    return object instanceof PDFRawStream ? [object] : [];
  });
}

function formResources(form: PDFRawStream): PDFDict | undefined {
  return form.dict.lookup(PDFName.of("Resources")) as PDFDict | undefined;
}

function isKind(object: PDFRawStream, kind: string): boolean {
  return object.dict.get(PDFName.of("Subtype")) === PDFName.of(kind);
}

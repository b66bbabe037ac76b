import type * as Library from "@cantoo/pdf-lib";
import type { PDFDocument, PDFRef } from "@cantoo/pdf-lib";
import type { FlatImage } from "./flat-image.ts";
import { decodeGif } from "./gif-image.ts";
import type { Picture } from "./placement.ts";
import { takePng } from "./png-image.ts";

type PdfLibrary = typeof Library;
type FileType = "application/pdf" | "image/png" | "image/gif";

/** A page of a label file. Nothing is added to the target before `embed` or `copy` is called. */
export type SourcePage = Picture & {
  /** Adds it as an object that can be drawn. */
  embed(target: PDFDocument): Promise<PDFRef>;
  /** Adds it as a page of its own. */
  copy?(target: PDFDocument): Promise<void>;
};

/** Throws if the file is damaged or encrypted. */
export async function readPages(lib: PdfLibrary, contentType: FileType, content: Buffer): Promise<SourcePage[]> {
  if (contentType === "application/pdf") return await readPdf(lib, content);
  const image = contentType === "image/gif" ? decodeGif(content) : takePng(content);
  return [image ? flatPage(lib, image) : pngPage(content)];
}

async function readPdf({ PDFDocument }: PdfLibrary, content: Buffer): Promise<SourcePage[]> {
  const source = await PDFDocument.load(content, { updateMetadata: false });
  return source.getPages().flatMap((page, index): SourcePage[] => {
    // An empty page has nothing to print.
    if (!page.node.Contents()) return [];
    const { x, y, width, height } = page.getCropBox();
    const angle = ((page.getRotation().angle % 360) + 360) % 360;
    return [
      {
        width,
        height,
        angle,
        isImage: false,
        async embed(target) {
          const shown = await target.embedPage(page, { left: x, bottom: y, right: x + width, top: y + height });
          await shown.embed();
          return shown.ref;
        },
        async copy(target) {
          const [copied] = await target.copyPages(source, [index]);
          target.addPage(copied);
        },
      },
    ];
  });
}

function flatPage({ PDFHexString }: PdfLibrary, image: FlatImage): SourcePage {
  const { width, height, bitsPerComponent, colors, palette, data, hasPngFilters } = image;
  const indexed = palette && [
    "Indexed",
    "DeviceRGB",
    Math.floor(palette.length / 3) - 1,
    PDFHexString.of(palette.toString("hex")),
  ];
  const filters = { Predictor: 15, Colors: colors, BitsPerComponent: bitsPerComponent, Columns: width };
  return {
    width,
    height,
    angle: 0,
    isImage: true,
    async embed({ context }) {
      const stream = context.stream(data, {
        Type: "XObject",
        Subtype: "Image",
        Width: width,
        Height: height,
        BitsPerComponent: bitsPerComponent,
        ColorSpace: indexed ?? (colors === 3 ? "DeviceRGB" : "DeviceGray"),
        Filter: "FlateDecode",
        ...(hasPngFilters && { DecodeParms: filters }),
      });
      return context.register(stream);
    },
  };
}

/** A rare kind of PNG file, decoded by the library. The header has been checked. */
function pngPage(content: Buffer): SourcePage {
  return {
    width: content.readUInt32BE(16),
    height: content.readUInt32BE(20),
    angle: 0,
    isImage: true,
    async embed(target) {
      const image = await target.embedPng(content);
      await image.embed();
      return image.ref;
    },
  };
}

import type { PDFPage } from "@cantoo/pdf-lib";
import type { Paper } from "../label-documents.schemas.ts";
import type { DocumentWriter, FileToPrint } from "../document-writer.ts";
import type { Box, Size } from "./placement.ts";
import { fits, placeIn, uprightSize } from "./placement.ts";
import type { SourcePage } from "./source-pages.ts";
import { readPages } from "./source-pages.ts";

/** In points, 72 to the inch. */
const paperSizes: Record<Paper, Size> = {
  "4x6": { width: 288, height: 432 },
  a6: { width: 297.64, height: 419.53 },
  letter: { width: 612, height: 792 },
  a4: { width: 595.28, height: 841.89 },
};

/** Where labels go: 4 x 6 inches, on sheets in the middle of each half as on half-sheet label paper. */
function slotsOf(paper: Paper): Box[] {
  const { width, height } = paperSizes[paper];
  if (paper === "4x6" || paper === "a6") return [{ x: 0, y: 0, width, height }];
  const slot = { width: 432, height: 288 };
  const x = (width - slot.width) / 2;
  return [0.75, 0.25].map((part) => ({ ...slot, x, y: height * part - slot.height / 2 }));
}

const isSame = (a: number, b: number): boolean => Math.abs(a - b) < 1.5;

export async function startPdf(paper: Paper): Promise<DocumentWriter> {
  // Loaded on demand: the library has hundreds of modules, and only worker processes use it.
  const lib = await import("@cantoo/pdf-lib");
  const target = await lib.PDFDocument.create({ updateMetadata: false });
  const size = paperSizes[paper];
  const sheet: Box = { x: 0, y: 0, ...size };
  const slots = slotsOf(paper);
  let page: PDFPage | undefined;
  let free: Box[] = [];

  async function draw(source: SourcePage, box: Box): Promise<void> {
    const ref = await source.embed(target);
    const name = page!.node.newXObject("Label", ref);
    page!.pushOperators(
      lib.pushGraphicsState(),
      lib.concatTransformationMatrix(...placeIn(source, box)),
      lib.drawObject(name),
      lib.popGraphicsState(),
    );
  }

  async function write(source: SourcePage, isDocument: boolean): Promise<void> {
    const { width, height } = uprightSize(source);
    const hasOwnSize = isDocument || (source.angle === 0 && isSame(width, size.width) && isSame(height, size.height));
    const isForSlot = fits(source, slots[0]!);
    if (source.copy && hasOwnSize) {
      free = [];
      await source.copy(target);
    } else if (isForSlot) {
      if (free.length === 0) {
        page = target.addPage([size.width, size.height]);
        free = [...slots];
      }
      await draw(source, free.shift()!);
    } else {
      page = target.addPage([size.width, size.height]);
      free = [];
      await draw(source, sheet);
    }
  }

  return {
    async add(files) {
      const pages: { source: SourcePage; isDocument: boolean }[] = [];
      for (const file of files) {
        const found = await readOrNothing(file);
        if (!found) return { code: "unreadable_file", reason: `has a file that cannot be read (${file.name}).` };
        if (!file.isDocument && !found.every((source) => fits(source, sheet))) {
          const reason = `has a page that is too large for ${paper} paper (${file.name}). Print it with another \`size\`.`;
          return { code: "too_large", reason };
        }
        pages.push(...found.map((source) => ({ source, isDocument: file.isDocument })));
      }
      for (const { source, isDocument } of pages) await write(source, isDocument);
      return undefined;
    },
    async finish() {
      return [await target.save({ useObjectStreams: false, objectsPerTick: 500 })];
    },
  };

  async function readOrNothing({ contentType, content }: FileToPrint): Promise<SourcePage[] | undefined> {
    if (contentType !== "application/pdf" && contentType !== "image/png" && contentType !== "image/gif")
      return undefined;
    try {
      const found = await readPages(lib, contentType, content);
      return found.length === 0 ? undefined : found;
    } catch {
      // The library throws many kinds of errors; to the user all of them mean a file of the carrier that is not valid.
      return undefined;
    }
  }
}

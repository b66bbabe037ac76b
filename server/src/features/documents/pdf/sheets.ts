import * as fontkit from "@cantoo/fontkit";
import * as lib from "@cantoo/pdf-lib";
import type { PDFDocument, PDFImage, PDFPage } from "@cantoo/pdf-lib";
import { isRightToLeftText } from "./bidi-runs.ts";
import { cleanText } from "./clean-text.ts";
import { code128 } from "./code128.ts";
import type { Weight } from "./font-files.ts";
import type { FontSet } from "./font-set.ts";
import { createFontSet } from "./font-set.ts";
import { wrapText } from "./wrap-text.ts";

export type SheetSize = { width: number; height: number };

/** `gray`: 0 is black. `align`: where the lines end if they are shorter than `width`. */
export type TextStyle = { size: number; weight?: Weight; gray?: number; align?: "start" | "end"; maxLines?: number };
type Box = { x: number; y: number; width: number };

/** Pages of a document. Positions are in points from the top left corner; a box has its upper edge at `y`. */
export type Sheets = {
  /** Loads the fonts for these texts. */
  prepare(...texts: string[]): Promise<void>;
  addPage(): void;
  pageCount(): number;
  /** Draws lines and returns their height. */
  text(box: Box, text: string, style: TextStyle): number;
  /** Height that `text` would take. */
  heightOf(width: number, text: string, style: TextStyle): number;
  line(box: Box, gray?: number): void;
  frame(box: Box & { height: number }): void;
  /** Bar code of the text, at most `width` wide, right-aligned; false if it cannot be one. */
  barcode(box: Box & { height: number }, text: string): boolean;
  image(box: Box & { height: number }, image: PDFImage): { height: number };
  embedImage(type: "image/png" | "image/jpeg", content: Uint8Array): Promise<PDFImage>;
  /** Returns to an earlier page to draw on it, such as for "page 1 of 2". */
  onPage(index: number, draw: () => void): void;
  finish(): Promise<Uint8Array>;
};

const lineHeight = 1.32;
/** Bars thinner than this do not scan reliably from a label printer with 203 dpi. */
const [smallestModule, widestModule] = [0.7, 1.1];

export async function startSheets({ width, height }: SheetSize): Promise<Sheets> {
  const document = await lib.PDFDocument.create({ updateMetadata: false });
  document.registerFontkit(fontkit);
  const fonts: Record<Weight, FontSet> = {
    regular: createFontSet(document, "regular"),
    bold: createFontSet(document, "bold"),
  };
  return sheetsOf(document, fonts, { width, height });
}

function sheetsOf(document: PDFDocument, fonts: Record<Weight, FontSet>, size: SheetSize): Sheets {
  const pages: PDFPage[] = [];
  let page: PDFPage | undefined;

  function linesOf(width: number, text: string, { size: fontSize, weight = "regular", maxLines = 40 }: TextStyle) {
    const set = fonts[weight];
    const clean = cleanText(text, { keepsLines: true });
    const lines = wrapText(clean, { width: (width * 1_000) / fontSize, maxLines, widthOf: set.widthOf });
    return { set, lines: clean === "" ? [] : lines };
  }

  function drawLine(
    line: string,
    { x, y, width }: Box,
    { size: fontSize, weight = "regular", gray = 0, align }: TextStyle,
  ) {
    const isRightToLeft = isRightToLeftText(line);
    const runs = fonts[weight].shape(line, isRightToLeft);
    const used = (runs.reduce((sum, run) => sum + run.width, 0) * fontSize) / 1_000;
    let left = align === "end" ? x + width - used : x;
    const operators = [lib.beginText(), lib.setFillingGrayscaleColor(gray)];
    for (const { font, codes, width: wide } of runs) {
      operators.push(
        lib.setFontAndSize(nameOf(page!, font), fontSize),
        lib.setTextMatrix(1, 0, 0, 1, left, size.height - y),
        lib.showText(codes),
      );
      left += (wide * fontSize) / 1_000;
    }
    page!.pushOperators(...operators, lib.endText());
  }

  const names = new Map<PDFPage, Map<unknown, ReturnType<typeof lib.PDFName.of>>>();
  function nameOf(on: PDFPage, font: Parameters<PDFPage["setFont"]>[0]) {
    const known = names.get(on) ?? new Map();
    names.set(on, known);
    const name = known.get(font) ?? on.node.newFontDictionary("F", font.ref);
    known.set(font, name);
    return name;
  }

  return {
    async prepare(...texts) {
      const all = texts.join("");
      await fonts.regular.prepare(all);
      await fonts.bold.prepare(all);
    },
    addPage() {
      page = document.addPage([size.width, size.height]);
      pages.push(page);
    },
    pageCount: () => pages.length,
    text(box, text, style) {
      const { lines } = linesOf(box.width, text, style);
      const step = style.size * lineHeight;
      for (const [at, line] of lines.entries())
        drawLine(line, { ...box, y: box.y + style.size * 1.02 + at * step }, style);
      return lines.length * step;
    },
    heightOf: (width, text, style) => linesOf(width, text, style).lines.length * style.size * lineHeight,
    line({ x, y, width }, gray = 0.75) {
      page!.drawLine({
        start: { x, y: size.height - y },
        end: { x: x + width, y: size.height - y },
        thickness: 0.6,
        color: lib.grayscale(gray),
      });
    },
    frame({ x, y, width, height }) {
      page!.drawRectangle({
        x,
        y: size.height - y - height,
        width,
        height,
        borderWidth: 0.6,
        borderColor: lib.grayscale(0.6),
      });
    },
    barcode({ x, y, width, height }, text) {
      const code = code128(text);
      if (!code || code.modules * smallestModule > width) return false;
      const module = Math.min(width / code.modules, widestModule);
      let left = x + width - code.modules * module;
      const operators = [lib.setFillingGrayscaleColor(0)];
      for (const [at, bars] of code.widths.entries()) {
        if (at % 2 === 0) operators.push(lib.rectangle(left, size.height - y - height, bars * module, height));
        left += bars * module;
      }
      page!.pushOperators(...operators, lib.fill());
      return true;
    },
    image({ x, y, width, height }, image) {
      const scale = Math.min(width / image.width, height / image.height, 1);
      const shown = image.height * scale;
      page!.drawImage(image, { x, y: size.height - y - shown, width: image.width * scale, height: shown });
      return { height: shown };
    },
    embedImage: (type, content) => (type === "image/png" ? document.embedPng(content) : document.embedJpg(content)),
    onPage(index, draw) {
      const before = page;
      page = pages[index];
      draw();
      page = before;
    },
    finish: () => document.save({ useObjectStreams: false, objectsPerTick: 500 }),
  };
}

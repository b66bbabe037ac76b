import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

export type Weight = "regular" | "bold";

const resolver = createRequire(import.meta.url);

/** Fonts by the scripts they add, in the order in which they are asked for a character. */
const packages: ReadonlyArray<{ entry: string; regular: string; bold: string }> = [
  // Latin, Greek, Cyrillic, Vietnamese, Devanagari.
  {
    entry: resolver.resolve("@embedpdf/fonts-latin"),
    regular: "NotoSans-Regular.ttf",
    bold: "NotoSans-Bold.ttf",
  },
  {
    entry: resolver.resolve("@embedpdf/fonts-arabic"),
    regular: "NotoNaskhArabic-Regular.ttf",
    bold: "NotoNaskhArabic-Bold.ttf",
  },
  {
    entry: resolver.resolve("@embedpdf/fonts-hebrew"),
    regular: "NotoSansHebrew-Regular.ttf",
    bold: "NotoSansHebrew-Bold.ttf",
  },
  // Chinese characters, kana, and symbols such as arrows.
  {
    entry: resolver.resolve("@embedpdf/fonts-sc"),
    regular: "NotoSansHans-Regular.otf",
    bold: "NotoSansHans-Bold.otf",
  },
  { entry: resolver.resolve("@embedpdf/fonts-kr"), regular: "NotoSansKR-Regular.otf", bold: "NotoSansKR-Bold.otf" },
];

export const fontCount = packages.length;

export async function readFont(index: number, weight: Weight): Promise<Buffer> {
  const { entry, [weight]: file } = packages[index]!;
  return await readFile(path.join(path.dirname(entry), "..", "fonts", file));
}

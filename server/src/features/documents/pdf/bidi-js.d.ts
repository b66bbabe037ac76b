/** The types of the package describe an ES module, but Node loads the CommonJS one, whose export is the function itself. */
declare module "bidi-js" {
  type Levels = { levels: Uint8Array; paragraphs: { start: number; end: number; level: number }[] };
  type Bidi = {
    getEmbeddingLevels(text: string, base?: "ltr" | "rtl" | "auto"): Levels;
    getMirroredCharactersMap(text: string, levels: Uint8Array): Map<number, string>;
  };
  export default function bidiFactory(): Bidi;
}

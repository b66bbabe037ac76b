/** An image as a PDF file stores it: rows of compressed pixels without transparency. */
export type FlatImage = {
  width: number;
  height: number;
  bitsPerComponent: number;
  /** Components of a pixel: 1 is gray or an index into the palette, 3 is RGB. */
  colors: 1 | 3;
  /** Three bytes a color. */
  palette?: Buffer;
  /** zlib stream. */
  data: Buffer;
  /** Each row begins with the byte of its PNG filter. */
  hasPngFilters: boolean;
};

/** A label of 4 by 6 inches has two million pixels at 300 dpi. */
const maxPixels = 25_000_000;

export function requireSaneSize(width: number, height: number): void {
  if (width < 1 || height < 1 || width * height > maxPixels) throw new Error(`an image of ${width} x ${height} pixels`);
}

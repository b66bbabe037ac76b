import { deflateSync, inflateSync } from "node:zlib";

type AlphaPixels = { width: number; height: number; data: Buffer; colors: 1 | 3 };

/**
 * Pixels of a PNG file with a byte of transparency each, on white. The library does it as well, in ten times the time, which is too
 * long for hundreds of labels.
 */
export function flattenAlpha({ width, height, data, colors }: AlphaPixels): Buffer {
  const pixelBytes = colors + 1;
  const rowBytes = width * pixelBytes;
  const raw = inflateSync(data, { maxOutputLength: (rowBytes + 1) * height });
  if (raw.length < (rowBytes + 1) * height) throw new Error("a PNG file with too few pixels");
  const flat = Buffer.allocUnsafe(width * height * colors);
  let above: Uint8Array = new Uint8Array(rowBytes);
  let at = 0;
  for (let y = 0; y < height; y++) {
    const from = y * (rowBytes + 1);
    const row = raw.subarray(from + 1, from + 1 + rowBytes);
    unfilter(raw[from]!, row, above, pixelBytes);
    for (let x = 0; x < rowBytes; x += pixelBytes) {
      const alpha = row[x + colors]!;
      for (let color = 0; color < colors; color++)
        flat[at++] = 255 - Math.round(((255 - row[x + color]!) * alpha) / 255);
    }
    above = row;
  }
  return deflateSync(flat, { level: 3 });
}

/** A row holds the differences to the pixel on the left, the one above, or a mixture; restores it in place. */
function unfilter(kind: number, row: Uint8Array, above: Uint8Array, pixelBytes: number): void {
  if (kind === 0) return;
  if (kind > 4) throw new Error("a damaged PNG file");
  for (let x = 0; x < row.length; x++) {
    const left = x < pixelBytes ? 0 : row[x - pixelBytes]!;
    const up = above[x]!;
    const corner = x < pixelBytes ? 0 : above[x - pixelBytes]!;
    const guess = kind === 1 ? left : kind === 2 ? up : kind === 3 ? (left + up) >> 1 : nearest(left, up, corner);
    row[x] = (row[x]! + guess) & 255;
  }
}

/** The Paeth predictor: the neighbour that is closest to left + up - corner. */
function nearest(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

import { crc32 } from "node:zlib";
import { flattenAlpha } from "./flatten-alpha.ts";
import type { FlatImage } from "./flat-image.ts";
import { requireSaneSize } from "./flat-image.ts";

const signatureBytes = 8;
/** Length, type and checksum of a chunk. */
const chunkFrameBytes = 12;

/**
 * PDF files store images in the same way as PNG files do, so the pixels are taken over without decoding them: that is what makes
 * a file of 500 labels take a second. Undefined for kinds that are rare on labels and left to the library: interlaced, with a
 * transparent color, or with 16 bits and transparency.
 */
export function takePng(content: Buffer): FlatImage | undefined {
  let header: Buffer | undefined;
  let palette: Buffer | undefined;
  let isTransparent = false;
  const pixels: Buffer[] = [];
  for (const { type, data } of chunksOf(content)) {
    if (type === "IHDR") header = data;
    else if (type === "PLTE") palette = data;
    else if (type === "tRNS") isTransparent = true;
    else if (type === "IDAT") pixels.push(data);
  }
  if (!header || header.length < 13 || pixels.length === 0) throw new Error("a PNG file without an image");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  requireSaneSize(width, height);
  const [bitsPerComponent, colorType, isInterlaced] = [header[8]!, header[9]!, header[12] !== 0];
  if (![0, 2, 3, 4, 6].includes(colorType)) throw new Error("a damaged PNG file");
  if (isInterlaced || isTransparent) return undefined;
  const data = Buffer.concat(pixels);
  if (colorType === 4 || colorType === 6) {
    if (bitsPerComponent !== 8) return undefined;
    const colors = colorType === 6 ? 3 : 1;
    const flat = flattenAlpha({ width, height, data, colors });
    return { width, height, bitsPerComponent, colors, data: flat, hasPngFilters: false };
  }
  if (colorType === 3 && !palette) throw new Error("a PNG file without its palette");
  const image = { width, height, bitsPerComponent, data, hasPngFilters: true };
  if (colorType === 2) return { ...image, colors: 3 };
  return { ...image, colors: 1, ...(colorType === 3 && palette && { palette }) };
}

/** Checks each checksum: a damaged file would otherwise be noticed on the paper. */
function* chunksOf(content: Buffer): Generator<{ type: string; data: Buffer }> {
  let at = signatureBytes;
  for (;;) {
    if (at + chunkFrameBytes > content.length) throw new Error("a PNG file that is cut off");
    const length = content.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > content.length) throw new Error("a PNG file that is cut off");
    if (crc32(content.subarray(at + 4, end)) !== content.readUInt32BE(end)) throw new Error("a damaged PNG file");
    const type = content.toString("latin1", at + 4, at + 8);
    if (type === "IEND") return;
    yield { type, data: content.subarray(at + 8, end) };
    at = end + 4;
  }
}

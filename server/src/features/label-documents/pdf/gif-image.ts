import { deflateSync } from "node:zlib";
import type { FlatImage } from "./flat-image.ts";
import { requireSaneSize } from "./flat-image.ts";

const [extension, imageBlock] = [0x21, 0x2c];

/** The first image of a GIF file. PDF files cannot hold its compression (codes with the lowest bit first), so it is decoded. */
export function decodeGif(content: Buffer): FlatImage {
  const screenFlags = byteAt(content, 10);
  let at = 13;
  let palette: Buffer | undefined;
  const takePalette = (flags: number): void => {
    if ((flags & 0x80) === 0) return;
    const length = 3 * 2 ** ((flags & 7) + 1);
    palette = content.subarray(at, at + length);
    at += length;
  };
  takePalette(screenFlags);
  while (byteAt(content, at) === extension) at = readBlocks(content, at + 2).end;
  if (byteAt(content, at) !== imageBlock) throw new Error("a GIF file without an image");
  const flags = byteAt(content, at + 9);
  const [width, height] = [content.readUInt16LE(at + 5), content.readUInt16LE(at + 7)];
  requireSaneSize(width, height);
  at += 10;
  takePalette(flags);
  if (!palette) throw new Error("a GIF file without a palette");
  const codes = readBlocks(content, at + 1).data;
  const pixels = decodeLzw(codes, byteAt(content, at), width * height);
  const rows = (flags & 0x40) === 0 ? pixels : inOrder(pixels, width, height);
  return {
    width,
    height,
    bitsPerComponent: 8,
    colors: 1,
    palette: Buffer.from(palette),
    data: deflateSync(rows, { level: 3 }),
    hasPngFilters: false,
  };
}

function byteAt(content: Buffer, at: number): number {
  const byte = content[at];
  if (byte === undefined) throw new Error("a GIF file that is cut off");
  return byte;
}

/** Blocks of up to 255 bytes, each after its length, until one of length 0. */
function readBlocks(content: Buffer, from: number): { data: Buffer; end: number } {
  const blocks: Buffer[] = [];
  let at = from;
  for (;;) {
    const length = byteAt(content, at);
    if (length === 0) return { data: Buffer.concat(blocks), end: at + 1 };
    blocks.push(content.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
}

const maxCodes = 4_096;

/** Each code stands for a string of pixels: that of an earlier code and one more. */
function decodeLzw(data: Buffer, minBits: number, count: number): Buffer {
  if (minBits < 2 || minBits > 8) throw new Error("a damaged GIF file");
  const [clear, end] = [1 << minBits, (1 << minBits) + 1];
  const prefixOf = new Uint16Array(maxCodes);
  const lastOf = new Uint8Array(maxCodes);
  const lengthOf = new Uint16Array(maxCodes);
  for (let code = 0; code < clear; code++) {
    lastOf[code] = code;
    lengthOf[code] = 1;
  }
  const pixels = Buffer.alloc(count);
  let [written, next, bits, previous] = [0, end + 1, minBits + 1, -1];
  let [buffered, bufferedBits] = [0, 0];
  for (const byte of data) {
    buffered |= byte << bufferedBits;
    bufferedBits += 8;
    while (bufferedBits >= bits && written < count) {
      const code = buffered & ((1 << bits) - 1);
      buffered >>>= bits;
      bufferedBits -= bits;
      if (code === end) throw new Error("a GIF file with too few pixels");
      if (code === clear) {
        [next, bits, previous] = [end + 1, minBits + 1, -1];
        continue;
      }
      const isNew = code === next && previous >= 0;
      if (code > next || (code === next && !isNew)) throw new Error("a damaged GIF file");
      const known = isNew ? previous : code;
      const length = lengthOf[known]!;
      let first = known;
      for (let step = length - 1; step >= 0; step--) {
        if (written + step < count) pixels[written + step] = lastOf[first]!;
        if (step > 0) first = prefixOf[first]!;
      }
      written += length;
      if (isNew && written < count) pixels[written++] = lastOf[first]!;
      if (previous >= 0 && next < maxCodes) {
        prefixOf[next] = previous;
        lastOf[next] = lastOf[first]!;
        lengthOf[next] = lengthOf[previous]! + 1;
        next++;
        if (next === 1 << bits && bits < 12) bits++;
      }
      previous = code;
    }
    if (written >= count) return pixels;
  }
  throw new Error("a GIF file that is cut off");
}

/** The rows of an interlaced image come in four passes. */
function inOrder(pixels: Buffer, width: number, height: number): Buffer {
  const rows = Buffer.alloc(pixels.length);
  let from = 0;
  for (const [start, step] of [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const) {
    for (let row = start; row < height; row += step) {
      pixels.copy(rows, row * width, from, from + width);
      from += width;
    }
  }
  return rows;
}

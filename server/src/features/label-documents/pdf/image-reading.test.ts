import { crc32, deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { decodeGif } from "./gif-image.ts";
import { takePng } from "./png-image.ts";

/** 48 x 32 pixels, black where floor(x * (y + 3) / 8) is even. Made by another encoder, with codes of 3 to 8 bits. */
const gif = Buffer.from(
  "R0lGODlhMAAgAIAAAAAAAP///ywAAAAAMAAgAAAC34SDl2qAoSCLdK4rsc18+3QdDJiJDkSaJSiyzvm+Loq2tSzXtw7zOP0L8obCIvHYwwmJy2AuBlztkk8p" +
    "VBUtQbOqERAG1oQ7Y0+58mgsThwJmF1hu+UNujp9X9sjD32931f3B+gnaHiImKi4yBd4SFjYiMc3qOdImTd3iTe5xunp9hlKJlZKemqWErLVo9WRclVlczVD" +
    "FTW7IjulwzSE9GsUDHzU+1PM63Qru6zcbIvV2hW9+vplmop6do0GmhcH2pZZqTm5Z34phz6unsnO+A4f316+Tj9vWY6un8+PUAAAOw==",
  "base64",
);
const [width, height] = [48, 32];
const colorAt = (x: number, y: number): number => ((x * (y + 3)) >> 3) & 1;
const rowAt = (y: number): number[] => Array.from({ length: width }, (_, x) => colorAt(x, y));
const rowsOf = (data: Buffer): number[][] => {
  const pixels = inflateSync(data);
  return Array.from({ length: height }, (_, y) => [...pixels.subarray(y * width, (y + 1) * width)]);
};

describe("GIF files", () => {
  test("are decoded with their palette", () => {
    const image = decodeGif(gif);
    expect(image).toMatchObject({ width, height, bitsPerComponent: 8, colors: 1, hasPngFilters: false });
    expect(image.palette).toEqual(Buffer.from([0, 0, 0, 255, 255, 255]));
    expect(rowsOf(image.data)).toEqual(Array.from({ length: height }, (_, y) => rowAt(y)));
  });

  test("may be interlaced", () => {
    const interlaced = Buffer.from(gif);
    const flagsAt = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, width, 0, height, 0])) + 9;
    interlaced[flagsAt]! |= 0x40;
    const shown = rowsOf(decodeGif(interlaced).data);
    // The first rows of the file are every eighth row of the image, then those in between.
    expect([0, 8, 16, 24, 4, 12, 20, 28, 2, 6].map((y) => shown[y])).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((y) => rowAt(y)),
    );
    expect(shown[31]).toEqual(rowAt(31));
  });

  test("that are cut off or damaged are not decoded in part", () => {
    for (let length = 0; length < gif.length - 4; length += 7)
      expect(() => decodeGif(gif.subarray(0, length))).toThrow(/GIF file|range|bounds/);
    const tooLarge = Buffer.from(gif);
    tooLarge.writeUInt16LE(0xffff, gif.indexOf(0x2c) + 5);
    tooLarge.writeUInt16LE(0xffff, gif.indexOf(0x2c) + 7);
    expect(() => decodeGif(tooLarge)).toThrow("65535 x 65535");
  });
});

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

type Shape = { size: [number, number]; bits: number; colorType: number; interlaced?: boolean };

function pngOf({ size, bits, colorType, interlaced = false }: Shape, pixels: Buffer, more: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size[0], 0);
  header.writeUInt32BE(size[1], 4);
  header.set([bits, colorType, 0, 0, interlaced ? 1 : 0], 8);
  const data = deflateSync(pixels);
  // In two pieces, as large files are.
  const pieces = [data.subarray(0, 5), data.subarray(5)].map((piece) => chunk("IDAT", piece));
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([start, chunk("IHDR", header), ...more, ...pieces, chunk("IEND", Buffer.alloc(0))]);
}

/** Rows of bytes, each with another of the five filters. */
function filtered(rows: number[][], pixelBytes: number): Buffer {
  const lines = rows.map((row, y) => {
    const kind = y % 5;
    const above = rows[y - 1] ?? row.map(() => 0);
    const bytes = row.map((byte, x) => {
      const [left, up, corner] = [row[x - pixelBytes] ?? 0, above[x]!, x < pixelBytes ? 0 : above[x - pixelBytes]!];
      const ahead = left + up - corner;
      const paeth = [left, up, corner].toSorted((a, b) => Math.abs(ahead - a) - Math.abs(ahead - b))[0]!;
      const guesses = [0, left, up, (left + up) >> 1, paeth];
      return (byte - guesses[kind]!) & 255;
    });
    return [kind, ...bytes];
  });
  return Buffer.from(lines.flat());
}

describe("PNG files", () => {
  test("without transparency are taken over as they are", () => {
    const pixels = Buffer.from([0, 1, 2, 3, 4, 5, 6, 0, 6, 5, 4, 3, 2, 1]);
    const color = takePng(pngOf({ size: [2, 2], bits: 8, colorType: 2 }, pixels))!;
    expect(color).toMatchObject({ width: 2, height: 2, bitsPerComponent: 8, colors: 3, hasPngFilters: true });
    expect(inflateSync(color.data)).toEqual(pixels);
    const gray = takePng(pngOf({ size: [8, 1], bits: 1, colorType: 0 }, Buffer.from([0, 0xaa])))!;
    expect(gray).toMatchObject({ bitsPerComponent: 1, colors: 1 });
    expect(gray.palette).toBeUndefined();
    const palette = Buffer.from([0, 0, 0, 255, 0, 0]);
    const indexed = takePng(
      pngOf({ size: [8, 1], bits: 1, colorType: 3 }, Buffer.from([0, 0xaa]), [chunk("PLTE", palette)]),
    )!;
    expect(indexed).toMatchObject({ bitsPerComponent: 1, colors: 1, palette });
  });

  test.each([
    ["color", 6, 3],
    ["gray", 4, 1],
  ] as const)("with transparency in %s are put on white", (_, colorType, colors) => {
    const pixelBytes = colors + 1;
    const rows = Array.from({ length: 12 }, (__, y) =>
      Array.from({ length: 7 * pixelBytes }, (___, x) => (x * 37 + y * y * 11 + (x * y) ** 2) & 255),
    );
    const image = takePng(pngOf({ size: [7, 12], bits: 8, colorType }, filtered(rows, pixelBytes)))!;
    expect(image).toMatchObject({ width: 7, height: 12, colors, hasPngFilters: false });
    const expected = rows.flatMap((row) =>
      row.flatMap((byte, x) => {
        const alpha = row[x - (x % pixelBytes) + colors]! / 255;
        return x % pixelBytes === colors ? [] : [255 - Math.round((255 - byte) * alpha)];
      }),
    );
    expect([...inflateSync(image.data)]).toEqual(expected);
  });

  test("of rare kinds are left to the library", () => {
    const pixels = Buffer.alloc(100);
    expect(takePng(pngOf({ size: [2, 2], bits: 8, colorType: 0, interlaced: true }, pixels))).toBeUndefined();
    expect(takePng(pngOf({ size: [2, 2], bits: 16, colorType: 6 }, pixels))).toBeUndefined();
    const transparent = [chunk("tRNS", Buffer.from([0, 0]))];
    expect(takePng(pngOf({ size: [2, 2], bits: 8, colorType: 0 }, pixels, transparent))).toBeUndefined();
  });

  test("with too few or far too many pixels are refused", () => {
    expect(() => takePng(pngOf({ size: [9, 9], bits: 8, colorType: 6 }, Buffer.alloc(9)))).toThrow("too few");
    expect(() => takePng(pngOf({ size: [90_000, 90_000], bits: 8, colorType: 0 }, Buffer.alloc(9)))).toThrow("90000");
    expect(() => takePng(pngOf({ size: [2, 2], bits: 8, colorType: 3 }, Buffer.alloc(6)))).toThrow("palette");
  });
});

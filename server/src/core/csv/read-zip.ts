import { inflateRawSync } from "node:zlib";

/** The file is not a readable archive, or exceeds the limit. The message is shown to the sender. */
export class MalformedZip extends Error {}

/** Content by file name, inflated on demand. */
export type ZipFiles = { read(name: string): Buffer | undefined };

const endSignature = Buffer.from("PK\u0005\u0006");
const wideEndSignature = Buffer.from("PK\u0006\u0006");
const entrySignature = 0x02_01_4b_50;
const localSignature = 0x04_03_4b_50;
/** The record at the end of an archive, with the longest comment. */
const longestEnd = 22 + 0xff_ff;
const isWide = 0xff_ff_ff_ff;

type Entry = { method: number; size: number; at: number };

/**
 * The files in the central directory of an archive. They are inflated on demand, `maxBytes` in all: a few compressed bytes can
 * hold gigabytes. The directory is read once, so the time is linear in its length.
 */
export function openZip(bytes: Uint8Array, maxBytes: number): ZipFiles {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = maxBytes;
  try {
    const entries = readDirectory(archive);
    return {
      read(name) {
        const entry = entries.get(name);
        if (!entry) return undefined;
        const content = refusing(() => inflate(archive, entry, left), maxBytes);
        left -= content.length;
        return content;
      },
    };
  } catch (error) {
    throw toMalformed(error, maxBytes);
  }
}

function refusing<T>(read: () => T, maxBytes: number): T {
  try {
    return read();
  } catch (error) {
    throw toMalformed(error, maxBytes);
  }
}

function toMalformed(error: unknown, maxBytes: number): MalformedZip {
  const isTooMuch = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
  return new MalformedZip(
    isTooMuch ? `Unpacked it has more than ${Math.floor(maxBytes / 1024 / 1024)} MB.` : "It cannot be unpacked.",
  );
}

function readDirectory(archive: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  let at = directoryStart(archive);
  while (at + 46 <= archive.length && archive.readUInt32LE(at) === entrySignature) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = archive.toString("utf8", at + 46, at + 46 + nameBytes).replace(/^\//, "");
    const extra = archive.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
    const [size, offset] = placeOf(archive, at, extra);
    entries.set(name, { method: archive.readUInt16LE(at + 10), size, at: offset });
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  return entries;
}

function directoryStart(archive: Buffer): number {
  const tail = Math.max(0, archive.length - longestEnd);
  const end = tail + archive.subarray(tail).lastIndexOf(endSignature);
  if (end < tail) throw new Error("no directory");
  const start = archive.readUInt32LE(end + 16);
  if (start !== isWide) return start;
  const wideEnd = archive.subarray(0, end).lastIndexOf(wideEndSignature);
  return Number(archive.readBigUInt64LE(wideEnd + 48));
}

/** Size and offset of an entry. Numbers above 32 bits are in an extra field (Zip64). */
function placeOf(archive: Buffer, at: number, extra: Buffer): [size: number, offset: number] {
  const narrow = [24, 20, 42].map((offset) => archive.readUInt32LE(at + offset));
  let field = 0;
  while (field + 4 <= extra.length && extra.readUInt16LE(field) !== 1) field += 4 + extra.readUInt16LE(field + 2);
  let next = field + 4;
  const [, size, offset] = narrow.map((value) => {
    if (value !== isWide) return value;
    next += 8;
    return Number(extra.readBigUInt64LE(next - 8));
  });
  return [size!, offset!];
}

function inflate(archive: Buffer, { method, size, at }: Entry, maxOutputLength: number): Buffer {
  if (archive.readUInt32LE(at) !== localSignature) throw new Error("no file");
  const from = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
  const packed = archive.subarray(from, from + size);
  if (packed.length !== size) throw new Error("cut off");
  if (method === 8) return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxOutputLength) });
  if (method !== 0) throw new Error("unknown compression");
  if (size > maxOutputLength) throw Object.assign(new Error("too large"), { code: "ERR_BUFFER_TOO_LARGE" });
  return packed;
}

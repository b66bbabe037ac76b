import { isUtf8 } from "node:buffer";

export const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

export type DecodedText = { text: string; encoding: Encoding };

/**
 * Decodes a file. The encoding is that of its byte order mark; without one, UTF-16 is detected by zeros in every second byte, and
 * text that is not valid UTF-8 is Windows-1252, which spreadsheets on Windows write.
 */
export function decodeText(bytes: Uint8Array, said?: Encoding): DecodedText {
  const encoding = said ?? detectEncoding(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

const sampleBytes = 4096;

function detectEncoding(bytes: Uint8Array): Encoding {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  const sample = bytes.subarray(0, sampleBytes);
  const zeros = [0, 0] as [number, number];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[(index % 2) as 0 | 1]++;
  const many = sample.length / 5;
  if (zeros[1] > many && zeros[0] === 0) return "utf-16le";
  if (zeros[0] > many && zeros[1] === 0) return "utf-16be";
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
}

const namesOf: Record<string, Encoding> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  "utf-16": "utf-16le",
  "utf-16le": "utf-16le",
  "utf-16be": "utf-16be",
  "windows-1252": "windows-1252",
  cp1252: "windows-1252",
  // Files labeled ISO-8859-1 are usually Windows-1252, which has the same letters.
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
};

/** By the name of a charset; undefined if it is not supported. */
export function encodingOf(charset: string): Encoding | undefined {
  return Object.hasOwn(namesOf, charset.toLowerCase()) ? namesOf[charset.toLowerCase()] : undefined;
}

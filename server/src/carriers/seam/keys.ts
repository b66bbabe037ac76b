import { createHash } from "node:crypto";

/** A short form of the effect key for carriers that limit its length; letters and digits only. The same key gives the same text. */
export function shortKey(effectKey: string, length: number): string {
  const digest = BigInt(`0x${createHash("sha256").update(effectKey).digest("hex")}`);
  return digest.toString(36).toUpperCase().padStart(50, "0").slice(0, length);
}

/** A UUID made of the effect key, for carriers that require one. */
export function uuidOf(effectKey: string): string {
  const bytes = createHash("sha256").update(effectKey).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

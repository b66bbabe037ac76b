import { createHash } from "node:crypto";

/** Twelve characters that stand for this text, the same each time: for an effect's key, a file, a page that was seen. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

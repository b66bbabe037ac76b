import { createHash } from "node:crypto";

/** A stable hash of twelve characters, for effect keys, files and pages that were read. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

import { timingSafeEqual } from "node:crypto";

/** Compares in constant time, so that a signature cannot be guessed character by character. */
export function isSameText(expected: string, given: string | undefined): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given ?? "")];
  return a.length === b.length && timingSafeEqual(a, b);
}

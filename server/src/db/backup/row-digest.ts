import { hash } from "node:crypto";

export type TableDigest = { rows: number; digest: string };

const lineEnd = 0x0a;

/**
 * Counts rows and adds up their hashes. The sum does not depend on the order of the rows: PostgreSQL may return a table in
 * another order than the one it was written in.
 */
export function createRowDigest() {
  let rows = 0;
  let [low, high] = [0n, 0n];
  const add = (row: Buffer): void => {
    const digest = hash("sha256", row, "buffer");
    rows++;
    low = BigInt.asUintN(64, low + digest.readBigUInt64BE(0));
    high = BigInt.asUintN(64, high + digest.readBigUInt64BE(8));
  };
  return {
    add,
    /** Rows in COPY's text format, which escapes line breaks in values: each line break ends a row. */
    addAll(text: Buffer): void {
      for (let start = 0; start < text.length;) {
        const end = text.indexOf(lineEnd, start);
        if (end < 0) throw new Error("a row is cut short");
        add(text.subarray(start, end + 1));
        start = end + 1;
      }
    },
    end: (): TableDigest => ({ rows, digest: [high, low].map((half) => half.toString(16).padStart(16, "0")).join("") }),
  };
}

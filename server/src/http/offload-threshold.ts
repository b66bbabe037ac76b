import type { Route } from "../route.ts";

/**
 * From which size on a body is processed by a worker process. Bytes alone do not tell: 30 KB can hold ten thousand records. A
 * body below all of these is parsed, validated and processed within some ten milliseconds.
 */
export type OffloadThreshold = {
  bytes: number;
  /** Values of any kind, at any depth. */
  values: number;
  /** Elements of the lists in the body, and lines of a file in it: each becomes a record. */
  items: number;
};

const defaults: OffloadThreshold = { bytes: 256 * 1024, values: 5_000, items: 100 };

export function offloadThresholdOf({ offloadFromBytes, offloadFromItems }: Route): OffloadThreshold {
  return {
    bytes: offloadFromBytes ?? defaults.bytes,
    values: defaults.values,
    items: offloadFromItems ?? defaults.items,
  };
}

/** Whether a body reaches the threshold in any respect; reads no further than necessary. */
export function reachesThreshold(pieces: readonly Buffer[], threshold: OffloadThreshold, isJson: boolean): boolean {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  if (bytes >= threshold.bytes) return true;
  return isJson ? hasManyValues(pieces, threshold) : hasManyLines(pieces, threshold.items);
}

const newline = 0x0a;
const carriageReturn = 0x0d;

function hasManyLines(pieces: readonly Buffer[], most: number): boolean {
  let lines = 0;
  for (const piece of pieces)
    for (const byte of piece) if ((byte === newline || byte === carriageReturn) && ++lines >= most) return true;
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Lists at the top level of the body, and directly in it. */
const itemDepth = 2;

/**
 * One pass over the bytes, without parsing. An escaped line break in a string counts as an item, since the string may be a
 * file; so does a comma in a list of the first levels.
 */
function hasManyValues(pieces: readonly Buffer[], { values: mostValues, items: mostItems }: OffloadThreshold): boolean {
  let [values, items, depth] = [1, 0, 0];
  let [isString, isEscaped] = [false, false];
  /** Which of the first levels are lists. */
  const isList = [false, false, false];
  for (const piece of pieces) {
    for (const byte of piece) {
      if (isString) {
        if (isEscaped) {
          isEscaped = false;
          if (byte === 0x6e || byte === 0x72) items++;
        } else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isString = false;
      } else if (byte === quote) isString = true;
      else if (byte === comma) {
        values++;
        if (depth <= itemDepth && isList[depth]) items++;
      } else if (byte === openList || byte === openObject) {
        values++;
        if (++depth <= itemDepth) isList[depth] = byte === openList;
      } else if (byte === closeList || byte === closeObject) depth--;
      if (values >= mostValues || items >= mostItems) return true;
    }
  }
  return false;
}

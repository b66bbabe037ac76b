import type { Route } from "../route.ts";

/**
 * From which size on a body is work for another process. Bytes alone say little: 30 KB can hold ten thousand records. A body
 * below all of these is parsed, checked and done within some ten milliseconds.
 */
export type WorkBounds = {
  bytes: number;
  /** Values of any kind, however deep. */
  values: number;
  /** Elements of the lists in the body, and lines of a file in it: each becomes a record. */
  items: number;
};

const defaultBounds: WorkBounds = { bytes: 256 * 1024, values: 5_000, items: 100 };
/** While others are being kept waiting, less is too much. */
const partWhenStrained = 1 / 8;

export function workBoundsOf(route: Route, isStrained: boolean): WorkBounds {
  const { heavyFromBytes: bytes = defaultBounds.bytes, heavyFromItems: items = defaultBounds.items } = route;
  const part = isStrained ? partWhenStrained : 1;
  return {
    bytes: Math.ceil(bytes * part),
    values: Math.ceil(defaultBounds.values * part),
    items: Math.ceil(items * part),
  };
}

/** Whether a body has at least as much of something as these bounds say; reads no further than it has to. */
export function exceeds(pieces: readonly Buffer[], bounds: WorkBounds, isJson: boolean): boolean {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  if (bytes >= bounds.bytes) return true;
  return isJson ? hasManyValues(pieces, bounds) : hasManyLines(pieces, bounds.items);
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

/** The body, and what stands directly in it. */
const itemDepth = 2;

/**
 * One pass over the bytes, without parsing. In a text an escaped line break counts as an item, since it may be a file; so does a
 * comma in a list of the first levels.
 */
function hasManyValues(pieces: readonly Buffer[], { values: mostValues, items: mostItems }: WorkBounds): boolean {
  let [values, items, depth] = [1, 0, 0];
  let [isText, isEscaped] = [false, false];
  /** Which of the first levels are lists. */
  const isList = [false, false, false];
  for (const piece of pieces) {
    for (const byte of piece) {
      if (isText) {
        if (isEscaped) {
          isEscaped = false;
          if (byte === 0x6e || byte === 0x72) items++;
        } else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isText = false;
      } else if (byte === quote) isText = true;
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

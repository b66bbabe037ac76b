/** Which squares of a QR code are dark. ISO/IEC 18004: bytes, the lowest level of correction, which a screen can do with. */

/** For each size from 1: how many bytes of correction a block has, and how many blocks there are. */
const sizes: ReadonlyArray<readonly [correction: number, blocks: number]> = [
  [7, 1],
  [10, 1],
  [15, 1],
  [20, 1],
  [26, 1],
  [18, 2],
  [20, 2],
  [24, 2],
  [30, 2],
  [18, 4],
  [20, 4],
  [24, 4],
  [26, 4],
  [30, 4],
  [22, 6],
];

const sideOf = (size: number): number => size * 4 + 17;

/** Where the small squares are that a reader keeps its bearings by. */
function bearings(size: number): number[] {
  if (size === 1) return [];
  const count = Math.floor(size / 7) + 2;
  const step = Math.ceil((sideOf(size) - 13) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => sideOf(size) - 7 - at * step).toReversed()];
}

/** Squares that are left for bits of data, and so how many bytes they hold. */
function bytesIn(size: number): number {
  const count = bearings(size).length;
  const squares = sideOf(size) ** 2 - 3 * 64 - 31 - 2 * (sideOf(size) - 16);
  const taken = count === 0 ? 0 : 25 * (count ** 2 - 3) - 10 * (count - 2);
  return Math.floor((squares - taken - (size >= 7 ? 36 : 0)) / 8);
}

/** In the field of 256 elements that the bytes of correction are made in. */
function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((other >> bit) & 1) * one;
  }
  return product;
}

function generatorOf(degree: number): number[] {
  const factors = Array<number>(degree)
    .fill(0)
    .with(degree - 1, 1);
  let root = 1;
  for (let round = 0; round < degree; round++) {
    for (let at = 0; at < degree; at++) factors[at] = times(factors[at]!, root) ^ (factors[at + 1] ?? 0);
    root = times(root, 2);
  }
  return factors;
}

function correctionOf(block: readonly number[], generator: readonly number[]): number[] {
  const rest = Array<number>(generator.length).fill(0);
  for (const byte of block) {
    const factor = byte ^ rest.shift()!;
    rest.push(0);
    generator.forEach((one, at) => (rest[at]! ^= times(one, factor)));
  }
  return rest;
}

/** What is to be said, as bytes: how it is said, how long it is, itself, and filling up to the end. */
function dataBytes(content: Uint8Array, size: number, room: number): number[] {
  const bits = [0, 1, 0, 0];
  const push = (value: number, width: number): void => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(content.length, size < 10 ? 8 : 16);
  for (const byte of content) push(byte, 8);
  for (let end = 0; end < 4 && bits.length < room * 8; end++) bits.push(0);
  while (bits.length % 8 > 0) bits.push(0);
  const bytes = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
  for (let filler = 0xec; bytes.length < room; filler ^= 0xec ^ 0x11) bytes.push(filler);
  return bytes;
}

/** The blocks, a byte of each in turn; those at the end are one longer. */
function interleave(bytes: readonly number[], size: number): number[] {
  const [correction, count] = sizes[size - 1]!;
  const total = bytesIn(size);
  const shortest = Math.floor(total / count) - correction;
  const longer = total % count;
  const generator = generatorOf(correction);
  const blocks = Array.from({ length: count }, (_, at) => {
    const before = at * shortest + Math.max(0, at - (count - longer));
    return bytes.slice(before, before + shortest + (at >= count - longer ? 1 : 0));
  });
  const ends = blocks.map((block) => correctionOf(block, generator));
  const inTurn = (lists: number[][], length: number): number[] =>
    Array.from({ length }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  return [...inTurn(blocks, shortest + 1), ...inTurn(ends, correction)];
}

type Squares = boolean[][];

/** What every code of this size has; undefined: room for data. */
function frameOf(size: number): Array<Array<boolean | undefined>> {
  const side = sideOf(size);
  const squares = Array.from({ length: side }, () => Array<boolean | undefined>(side).fill(undefined));
  const put = (row: number, column: number, isDark: boolean): void => {
    if (row >= 0 && row < side && column >= 0 && column < side) squares[row]![column] = isDark;
  };
  for (let at = 0; at < side; at++) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  const square = (row: number, column: number, reach: number, isDark: (distance: number) => boolean): void => {
    for (let down = -reach; down <= reach; down++)
      for (let right = -reach; right <= reach; right++)
        put(row + down, column + right, isDark(Math.max(Math.abs(down), Math.abs(right))));
  };
  const corners = [
    [3, 3],
    [3, side - 4],
    [side - 4, 3],
  ] as const;
  for (const [row, column] of corners) square(row, column, 4, (distance) => distance !== 2 && distance !== 4);
  const places = bearings(size);
  for (const row of places)
    for (const column of places) {
      const isCorner = corners.some(([top, left]) => Math.abs(top - row) < 6 && Math.abs(left - column) < 6);
      if (!isCorner) square(row, column, 2, (distance) => distance !== 1);
    }
  putFormat(put, side, 0);
  if (size >= 7) putSize(put, side, size);
  return squares;
}

type Put = (row: number, column: number, isDark: boolean) => void;

/** A remainder that makes a few bits readable even when some are lost. */
function withRemainder(value: number, width: number, generator: number): number {
  const length = Math.floor(Math.log2(generator));
  let rest = value << length;
  for (let bit = width - 1; bit >= 0; bit--) if ((rest >> (bit + length)) & 1) rest ^= generator << bit;
  return (value << length) | rest;
}

/** Which level and which mask it has, twice. */
function putFormat(put: Put, side: number, mask: number): void {
  const lowest = 1;
  const bits = withRemainder((lowest << 3) | mask, 5, 0x537) ^ 0x5412;
  for (let at = 0; at < 15; at++) {
    const isDark = ((bits >> at) & 1) === 1;
    put(at < 6 ? at : at < 8 ? at + 1 : 8, at < 8 ? 8 : at === 8 ? 7 : 14 - at, isDark);
    if (at < 8) put(8, side - 1 - at, isDark);
    else put(side - 15 + at, 8, isDark);
  }
  put(side - 8, 8, true);
}

function putSize(put: Put, side: number, size: number): void {
  const bits = withRemainder(size, 6, 0x1f25);
  for (let at = 0; at < 18; at++) {
    const [near, far] = [Math.floor(at / 3), side - 11 + (at % 3)];
    put(near, far, ((bits >> at) & 1) === 1);
    put(far, near, ((bits >> at) & 1) === 1);
  }
}

const masks: ReadonlyArray<(row: number, column: number) => boolean> = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

function drawn(
  frame: ReadonlyArray<ReadonlyArray<boolean | undefined>>,
  bytes: readonly number[],
  mask: number,
): Squares {
  const side = frame.length;
  const squares = frame.map((row) => [...row]);
  let bit = 0;
  // Two columns at a time, from the right, up and down by turns; the column of the clock is left out.
  for (let pair = 0; pair < (side - 1) / 2; pair++) {
    const right = side - 1 - pair * 2 - (pair * 2 > side - 8 ? 1 : 0);
    for (let step = 0; step < side; step++) {
      const row = pair % 2 === 0 ? side - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (squares[row]![column] !== undefined) continue;
        const isSet = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        squares[row]![column] = isSet !== masks[mask]!(row, column);
        bit++;
      }
    }
  }
  putFormat((row, column, isDark) => (squares[row]![column] = isDark), side, mask);
  return squares.map((row) => row.map((one) => one === true));
}

/** How hard it is to read: long lines of one colour, blocks, what looks like a corner, too much of one colour. */
function penaltyOf(squares: Squares): number {
  const side = squares.length;
  const lines = [...squares, ...squares.map((_, column) => squares.map((row) => row[column]!))];
  let penalty = 0;
  for (const line of lines) {
    const text = line.map(Number).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...text.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let row = 1; row < side; row++)
    for (let column = 1; column < side; column++) {
      const here = squares[row]![column];
      const others = [squares[row - 1]![column], squares[row]![column - 1], squares[row - 1]![column - 1]];
      if (others.every((one) => one === here)) penalty += 3;
    }
  const dark = squares.flat().filter(Boolean).length / side ** 2;
  return penalty + Math.floor(Math.abs(dark * 100 - 50) / 5) * 10;
}

/** Rows of squares, true where dark; undefined when it is too long to be read by a telephone. */
export function qrCode(text: string): boolean[][] | undefined {
  const content = new TextEncoder().encode(text);
  const roomIn = (size: number): number => bytesIn(size) - sizes[size - 1]![0] * sizes[size - 1]![1];
  const headOf = (size: number): number => (size < 10 ? 2 : 3);
  const size = sizes.findIndex((_, at) => content.length + headOf(at + 1) <= roomIn(at + 1)) + 1;
  if (size === 0) return undefined;
  const bytes = interleave(dataBytes(content, size, roomIn(size)), size);
  const frame = frameOf(size);
  const drawings = masks.map((_, mask) => drawn(frame, bytes, mask));
  return drawings.reduce((best, one) => (penaltyOf(one) < penaltyOf(best) ? one : best));
}

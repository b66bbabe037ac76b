import { expect, test } from "vitest";
import { qrCode } from "./src/ui/qr-code.ts";

/** As the standard prints them: centres of the small squares, and data and correction bytes of each block. */
const places = [
  [],
  [18],
  [22],
  [26],
  [30],
  [34],
  [22, 38],
  [24, 42],
  [26, 46],
  [28, 50],
  [30, 54],
  [32, 58],
  [34, 62],
  [26, 46, 66],
  [26, 48, 70],
];
const blocks: Array<Array<[count: number, data: number, correction: number]>> = [
  [[1, 19, 7]],
  [[1, 34, 10]],
  [[1, 55, 15]],
  [[1, 80, 20]],
  [[1, 108, 26]],
  [[2, 68, 18]],
  [[2, 78, 20]],
  [[2, 97, 24]],
  [[2, 116, 30]],
  [
    [2, 68, 18],
    [2, 69, 18],
  ],
  [[4, 81, 20]],
  [
    [2, 92, 24],
    [2, 93, 24],
  ],
  [[4, 107, 26]],
  [
    [3, 115, 30],
    [1, 116, 30],
  ],
  [
    [5, 87, 22],
    [1, 88, 22],
  ],
];
const formats = [
  "111011111000100",
  "111001011110011",
  "111110110101010",
  "111100010011101",
  "110011000101111",
  "110001100011000",
  "110110001000001",
  "110100101110110",
];
const masks: Array<(i: number, j: number) => number> = [
  (i, j) => (i + j) % 2,
  (i) => i % 2,
  (_, j) => j % 3,
  (i, j) => (i + j) % 3,
  (i, j) => ((i >> 1) + Math.trunc(j / 3)) % 2,
  (i, j) => ((i * j) % 2) + ((i * j) % 3),
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2,
];

const powers = [1];
for (let at = 1; at < 255; at++) powers.push(powers[at - 1]! < 128 ? powers[at - 1]! * 2 : (powers[at - 1]! * 2) ^ 285);
const product = (one: number, other: number): number =>
  one === 0 || other === 0 ? 0 : powers[(powers.indexOf(one) + powers.indexOf(other)) % 255]!;

function isFrame(version: number, side: number, row: number, column: number): boolean {
  const inCorner = (row < 9 && column < 9) || (row < 9 && column > side - 9) || (row > side - 9 && column < 9);
  const onClock = row === 6 || column === 6;
  const centres = [6, ...places[version - 1]!];
  const last = centres.at(-1)!;
  const nearSquare =
    version > 1 &&
    centres.some((y) =>
      centres.some((x) => {
        const isLeftOut = (y === 6 && x === 6) || (y === 6 && x === last) || (y === last && x === 6);
        return !isLeftOut && Math.abs(y - row) < 3 && Math.abs(x - column) < 3;
      }),
    );
  const inVersion = version > 6 && ((row < 6 && column > side - 12) || (column < 6 && row > side - 12));
  return inCorner || onClock || nearSquare || inVersion;
}

/** What a camera would make of it. Every byte of correction has to be right. */
function read(squares: boolean[][]): { text: string; version: number } {
  const side = squares.length;
  const version = (side - 17) / 4;
  const bit = (row: number, column: number): string => (squares[row]![column] ? "1" : "0");
  const format =
    [0, 1, 2, 3, 4, 5, 7, 8].map((column) => bit(8, column)).join("") +
    [7, 5, 4, 3, 2, 1, 0].map((row) => bit(row, 8)).join("");
  const copy =
    Array.from({ length: 7 }, (_, at) => bit(side - 1 - at, 8)).join("") +
    Array.from({ length: 8 }, (_, at) => bit(8, side - 8 + at)).join("");
  expect(copy).toBe(format);
  const mask = masks[formats.indexOf(format)]!;
  let bits = "";
  const columns = Array.from({ length: side }, (_, at) => side - 1 - at).filter((column) => column !== 6);
  for (let pair = 0; pair < columns.length / 2; pair++)
    for (let step = 0; step < side; step++) {
      const row = pair % 2 === 0 ? side - 1 - step : step;
      for (const column of columns.slice(pair * 2, pair * 2 + 2))
        if (!isFrame(version, side, row, column))
          bits += (bit(row, column) === "1") === (mask(row, column) !== 0) ? "1" : "0";
    }
  const bytes = (bits.match(/.{8}/g) ?? []).map((one) => Number.parseInt(one, 2));
  const sizes = blocks[version - 1]!.flatMap(([count, data, correction]) =>
    Array.from({ length: count }, () => ({ data, correction })),
  );
  const parts = sizes.map((): number[] => []);
  for (let at = 0; at < Math.max(...sizes.map(({ data }) => data)); at++)
    sizes.forEach(({ data }, block) => at < data && parts[block]!.push(bytes.shift()!));
  const data = parts.flat();
  for (let at = 0; at < sizes[0]!.correction; at++) for (const part of parts) part.push(bytes.shift()!);
  for (const [block, part] of parts.entries())
    for (let root = 0; root < sizes[block]!.correction; root++)
      expect(part.reduce((sum, byte) => product(sum, powers[root]!) ^ byte, 0)).toBe(0);
  const all = data.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  expect(all.slice(0, 4)).toBe("0100");
  const width = version < 10 ? 8 : 16;
  const length = Number.parseInt(all.slice(4, 4 + width), 2);
  const content = Array.from({ length }, (_, at) =>
    Number.parseInt(all.slice(4 + width + at * 8, 12 + width + at * 8), 2),
  );
  return { text: new TextDecoder().decode(Uint8Array.from(content)), version };
}

test("a QR code of every size says what it was made of, as the standard prints it", () => {
  // What each size holds at most, as the standard has it.
  const most = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520];
  for (const [at, length] of most.entries()) {
    const text = Array.from({ length }, (_, n) => String.fromCodePoint(33 + ((n * 7 + at) % 90))).join("");
    expect(read(qrCode(text)!)).toEqual({ text, version: at + 1 });
    expect(qrCode(`${text}x`)?.length).toBe(at + 1 < most.length ? at * 4 + 25 : undefined);
  }
  const address =
    "otpauth://totp/Order%20Operations%20Hub:zoë@shop.example?secret=JBSWY3DPEHPK3PXP&issuer=Order%20Operations%20Hub";
  expect(read(qrCode(address)!).text).toBe(address);
});

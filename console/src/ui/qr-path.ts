import { encode } from "uqr";

/** Quiet zone that scanners need around the code, in modules. */
const border = 4;

/** A QR code as the `d` of an SVG path, one unit per module. */
export function qrPath(text: string): { side: number; path: string } {
  const { size, data } = encode(text, { border });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { side: size, path: squares.join("") };
}

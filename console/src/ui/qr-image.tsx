import { encode } from "uqr";

/** Quiet zone that scanners need around the code, in modules. */
const border = 4;

/** A QR code, always dark on light because some scanners cannot read inverted codes. Show the same text beside it. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="size-44 rounded-md"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

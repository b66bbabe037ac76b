import { qrCode } from "./qr-code.ts";

/** Cameras want dark on light, in the dark too, and some empty space around. */
const margin = 4;

/** For a telephone's camera. Whoever cannot use it has the same as text beside it. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const rows = qrCode(text);
  if (!rows) return null;
  const side = rows.length + 2 * margin;
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + margin} ${y + margin}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      className="size-44 rounded-md"
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}

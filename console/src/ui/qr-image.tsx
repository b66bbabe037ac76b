import { qrPath } from "./qr-path.ts";

/** Always dark on light: some scanners cannot read inverted codes. Show the same text beside it. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const { side, path } = qrPath(text);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      className="size-44 rounded-md"
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

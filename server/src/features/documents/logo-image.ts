import { crc32 } from "node:zlib";
import type { PrintSettings } from "./print-settings.schemas.ts";
import { maxLogoSide } from "./print-settings.schemas.ts";

type Logo = NonNullable<PrintSettings["logo"]>;
type ImageFacts = Pick<Logo, "contentType" | "width" | "height">;

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Type and size of an image, read from its content and not from what the sender says; or why it is refused. */
export function readLogo(content: Buffer): ImageFacts | string {
  const isPng = content.subarray(0, 8).equals(pngSignature);
  const isJpeg = content[0] === 0xff && content[1] === 0xd8;
  if (!isPng && !isJpeg) return "is neither a PNG nor a JPEG image.";
  const size = isPng ? pngSize(content) : jpegSize(content);
  if (!size) return "is damaged.";
  const { width, height } = size;
  if (width < 1 || height < 1 || width > maxLogoSide || height > maxLogoSide)
    return `has ${width} x ${height} pixels; at most ${maxLogoSide} x ${maxLogoSide} are allowed.`;
  return { contentType: isPng ? "image/png" : "image/jpeg", width, height };
}

type Size = { width: number; height: number };

/** Checks every chunk up to the end of the image, since a damaged image would be noticed on paper only. */
function pngSize(content: Buffer): Size | undefined {
  let size: Size | undefined;
  for (let at = 8; at + 12 <= content.length;) {
    const length = content.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > content.length || crc32(content.subarray(at + 4, end)) !== content.readUInt32BE(end))
      return undefined;
    const type = content.toString("latin1", at + 4, at + 8);
    if (type === "IHDR" && length >= 13)
      size = { width: content.readUInt32BE(at + 8), height: content.readUInt32BE(at + 12) };
    if (type === "IEND") return size;
    at = end + 4;
  }
  return undefined;
}

/** The first frame header. It comes after segments that say their length. */
function jpegSize(content: Buffer): Size | undefined {
  for (let at = 2; at + 9 < content.length;) {
    if (content[at] !== 0xff) return undefined;
    const marker = content[at + 1]!;
    // Filling bytes may stand before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: content.readUInt16BE(at + 5), width: content.readUInt16BE(at + 7) };
    at += 2 + content.readUInt16BE(at + 2);
  }
  return undefined;
}

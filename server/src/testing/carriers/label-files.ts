import { crc32, deflateSync } from "node:zlib";

export type LabelFormat = "PDF" | "PNG" | "ZPL" | "EPL2";

/** What is printed on a label of the stand-ins: enough to tell labels apart, small enough for thousands of them. */
type LabelText = { trackingNumber: string; carrier?: string; service?: string; to?: string };

/** A label that a viewer can open or a printer can print, with nothing but the tracking number on it. */
export function labelFile(format: LabelFormat, trackingNumber: string): Buffer {
  const label = { trackingNumber };
  if (format === "PDF") return pdfLabel(label);
  if (format === "PNG") return pngLabel(label);
  if (format === "ZPL") return zplLabel(label);
  return Buffer.from(`\nN\nq812\nQ1218,24\nA50,50,0,4,1,1,N,"${trackingNumber}"\nP1\n`, "latin1");
}

/** One page of 4 x 6 inches with the texts in Helvetica. */
export function pdfLabel(label: LabelText): Buffer {
  const escaped = textLines(label).map((line) => line.replace(/[\\()]/g, "\\$&"));
  const drawn = escaped.map((line, at) => `1 0 0 1 20 ${400 - at * 24} Tm (${line}) Tj`).join("\n");
  const content = `BT /F1 14 Tf\n${drawn}\nET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${Buffer.byteLength(content, "latin1")} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = Buffer.byteLength(file, "latin1");
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(file, "latin1");
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

/** Bars of black and white, with the texts beside the image data. */
export function pngLabel(label: LabelText, size = imageSize): Buffer {
  const rows = Buffer.concat(
    barRows(label, size).map((row) => Buffer.from([0, ...row.map((isBlack) => (isBlack ? 0 : 255))])),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  // Eight bits of gray a pixel; compression, filter and interlacing as every PNG has them.
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", header),
    pngChunk("tEXt", Buffer.from(`Description\0${textLines(label).join(" | ")}`, "latin1")),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The same bars, with the texts as a comment. Its codes are not compressed: a clear code comes before the table grows. */
export function gifLabel(label: LabelText, size = imageSize): Buffer {
  const { width, height } = size;
  const screen = Buffer.from([width & 255, width >> 8, height & 255, height >> 8, 0xf0, 0, 0, 0, 0, 0, 255, 255, 255]);
  const comment = Buffer.from(textLines(label).join(" | ").slice(0, 255), "latin1");
  const pixels = barRows(label, size).flatMap((row) => row.map((isBlack) => (isBlack ? 0 : 1)));
  const [clear, end] = [128, 129];
  const codes = pixels.flatMap((pixel, at) => (at % 100 === 0 ? [clear, pixel] : [pixel]));
  codes.push(end);
  const blocks: Buffer[] = [];
  for (let at = 0; at < codes.length; at += 255) {
    const part = codes.slice(at, at + 255);
    blocks.push(Buffer.from([part.length, ...part]));
  }
  return Buffer.concat([
    Buffer.from("GIF89a", "latin1"),
    screen,
    Buffer.from([0x21, 0xfe, comment.length]),
    comment,
    Buffer.from([0]),
    Buffer.from([0x2c, 0, 0, 0, 0, width & 255, width >> 8, height & 255, height >> 8, 0, 7]),
    ...blocks,
    Buffer.from([0, 0x3b]),
  ]);
}

export function zplLabel(label: LabelText): Buffer {
  const lines = textLines(label).map(
    (line, at) => `^FO40,${60 + at * 60}^A0N,40,40^FD${line.replace(/[\^~]/g, " ")}^FS`,
  );
  const barcode = `^FO40,${80 + lines.length * 60}^BY3^BCN,160,Y,N,N^FD${label.trackingNumber}^FS`;
  return Buffer.from(`^XA\n^PW812\n^LL1218\n${lines.join("\n")}\n${barcode}\n^XZ\n`, "latin1");
}

function textLines({ carrier, service, trackingNumber, to }: LabelText): string[] {
  return [carrier, service, trackingNumber, to].filter((line) => line !== undefined);
}

/** The proportions of a label of 4 x 6 inches. */
const imageSize = { width: 200, height: 300 };

/** One bar a bit of the tracking number, so that two labels never have the same image. */
function barRows({ trackingNumber }: LabelText, { width, height }: typeof imageSize): boolean[][] {
  const bits = [...Buffer.from(trackingNumber, "latin1")].flatMap((byte) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((at) => ((byte >> at) & 1) === 1),
  );
  const row = Array.from({ length: width }, (_, x) => bits[x % bits.length] ?? false);
  return Array.from({ length: height }, () => row);
}

function pngChunk(kind: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

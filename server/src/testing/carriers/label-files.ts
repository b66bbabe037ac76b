import { crc32, deflateSync } from "node:zlib";

export type LabelFormat = "PDF" | "PNG" | "ZPL" | "EPL2";

/** A label that a viewer can open or a printer can print, 4 by 6 inches, with the tracking number in it. */
export function labelFile(format: LabelFormat, trackingNumber: string): Buffer {
  if (format === "PDF") return pdfLabel(trackingNumber);
  if (format === "PNG") return pngLabel(trackingNumber);
  if (format === "ZPL") return Buffer.from(zplLabel(trackingNumber), "latin1");
  return Buffer.from(`\nN\nq812\nQ1218,24\nA50,50,0,4,1,1,N,"${trackingNumber}"\nP1\n`, "latin1");
}

const zplLabel = (trackingNumber: string): string =>
  `^XA\n^PW812\n^LL1218\n^FO50,50^A0N,40,40^FD${trackingNumber}^FS\n^FO50,120^BCN,200,N,N,N^FD${trackingNumber}^FS\n^XZ\n`;

/** One page of 288 by 432 points. The cross-reference table holds the offset of each object, so objects are laid out first. */
function pdfLabel(trackingNumber: string): Buffer {
  const text = `BT /F1 14 Tf 20 390 Td (${trackingNumber.replaceAll(/[()\\]/g, "")}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

/** 400 by 600 pixels, one byte each. The bars below the margin are the bits of the tracking number, so that two labels differ. */
function pngLabel(trackingNumber: string): Buffer {
  const [width, height] = [400, 600];
  const bits = [...Buffer.from(trackingNumber, "latin1")].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1),
  );
  const row = Buffer.alloc(width + 1, 255);
  row[0] = 0;
  bits.slice(0, width - 40).forEach((bit, index) => (row[21 + index] = bit ? 0 : 255));
  const blank = Buffer.alloc(width + 1, 255);
  blank[0] = 0;
  const lines = Array.from({ length: height }, (_, line) => (line >= 100 && line < 200 ? row : blank));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunks = [
    pngChunk("IHDR", header),
    pngChunk("tEXt", Buffer.from(`Comment\0${trackingNumber}`, "latin1")),
    pngChunk("IDAT", deflateSync(Buffer.concat(lines))),
    pngChunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

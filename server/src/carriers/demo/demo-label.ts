const [width, height] = [288, 432];
const fontSize = 14;

/** A one-page PDF of four by six inches, the format of label printers, with these lines of text. */
export function drawLabel(lines: readonly string[]): Buffer {
  const shown = lines.filter((line) => line !== "").map((line) => `(${escapeText(line)}) '`);
  const text = `BT /F1 ${fontSize} Tf ${fontSize * 1.5} TL 24 ${height - 36} Td ${shown.join(" ")} ET`;
  const frame = `12 12 ${width - 24} ${height - 24} re S`;
  return writePdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    streamOf(`${frame} ${text}`),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ]);
}

/** The standard PDF fonts cover WinAnsi only; other characters become question marks. */
function escapeText(line: string): string {
  return line.replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, "?").replaceAll(/[()\\]/g, String.raw`\$&`);
}

function streamOf(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** The xref table at the end lists the byte offset of each object. */
function writePdf(objects: readonly string[]): Buffer {
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + end, "latin1");
}

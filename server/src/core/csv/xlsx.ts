import { strToU8, Zip, ZipDeflate } from "fflate";

/** A day such as 2026-01-31, written as a date cell. */
type Day = { day: string };
export type Cell = string | number | boolean | Day | null | undefined;
/** Rows of a sheet, in batches of any size. */
export type Sheet = { name: string; portions: AsyncIterable<Cell[][]> };

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";

/**
 * A streamed workbook: only one batch is in memory. Texts are never written as formulas. Every part is compressed, because its
 * length follows its data and readers cannot find the end of an uncompressed part. Every row and cell has its position, which the
 * standard makes optional but some readers require.
 */
export async function* writeXlsx(sheets: Sheet[]): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, data) => {
    if (error) failure = error;
    else ready.push(data);
  });
  const flush = (): Uint8Array[] => {
    if (failure) throw failure;
    const given = ready;
    ready = [];
    return given;
  };
  for (const [path, content] of frame(sheets.map(({ name }) => name))) {
    const file = new ZipDeflate(path, { level: 3 });
    zip.add(file);
    file.push(strToU8(declaration + content), true);
  }
  yield* flush();
  for (const [index, { portions }] of sheets.entries()) {
    const file = new ZipDeflate(`xl/worksheets/sheet${index + 1}.xml`, { level: 3 });
    zip.add(file);
    file.push(strToU8(`${declaration}<worksheet xmlns="${main}"><sheetData>`));
    let count = 0;
    for await (const rows of portions) {
      file.push(strToU8(rows.map((cells) => toRow(cells, ++count)).join("")));
      yield* flush();
    }
    file.push(strToU8("</sheetData></worksheet>"), true);
    yield* flush();
  }
  zip.end();
  yield* flush();
}

function frame(names: string[]): [path: string, content: string][] {
  const sheets = names.map((name, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  const parts = names.map((_, i) => {
    const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";
    return `<Override PartName="/xl/worksheets/sheet${i + 1}.xml" ContentType="${type}"/>`;
  });
  const links = names.map(
    (_, i) => `<Relationship Id="rId${i + 1}" Type="${office}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
  );
  const relationships = (inner: string): string =>
    `<Relationships xmlns="${packages}/relationships">${inner}</Relationships>`;
  const stylesType = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml";
  const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
  return [
    [
      "[Content_Types].xml",
      `<Types xmlns="${packages}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/styles.xml" ContentType="${stylesType}"/>` +
        `<Override PartName="/xl/workbook.xml" ContentType="${workbookType}"/>${parts.join("")}</Types>`,
    ],
    [
      "_rels/.rels",
      relationships(`<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/>`),
    ],
    ["xl/workbook.xml", `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.join("")}</sheets></workbook>`],
    ["xl/styles.xml", styles],
    [
      "xl/_rels/workbook.xml.rels",
      relationships(
        `${links.join("")}<Relationship Id="rId${names.length + 1}" Type="${office}/styles" Target="styles.xml"/>`,
      ),
    ],
  ];
}

/** The default style, and that of days in the format of the reader's locale. */
const styles =
  `<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

function toRow(cells: Cell[], number: number): string {
  return `<row r="${number}">${cells.map((cell, index) => toCell(cell, `${columnName(index)}${number}`)).join("")}</row>`;
}

/** A to Z, then AA, AB and so on. */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const dayMs = 86_400_000;
const dayZero = Date.UTC(1899, 11, 30);

function toCell(value: Cell, at: string): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return `<c r="${at}"><v>${value}</v></c>`;
  if (typeof value === "boolean") return `<c r="${at}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === "object") return `<c r="${at}" s="1"><v>${(Date.parse(value.day) - dayZero) / dayMs}</v></c>`;
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML does not allow most control characters. */
function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that have to go
  const kept = text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, " ");
  return kept.toWellFormed().replaceAll(/[&<>"]/g, (character) => entities[character]!);
}

import { strToU8, Zip, ZipDeflate, ZipPassThrough } from "fflate";

export type Cell = string | number | boolean | null | undefined;
/** Rows of a sheet, in portions of any size. */
export type Sheet = { name: string; portions: AsyncIterable<Cell[][]> };

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";

/** A workbook, made while it is sent: no more than a portion of it is in memory. Texts are texts, never formulas. */
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
    const file = new ZipPassThrough(path);
    zip.add(file);
    file.push(strToU8(declaration + content), true);
  }
  yield* flush();
  for (const [index, { portions }] of sheets.entries()) {
    const file = new ZipDeflate(`xl/worksheets/sheet${index + 1}.xml`, { level: 3 });
    zip.add(file);
    file.push(strToU8(`${declaration}<worksheet xmlns="${main}"><sheetData>`));
    for await (const rows of portions) {
      file.push(strToU8(rows.map(toRow).join("")));
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
  const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
  return [
    [
      "[Content_Types].xml",
      `<Types xmlns="${packages}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${workbookType}"/>${parts.join("")}</Types>`,
    ],
    [
      "_rels/.rels",
      relationships(`<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/>`),
    ],
    ["xl/workbook.xml", `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.join("")}</sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", relationships(links.join(""))],
  ];
}

function toRow(cells: Cell[]): string {
  return `<row>${cells.map(toCell).join("")}</row>`;
}

function toCell(value: Cell): string {
  if (value === null || value === undefined || value === "") return "<c/>";
  if (typeof value === "number") return `<c><v>${value}</v></c>`;
  if (typeof value === "boolean") return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML has no way to write most control characters. */
function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that have to go
  const kept = text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, " ");
  return kept.toWellFormed().replaceAll(/[&<>"]/g, (character) => entities[character]!);
}

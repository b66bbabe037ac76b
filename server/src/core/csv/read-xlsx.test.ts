import { strToU8, zipSync } from "fflate";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Cell } from "./xlsx.ts";
import { writeXlsx } from "./xlsx.ts";
import { isZip, MalformedXlsx, xlsxToCsv } from "./read-xlsx.ts";

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

/** As Excel writes it: texts are shared, dates are numbers with a style, empty cells and rows are left out. */
function workbook(sheet: string, more: Record<string, string> = {}): Uint8Array {
  const parts: Record<string, string> = {
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<workbook ${main} ${office}><workbookPr/><sheets><sheet name="Orders" sheetId="7" r:id="rId3"/><sheet name="Other" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId1" Type="t" Target="worksheets/sheet1.xml"/><Relationship Id="rId3" Type="t" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
    "xl/styles.xml": `<styleSheet ${main}><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="165" formatCode="#,##0.00\\ &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `<sst ${main}><si><t>Order Number</t></si><si><t xml:space="preserve"> A &amp; B </t></si><si><r><rPr><b/></rPr><t>bo</t></r><r><t>ld_x000A_</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si><si/></sst>`,
    "xl/worksheets/sheet1.xml": `<worksheet ${main}><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`,
    "xl/worksheets/sheet2.xml": `<worksheet ${main}><sheetData>${sheet}</sheetData></worksheet>`,
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

test("the first sheet of an Excel file is read, each cell at its position", () => {
  const bytes = workbook(
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>2</v></c></row>' +
      '<row r="4" spans="1:5"><c r="A4" t="s"><v>1</v></c><c r="B4" s="1"><v>46082</v></c><c r="C4" s="2"><v>46082.5</v></c><c r="D4" s="3"><v>2.5</v></c><c r="E4"><v>13.199999999999999</v></c><c r="AA4" t="b"><v>1</v></c></row>' +
      '<row r="5"><c r="A5" t="str"><f>A4&amp;"x"</f><v>made</v></c><c r="B5" t="e"><v>#N/A</v></c><c r="C5" t="inlineStr"><is><t>in &lt;place&gt;</t></is></c><c r="D5" t="s"><v>3</v></c><c r="E5" s="1"/></row>',
  );
  expect(isZip(bytes)).toBe(true);
  const lines = xlsxToCsv(bytes).split("\r\n");
  expect(lines.slice(0, 3)).toEqual(['Order Number,,"bold\n"', "", ""]);
  expect(lines[3]).toBe(` A & B ,2026-03-01,2026-03-01T12:00:00.000Z,2.5,13.2${",".repeat(22)}true`);
  expect(lines[4]).toBe("made,,in <place>,,");
});

test("the 1904 date system and namespace prefixes are supported", () => {
  const bytes = workbook("", {
    "xl/workbook.xml": `<x:workbook xmlns:x="m" ${office}><x:workbookPr date1904="1"/><x:sheets><x:sheet name="a" sheetId="1" r:id="rId3"/></x:sheets></x:workbook>`,
    "xl/worksheets/sheet2.xml":
      '<x:worksheet xmlns:x="m"><x:sheetData><x:row r="1"><x:c r="A1" s="1"><x:v>44620</x:v></x:c><x:c r="B1"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>',
  });
  expect(xlsxToCsv(bytes)).toBe("2026-03-01,7\r\n");
});

test("workbooks written by the hub are read back", async () => {
  async function* portions(): AsyncGenerator<Cell[][]> {
    yield [["number", "total", "paid", "note"]];
    yield [["=1+1", 12.5, true, '<A> & "B"\nnew line'], [], ["Zo\u00eb \u{1F4E6}", -0.05, null, "  kept  "]];
  }
  const bytes = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "Orders", portions: portions() }])));
  expect(xlsxToCsv(bytes)).toBe(
    'number,total,paid,note\r\n=1+1,12.5,true,"<A> & ""B""\nnew line"\r\n\r\nZo\u00eb \u{1F4E6},-0.05,,  kept  \r\n',
  );
});

test("a small file that expands too much is rejected before it is unpacked completely", () => {
  const bomb = workbook("", { "xl/sharedStrings.xml": "<sst>".padEnd(40 * 1024 * 1024, " ") });
  expect(bomb.length).toBeLessThan(100_000);
  expect(() => xlsxToCsv(bomb, { maxInflatedBytes: 1024 * 1024 })).toThrow(/more than 1 MB/);
  // What is not looked at is not unpacked.
  const aside = workbook('<row r="1"><c r="A1"><v>1</v></c></row>', {
    "xl/media/image1.png": "x".repeat(8 * 1024 * 1024),
  });
  expect(xlsxToCsv(aside, { maxInflatedBytes: 64 * 1024 })).toBe("1\r\n");
});

test.each([
  ["rows far apart", '<row r="9000000"><c r="A1"><v>1</v></c></row>'],
  ["columns far apart", '<row r="1"><c r="XFD1"><v>1</v></c></row>'],
  ["rows that go back", '<row r="3"/><row r="2"/>'],
  ["rows that are not closed", "<row>".repeat(200_000)],
  ["tags that are not closed", "<row ".repeat(200_000)],
  ["cells that are not closed", `<row r="1">${"<c>".repeat(100_000)}</row>`],
])("%s are refused at once", (_, sheet) => {
  expect(() => xlsxToCsv(workbook(sheet))).toThrow(MalformedXlsx);
});

test("a file that is no workbook is rejected as such", () => {
  const zip = zipSync({ "a.txt": strToU8("no workbook") });
  expect(() => xlsxToCsv(zip)).toThrow(/not an XLSX/);
  expect(() => xlsxToCsv(zip.subarray(0, 40))).toThrow(MalformedXlsx);
  expect(() => xlsxToCsv(workbook('<row r="1"/>').subarray(0, 400))).toThrow(MalformedXlsx);
});

const partNames = [
  "xl/workbook.xml",
  "xl/_rels/workbook.xml.rels",
  "xl/styles.xml",
  "xl/sharedStrings.xml",
  "xl/worksheets/sheet2.xml",
];

/** Steps that a workbook takes to be read or refused, and how much there is to read. */
function measure(part: string, text: string): { steps: number; size: number } {
  const row = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>';
  let steps = 0;
  try {
    xlsxToCsv(workbook(row, { [part]: text }), {}, (taken) => (steps = taken));
  } catch (error) {
    if (!(error instanceof MalformedXlsx)) throw error;
  }
  return { steps, size: text.length };
}

/** Each attribute of a tag is looked for by itself, and what is read is written once. */
const stepsPerCharacter = 8;

const repeated: [part: string, before: string, piece: string, after: string][] = [
  ["xl/worksheets/sheet2.xml", '<sheetData><row r="1"><c>', "<v ", "</c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", '<sheetData><row r="1"><c>', "<v>1", "</c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", '<sheetData><row r="1"><c>', "<v>1</v>", "</c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", '<sheetData><row r="1"><c t="inlineStr">', "<is><t>", "</c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", '<sheetData><row r="1"><c t="inlineStr">', "<rPh>", "</c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData><row", ' r="', "></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData><row", " spans='1'", " r='1'></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData>", "<row></row>", "</sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData><row>", "<c/>", "</row></sheetData>"],
  ["xl/worksheets/sheet2.xml", "", "<mergeCell ref='A1:B2'/>", "<sheetData/>"],
  ["xl/worksheets/sheet2.xml", "<sheetData>", "<!-- ", ""],
  ["xl/worksheets/sheet2.xml", "<sheetData>", "<!---->", "</sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData><row><c><v>", "&", "</v></c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData><row><c><v>", "9", "</v></c></row></sheetData>"],
  ["xl/worksheets/sheet2.xml", "<sheetData><row><c t='str'><v>", '"', "</v></c></row></sheetData>"],
  ["xl/styles.xml", '<numFmts><numFmt numFmtId="164" formatCode="', "[", '"/></numFmts>'],
  ["xl/styles.xml", "<numFmts>", `<numFmt numFmtId="164" formatCode="${"[".repeat(200)}"/>`, "</numFmts>"],
  ["xl/styles.xml", "<numFmts>", '<numFmt numFmtId="164" formatCode="&quot;"/>', "</numFmts>"],
  ["xl/styles.xml", "<cellXfs>", '<xf numFmtId="164"/>', "</cellXfs>"],
  ["xl/styles.xml", "", "<cellXfs>", ""],
  ["xl/sharedStrings.xml", "<sst>", "<si>", "</sst>"],
  ["xl/sharedStrings.xml", "<sst>", "<si/>", "</sst>"],
  ["xl/sharedStrings.xml", "<sst><si>", "<rPh>", "</si></sst>"],
  ["xl/sharedStrings.xml", "<sst><si>", "<t>a</t>", "</si></sst>"],
  ["xl/sharedStrings.xml", "<sst><si><t>", "_x000", "</t></si></sst>"],
  ["xl/sharedStrings.xml", "<sst><si><t>", "<![CDATA[", "</t></si></sst>"],
  ["xl/_rels/workbook.xml.rels", "", '<Relationship Id="rId1" Target="', ""],
  ["xl/_rels/workbook.xml.rels", "", "<Relationship Id='a'/>", ""],
  ["xl/workbook.xml", "", "<sheet ", ""],
  ["xl/workbook.xml", "<workbookPr", " date1904", "/>"],
];

test.each(repeated)("%s is read in time linear to its length: %s%j... (security N1)", (part, before, piece, after) => {
  const { steps, size } = measure(part, before + piece.repeat(200_000) + after);
  expect(steps).toBeGreaterThan(0);
  expect(steps).toBeLessThan(stepsPerCharacter * size + 10_000);
});

test("repeating any part twice as often takes twice as many steps", () => {
  const piece = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "<v ",
          "<v>",
          "</v>",
          "<c>",
          "</c>",
          "<row>",
          "</row>",
          "<si>",
          "<t>",
          "</t>",
          "<rPh>",
          "<xf/>",
        ),
        fc.constantFrom(
          "<!--",
          "-->",
          "<![CDATA[",
          "]]>",
          "<?",
          "?>",
          "<",
          ">",
          "/",
          '"',
          "'",
          "[",
          "]",
          "=",
          " ",
          "&",
        ),
        fc.constantFrom(
          '<numFmt formatCode="',
          '<Relationship Id="',
          "<sheet r:id='",
          "<sheetData>",
          "_x000D_",
          "&amp;",
        ),
        fc.string({ maxLength: 5 }),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join(""));
  const before = fc.constantFrom(
    "",
    "<sheetData><row><c>",
    "<sheetData><row><c><v>",
    "<sst><si><t>",
    "<cellXfs>",
    "<a b='",
  );
  fc.assert(
    fc.property(fc.constantFrom(...partNames), before, piece, (part, start, repeatedPiece) => {
      const [once, twice] = [1_000, 2_000].map((n) => measure(part, start + repeatedPiece.repeat(n))) as [
        ReturnType<typeof measure>,
        ReturnType<typeof measure>,
      ];
      expect(twice.steps).toBeLessThanOrEqual(2 * once.steps + 10_000);
      expect(twice.steps).toBeLessThan(stepsPerCharacter * twice.size + 10_000);
    }),
    { numRuns: 200 },
  );
});

test("a workbook that expands to too many cells is rejected by count", () => {
  const long = "x".repeat(100_000);
  const many = `<row>${'<c t="s"><v>0</v></c>'.repeat(900)}</row>`;
  const texts = { "xl/sharedStrings.xml": `<sst><si><t>${long}</t></si></sst>` };
  const limits = { maxCharacters: 1024 ** 2 };
  expect(() => xlsxToCsv(workbook(many, texts), limits)).toThrow(/more than 1 million characters/);
  expect(() => xlsxToCsv(workbook('<row><c r="ALL1"/></row>'.repeat(2_000)), limits)).toThrow(/1 million characters/);
  expect(() => xlsxToCsv(workbook(many), { maxSteps: 10_000 })).toThrow(/too complex/);
});

test("any number of files is found in the directory of an archive", () => {
  const more = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, ""]));
  expect(xlsxToCsv(workbook('<row r="1"><c r="A1"><v>1</v></c></row>', more))).toBe("1\r\n");
});

test("too long format codes are ignored, and quoted letters are no date formats", () => {
  const codes = ["yyyy".padEnd(300, "y"), "[Red]0.0", "&quot;day&quot;0", "\\d0", "[h]:mm", "d.m.yy"];
  const styles = `<styleSheet><numFmts>${codes.map((code, i) => `<numFmt numFmtId="${200 + i}" formatCode="${code}"/>`).join("")}</numFmts><cellXfs>${codes.map((_, i) => `<xf numFmtId="${200 + i}"/>`).join("")}</cellXfs></styleSheet>`;
  const cells = codes.map((_, i) => `<c s="${i}"><v>46082</v></c>`).join("");
  expect(xlsxToCsv(workbook(`<row>${cells}</row>`, { "xl/styles.xml": styles }))).toBe(
    "46082,46082,46082,46082,2026-03-01,2026-03-01\r\n",
  );
});

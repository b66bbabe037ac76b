import { strToU8, zipSync } from "fflate";

/** Workbooks of less than 20 KB that are expensive to read: backtracking patterns and maximum sizes. */
export function costlyWorkbooks(): Uint8Array[] {
  const workbook = (parts: Record<string, string>): Uint8Array => {
    const all = {
      "xl/workbook.xml": "<workbook><sheets><sheet name='a' r:id='a'/></sheets></workbook>",
      "xl/worksheets/sheet1.xml": "<worksheet><sheetData/></worksheet>",
      ...parts,
    };
    return zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)])));
  };
  const values = "<v ".repeat(200_000);
  const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${"[".repeat(200_000)}"/></numFmts><cellXfs>`;
  return [
    workbook({ "xl/worksheets/sheet1.xml": `<sheetData><row r="1"><c>${values}</c></row></sheetData>` }),
    workbook({ "xl/styles.xml": `${styles}${'<xf numFmtId="164"/>'.repeat(100)}</cellXfs></styleSheet>` }),
    workbook({ "xl/sharedStrings.xml": "<si/>".repeat(2_000_000) }),
  ];
}

import { read, utils } from "@e965/xlsx";
import { readXlsx } from "hucre/xlsx";
import readExcelFile from "read-excel-file/node";
import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Cell } from "./xlsx.ts";
import { writeXlsx } from "./xlsx.ts";

const day = "2026-03-01";
const table: Cell[][] = [
  ["name", "amount", "isHome", "day", "note"],
  ["=1+1", 13.2, true, { day }, '<A> & "B"'],
  ["Zo\u00eb \u{1F4E6}", -0.05, false, null, null],
  [null, 1_000_000, null, { day: "1999-12-31" }, "  kept  "],
  [],
  Array.from({ length: 60 }, (_, index) => index),
];
/** As values, with days as they are written, and without what is empty at the end of a row. */
const wanted = table.map((row) => row.map((cell) => (typeof cell === "object" ? (cell?.day ?? null) : cell)));

async function bytesOf(rows: Cell[][]): Promise<Buffer> {
  async function* portions(): AsyncGenerator<Cell[][]> {
    for (const row of rows) yield [row];
  }
  async function* overview(): AsyncGenerator<Cell[][]> {
    yield [["Items", rows.length]];
  }
  const sheets = [
    { name: "Summary", portions: overview() },
    { name: "Items", portions: portions() },
  ];
  return Buffer.concat(await Array.fromAsync(writeXlsx(sheets)));
}

const bytes = await bytesOf(table);

/** What readers leave open: how empty cells are called, and how many of them stand at the end of a row. */
function settle(rows: unknown[][]): unknown[][] {
  return rows.map((row) => {
    const cells = Array.from(row, (cell) => {
      if (cell instanceof Date) return cell.toISOString().slice(0, 10);
      return cell === undefined || cell === "" ? null : cell;
    });
    const last = cells.findLastIndex((cell) => cell !== null);
    return cells.slice(0, last + 1);
  });
}

test("D6: SheetJS reads the written workbook", () => {
  const book = read(bytes, { type: "buffer", cellDates: true, UTC: true });
  expect(book.SheetNames).toEqual(["Summary", "Items"]);
  const options = { header: 1 as const, raw: true, blankrows: true, UTC: true };
  expect(settle(utils.sheet_to_json<unknown[]>(book.Sheets["Items"]!, options))).toEqual(settle(wanted));
});

test("D6: read-excel-file reads the written workbook", async () => {
  const sheets = await readExcelFile(bytes, { trim: false });
  const items = sheets.find(({ sheet }) => sheet === "Items")!;
  expect(settle(items.data)).toEqual(settle(wanted));
});

test("D6: hucre reads the written workbook", async () => {
  const { sheets } = await readXlsx(new Uint8Array(bytes));
  expect(settle(sheets.find(({ name }) => name === "Items")!.rows)).toEqual(settle(wanted));
});

/** From the first byte to the last, as those do who read while it arrives: they cannot look into the directory at the end. */
test("D6: every part can be read as a stream", () => {
  const names: string[] = [];
  let at = 0;
  while (bytes.readUInt32LE(at) === 0x04_03_4b_50) {
    const [flags, method] = [bytes.readUInt16LE(at + 6), bytes.readUInt16LE(at + 8)];
    const [nameLength, extraLength] = [bytes.readUInt16LE(at + 26), bytes.readUInt16LE(at + 28)];
    const name = bytes.toString("utf8", at + 30, at + 30 + nameLength);
    names.push(name);
    // Only what is compressed says itself where it ends.
    expect([name, flags & 8, method]).toEqual([name, 8, 8]);
    const start = at + 30 + nameLength + extraLength;
    const { buffer, engine } = inflateRawSync(bytes.subarray(start), { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    at = start + engine.bytesWritten;
    expect([name, bytes.readUInt32LE(at), bytes.readUInt32LE(at + 12)]).toEqual([name, 0x08_07_4b_50, buffer.length]);
    at += 16;
  }
  expect(names).toContain("xl/worksheets/sheet2.xml");
  expect(bytes.readUInt32LE(at)).toBe(0x02_01_4b_50);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { detectDelimiter, guardCell, guardText, MalformedCsv, streamCsv, textOfCell, toCsv } from "./csv.ts";
import { writeRejected } from "./sheet.ts";

const parseCsv = async (text: string, delimiter: string, maxRows: number) =>
  await Array.fromAsync(streamCsv(text, delimiter, maxRows));

const cell = fc.string({ unit: "grapheme", maxLength: 20 });
const special = fc.string({ unit: fc.constantFrom('"', "\r", "\n", ",", ";", "\t", "|", " ", "a"), maxLength: 6 });
const table = fc.array(fc.array(fc.oneof(cell, special), { minLength: 2, maxLength: 5 }), {
  minLength: 1,
  maxLength: 10,
});

test("what is written is read back, whatever is in the cells", async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(",", ";", "\t"), async (rows, delimiter) => {
      expect(await parseCsv(toCsv(rows, delimiter), delimiter, 100)).toEqual(rows);
    }),
  );
});

test("lines end as each of them does, also in a file that was put together from several", async () => {
  const csv = '\uFEFFa,b\r\n1,2\n3,4\r5,"6\n7"\r\n\r\n8,9';
  expect(await parseCsv(csv, ",", 100)).toEqual([["a", "b"], ["1", "2"], ["3", "4"], ["5", "6\n7"], [""], ["8", "9"]]);
  // However the text is cut into pieces, CR and LF stay one end of a line.
  const long = `x,y\r\n${`${"z".repeat(50)},1\r\n`.repeat(5_000)}`;
  expect(await parseCsv(long, ",", 10_000)).toHaveLength(5_001);
});

test("the delimiter is found in the header", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(",", ";", "\t"),
      fc.array(fc.stringMatching(/^[a-z ]+$/), { minLength: 2 }),
      (d, names) => {
        expect(detectDelimiter(`\uFEFF\n${names.join(d)}\n1,2;3\t4,,,,,;;;;;`)).toBe(d);
        expect(detectDelimiter(toCsv([[`${names[0]},,,,;;;;\n`, "x"]], d))).toBe(d);
      },
    ),
  );
});

const blanks = fc.string({
  unit: fc.constantFrom(" ", "\n", "\r", "\t", "\u00a0", "\ufeff", "\u2028", "'", "=", "-", "x"),
});

test("no guarded text starts a formula, and the guard comes off again; numbers stay numbers (protocol 8)", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        cell,
        blanks,
        cell.map((text) => `=${text}`),
        fc.tuple(fc.constantFrom("\n=", "＝", "＋", "－", "＠"), cell).map(([start, text]) => start + text),
        fc.tuple(blanks, cell, blanks).map((parts) => parts.join("")),
        cell.map((text) => `''-${text}`),
      ),
      (text) => {
        const guarded = guardText(text);
        expect(/^[=@\t\r\n＝＋－＠]/.test(guarded)).toBe(false);
        expect(textOfCell(guarded)).toBe(text);
        // A cell as it came means the same when it is sent again.
        expect(textOfCell(guardCell(text))).toBe(textOfCell(text));
      },
    ),
    { numRuns: 2_000 },
  );
  expect(["-5", "+3.20", "-1,5", "-1+1", "+1 555"].map(guardText)).toEqual(["-5", "+3.20", "-1,5", "'-1+1", "'+1 555"]);
});

test("blanks around what others wrote are not part of it", () => {
  expect([" a ", "\n", "\ufeff a", " '=1 ", "'x", "''"].map(textOfCell)).toEqual(["a", "", "a", "=1", "'x", "''"]);
});

test("no character is cut, wherever the text is divided (protocol 3)", async () => {
  const chunk = 64 * 1024;
  for (const shift of [-3, -2, -1, 0, 1]) {
    // At the ends of both the first and the second portion.
    const rows = [
      ["a", "x".repeat(chunk + shift - 6)],
      ["\u{1f600}".repeat(chunk), "é漢\u{10ffff}"],
    ];
    expect(await parseCsv(toCsv([["h", "i"], ...rows]), ",", 10)).toEqual([["h", "i"], ...rows]);
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: chunk - 20, max: chunk + 20 }), cell, async (length, text) => {
      const rows = [
        ["x".repeat(length), text],
        [text, "\u{1f600}".repeat(10)],
      ];
      expect(await parseCsv(toCsv(rows), ",", 10)).toEqual(rows);
    }),
    { numRuns: 50 },
  );
});

test("a quote without end is named, and rows without end are stopped", async () => {
  await expect(parseCsv('a,"b\nc', ",", 10)).rejects.toThrow(MalformedCsv);
  await expect(parseCsv("x\n".repeat(20), ",", 10)).rejects.toThrow(/more than 10 rows/);
});

test("rows of a long text leave the event loop to others in between (security N1)", async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  let rows = 0;
  for await (const row of streamCsv("a,b,c\n".repeat(200_000), ",")) rows += row.length / 3;
  clearInterval(counting);
  expect(rows).toBe(200_000);
  expect(turns).toBeGreaterThan(10);
});

test("a row has as many columns as are read, or blank ones behind them", async () => {
  const blank = await Array.fromAsync(streamCsv(`a,b${",".repeat(5_000)}\n`, ","));
  expect(blank[0]).toHaveLength(1_000);
  const wide = Array.fromAsync(streamCsv(`a\n${"x,".repeat(1_001)}x\n`, ","));
  await expect(wide).rejects.toThrow("Row 2 has 1002 columns; at most 1000 are read.");
});

test("one order with mistakes in 200,000 rows is given back row for row", () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => ({ number: i + 2, cells: ["A-1"] }));
  const errors = rows.map(({ number }) => ({ row: number, column: null, code: "wrong", message: `Of row ${number}.` }));
  const csv = writeRejected({ columns: [{ column: "number", field: null }], delimiter: "," }, [{ rows, errors }]);
  expect(csv.split("\r\n").slice(0, 2)).toEqual(["number,error", "A-1,Of row 2."]);
  expect(csv).toMatch(/A-1,Of row 200001\.\r\n$/);
});

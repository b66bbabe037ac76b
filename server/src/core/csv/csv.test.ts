import fc from "fast-check";
import { expect, test } from "vitest";
import type { RowOptions } from "./csv.ts";
import { detectDelimiter, guardCell, guardText, MalformedCsv, readRows, readSoundRows, streamRows } from "./csv.ts";
import { textOfCell, toCsv, toTabs } from "./csv.ts";
import { writeRejected } from "./sheet-report.ts";

const parseCsv = async (text: string, delimiter: string, maxRows: number, options: RowOptions = {}) =>
  (await Array.fromAsync(streamRows(text, delimiter, { maxRows, ...options }))).map(({ cells }) => cells);

const cell = fc.string({ unit: "grapheme", maxLength: 20 });
const special = fc.string({ unit: fc.constantFrom('"', "\r", "\n", ",", ";", "\t", "|", " ", "a"), maxLength: 6 });
const table = fc.array(fc.array(fc.oneof(cell, special), { minLength: 2, maxLength: 5 }), {
  minLength: 1,
  maxLength: 10,
});

test("cells of any content are read back as written", async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(",", ";", "\t"), async (rows, delimiter) => {
      expect(await parseCsv(toCsv(rows, delimiter), delimiter, 100)).toEqual(rows);
    }),
  );
});

test("line endings may differ within a file", async () => {
  const csv = '\uFEFFa,b\r\n1,2\n3,4\r5,"6\n7"\r\n\r\n8,9';
  expect(await parseCsv(csv, ",", 100)).toEqual([["a", "b"], ["1", "2"], ["3", "4"], ["5", "6\n7"], [""], ["8", "9"]]);
  // However the text is cut into pieces, CR and LF stay one end of a line.
  const long = `x,y\r\n${`${"z".repeat(50)},1\r\n`.repeat(5_000)}`;
  expect(await parseCsv(long, ",", 10_000)).toHaveLength(5_001);
});

test("the delimiter is detected in the header", () => {
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

test("escaped text never starts a formula and is unescaped on reading; numbers stay numbers (protocol 8)", () => {
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

test("surrounding blanks in foreign files are trimmed", () => {
  expect([" a ", "\n", "\ufeff a", " '=1 ", "'x", "''"].map(textOfCell)).toEqual(["a", "", "a", "=1", "'x", "''"]);
});

test("no character is cut, for any chunks of the text (protocol 3)", async () => {
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

test("an unclosed quote is an error in strict files, and endless rows are stopped", async () => {
  const whole = Array.fromAsync(readSoundRows('h,i\na,"b\nc', ","));
  await expect(whole).rejects.toThrow(MalformedCsv);
  await expect(whole).rejects.toThrow(/Row 2: A quotation mark/);
  await expect(parseCsv("x\n".repeat(20), ",", 10)).rejects.toThrow(/more than 10 rows/);
});

test("tabs: a quotation mark is part of the text, unless the cell is quoted like in a spreadsheet", async () => {
  const csv = 'a\tTV 55" wall mount\tx\r\nb\t"Best" mug\t"\nc\t"quoted ""so"" far\nand on"\t"\n';
  const rows = [
    ["a", 'TV 55" wall mount', "x"],
    ["b", '"Best" mug', '"'],
    ["c", 'quoted "so" far\nand on', '"'],
  ];
  expect(await parseCsv(csv, "\t", 10)).toEqual(rows);
  const literal = await parseCsv('a\t"Best mug"\n"b\tx"\n', "\t", 10, { quoting: "literal" });
  expect(literal).toEqual([
    ["a", '"Best mug"'],
    ['"b', 'x"'],
  ]);
});

/** What begins and ends with a letter: where a mark of the next row stands, no cell can end. */
const word = fc.stringMatching(/^[a-z]([,; "]{1,3}[a-z])?$/);
const wordRows = fc.array(fc.array(word, { minLength: 2, maxLength: 2 }), { maxLength: 8 });
const broken = fc
  .tuple(fc.stringMatching(/^[a-z]{1,5}$/), fc.nat({ max: 4 }), fc.constantFrom(",", ";"))
  .map(([text, at, delimiter]) => ({ delimiter, line: `bad${delimiter}${text.slice(0, at)}"${text.slice(at)}x` }));

test("a stray quotation mark fails its row, and every other row is read normally", async () => {
  await fc.assert(
    fc.asyncProperty(wordRows, wordRows, broken, async (before, after, { line, delimiter }) => {
      const csv = `${toCsv(before, delimiter)}${line}\n${toCsv(after, delimiter)}`;
      const read = await Array.fromAsync(readRows(csv, delimiter));
      const [bad, ...more] = read.filter(({ problem }) => problem !== undefined);
      expect(bad).toMatchObject({ number: before.length + 1, cells: line.split(delimiter) });
      expect(more).toEqual([]);
      const sound = read.filter(({ problem }) => problem === undefined).map(({ cells }) => cells);
      expect(sound).toEqual([...before, ...after]);
    }),
    { numRuns: 500 },
  );
});

test("an unclosed quotation mark does not affect further rows", async () => {
  const csv = 'n,name,q\nA-1,"TV 55,1\nA-2,Mug,1\nA-3,"Cup, blue",2\nA-4,Mug,1\n';
  const rows = await Array.fromAsync(readRows(csv, ","));
  expect(rows.map(({ number, cells, problem }) => [number, cells[0], problem !== undefined])).toEqual([
    [1, "n", false],
    [2, "A-1", true],
    [3, "A-2", false],
    [4, "A-3", false],
    [5, "A-4", false],
  ]);
  const [, joined] = await Array.fromAsync(readRows('n,name,q\nA-1,"TV 55,1\nA-2,Mug",1\n', ","));
  expect(joined).toMatchObject({ cells: ["A-1", "TV 55,1\nA-2,Mug", "1"], mayHoldRows: true });
});

test("in any file every line is in a row that is read or rejected, and a long bad file ends soon", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('"', ",", "\n", "a", "\r", "\t"), maxLength: 60 }),
      async (csv) => {
        for (const delimiter of [",", "\t"]) {
          const rows = await Array.fromAsync(streamRows(csv, delimiter));
          const lettersIn = (text: string): number => text.split("a").length - 1;
          const kept = rows.reduce((sum, { cells }) => sum + lettersIn(cells.join("")), 0);
          expect(kept).toBe(lettersIn(csv));
        }
      },
    ),
    { numRuns: 1_000 },
  );
  // Each of these lines opens a quotation that is not closed: with a look at all the rest for each, this would take hours.
  const lines = 'x,"a\nx,""b\nx,"""c\n'.repeat(100_000);
  const rows = await Array.fromAsync(readRows(lines, ","));
  expect(rows.length).toBeGreaterThan(100_000);
});

test("files without quotes are written as they are read", async () => {
  const rows = [
    ["a", 'TV 55"', '"x"'],
    ["b", "two lines", "y"],
  ];
  const text = toTabs([rows[0]!, ["b", "two\r\nlines", "y"]]);
  expect(await parseCsv(text, "\t", 10, { quoting: "literal" })).toEqual(rows);
});

test("reading a long text yields to the event loop (security N1)", async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  let rows = 0;
  for await (const { cells } of streamRows("a,b,c\n".repeat(200_000), ",")) rows += cells.length / 3;
  clearInterval(counting);
  expect(rows).toBe(200_000);
  expect(turns).toBeGreaterThan(10);
});

test("a row has at most 1,000 columns; further blank ones are ignored", async () => {
  const [blank] = await Array.fromAsync(streamRows(`a,b${",".repeat(5_000)}\n`, ","));
  expect(blank!.cells).toHaveLength(1_000);
  expect(blank!.problem).toBeUndefined();
  const [, wide] = await Array.fromAsync(streamRows(`a\n${"x,".repeat(1_001)}x\n`, ","));
  expect(wide!.problem).toBe("The row has 1002 columns; at most 1000 are read.");
  expect(wide!.cells).toHaveLength(1_000);
});

test("one order with mistakes in 200,000 rows is returned row by row", () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => ({ number: i + 2, cells: ["A-1"] }));
  const errors = rows.map(({ number }) => ({ row: number, column: null, code: "wrong", message: `Of row ${number}.` }));
  const sheet = { columns: [{ column: "number", field: null }], delimiter: ",", isLiteral: false };
  const csv = writeRejected(sheet, [{ rows, errors }]);
  expect(csv.split("\r\n").slice(0, 2)).toEqual(["number,error", "A-1,Of row 2."]);
  expect(csv).toMatch(/A-1,Of row 200001\.\r\n$/);
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { createFileReader } from "./file-reader.ts";

const folder = await mkdtemp(path.join(tmpdir(), "file-reader-"));
afterAll(async () => await rm(folder, { recursive: true }));

async function put(name: string, content: string | Uint8Array) {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return { file, encoding: undefined, delimiter: "auto", maxRows: 200_000 } as const;
}

/** How often the event loop came round while something was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

const workbook = (sheet: string): Uint8Array =>
  zipSync({
    "xl/workbook.xml": strToU8("<workbook><sheet r:id='a'/></workbook>"),
    "xl/worksheets/sheet1.xml": strToU8(`<sheetData>${sheet}</sheetData>`),
  });

test("the event loop is not blocked while a file of any kind is read (security N1)", async () => {
  const reader = createFileReader(AbortSignal.timeout(60_000));
  const costly = await put("costly.xlsx", workbook(`<row>${"<c><v>1</v></c>".repeat(900)}</row>`.repeat(100)));
  const long = await put("long.csv", `number;sku\n${"A-1;MUG\n".repeat(20_000)}`);
  for (const [file, count] of [
    [costly, 100],
    [long, 20_001],
  ] as const) {
    let rows = 0;
    const turns = await turnsDuring(async () => {
      const opened = await reader.open(file);
      for await (const { cells } of opened.rows()) rows += cells.length > 0 ? 1 : 0;
    });
    expect(rows).toBe(count);
    // Read here, it would be one turn for each file.
    expect(turns).toBeGreaterThan(50);
  }
  reader.stop();
});

test("an unreadable file is rejected, and the next one is read", async () => {
  const reader = createFileReader(AbortSignal.timeout(60_000));
  await expect(reader.open(await put("a.xlsx", workbook('<row r="9000000"/>')))).rejects.toThrow(/too many rows/);
  await expect(reader.open(await put("b.xlsx", workbook("<row>").subarray(0, 80)))).rejects.toThrow(/unpacked/);
  const { delimiter, rows } = await reader.open(await put("c.csv", "a\tb\n1\t2\n"));
  expect(delimiter).toBe("\t");
  const both = [{ cells: ["a", "b"] }, { cells: ["1", "2"] }];
  expect(await Array.fromAsync(rows())).toEqual(both);
  // As often as needed, also when an earlier reading was left.
  for await (const row of rows()) {
    expect(row).toEqual(both[0]);
    break;
  }
  expect(await Array.fromAsync(rows("literal"))).toEqual(both);
  const wide = await reader.open(await put("d.csv", `a\n${"x,".repeat(2_000)}x\n`));
  const [, row] = await Array.fromAsync(wide.rows());
  expect(row!.problem).toMatch(/has 2001 columns; at most 1000/);
  reader.stop();
});

test("cancelling a task stops the reading of its file", async () => {
  const end = new AbortController();
  const reader = createFileReader(end.signal);
  const { rows } = await reader.open(await put("e.csv", "a,b\n".repeat(10_000)));
  await rows()[Symbol.asyncIterator]().next();
  const asked = reader.open(await put("f.xlsx", workbook("<row><c/></row>".repeat(100_000))));
  end.abort(new Error("the task was cancelled"));
  await expect(asked).rejects.toThrow("the task was cancelled");
});

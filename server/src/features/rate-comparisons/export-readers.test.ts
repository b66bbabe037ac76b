import { read, utils } from "@e965/xlsx";
import { readXlsx } from "hucre/xlsx";
import readExcelFile from "read-excel-file/node";
import { expect, test } from "vitest";
import { anItem, comparisonFixture, far, lb } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, processed } = await comparisonFixture(hub, org);

type Sheets = Record<string, unknown[][]>;

const fromSheetJs = (bytes: Buffer): Sheets => {
  const book = read(bytes, { type: "buffer", cellDates: true, UTC: true });
  const options = { header: 1 as const, raw: true, blankrows: true, UTC: true };
  return Object.fromEntries(
    book.SheetNames.map((name) => [name, utils.sheet_to_json<unknown[]>(book.Sheets[name]!, options)]),
  );
};
const fromReadExcelFile = async (bytes: Buffer): Promise<Sheets> =>
  Object.fromEntries((await readExcelFile(bytes, { trim: false })).map(({ sheet, data }) => [sheet, data]));
const fromHucre = async (bytes: Buffer): Promise<Sheets> =>
  Object.fromEntries((await readXlsx(new Uint8Array(bytes))).sheets.map(({ name, rows }) => [name, rows]));

/** What readers leave open: how empty cells are called, and how many of them stand at the end of a row or sheet. */
function settled(sheets: Sheets): Sheets {
  const cellOf = (cell: unknown): unknown =>
    cell instanceof Date ? cell.toISOString().slice(0, 10) : cell === undefined || cell === "" ? null : cell;
  const trimmed = <One>(list: One[], isEmpty: (one: One) => boolean): One[] =>
    list.slice(0, list.findLastIndex((one) => !isEmpty(one)) + 1);
  return Object.fromEntries(
    Object.entries(sheets).map(([name, rows]) => [
      name,
      trimmed(
        rows.map((row) => trimmed(Array.from(row, cellOf), (cell) => cell === null)),
        (row) => row.length === 0,
      ),
    ]),
  );
}

test("workbooks of a comparison and of its mix have the same cells in three independent readers, and each parcel once", async () => {
  const targets = [{ carrierAccountId: await anAccount() }, { carrierAccountId: await anAccount() }];
  const items = [
    anItem({ trackingNumber: "=1+1 <A> & Zoë", shipDate: "2026-03-02" }),
    anItem({ ...far, netCost: 31.25, weight: lb(4.2) }),
    // Too heavy for the contract: cells without a price.
    anItem({ weight: lb(900) }),
  ];
  const path = await processed(items, { carrierAccountId: undefined, targets });
  for (const file of ["export.xlsx", "mix.xlsx"]) {
    const answer = await fetch(`${hub.url}/api/v1${path}/${file}`, {
      headers: { authorization: `Bearer ${org.token}` },
    });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const cells = settled(fromSheetJs(bytes));
    expect(settled(await fromReadExcelFile(bytes)), file).toEqual(cells);
    expect(settled(await fromHucre(bytes)), file).toEqual(cells);
    const numbers = items.map((item) => (item as { trackingNumber: string }).trackingNumber);
    const written = Object.values(cells)
      .flat(2)
      .filter((cell) => numbers.includes(String(cell)));
    expect(written.toSorted(), file).toEqual(numbers.toSorted());
  }
});

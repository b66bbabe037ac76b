import { expect, test } from "vitest";
import { comparisonFixture } from "../../testing/comparison-fixture.ts";
import type { BookInvoice, BookParcel } from "../../testing/invoices/invoice-book.ts";
import { makeBook, netOf, shuffled } from "../../testing/invoices/invoice-book.ts";
import { writeUps } from "../../testing/invoices/write-invoices.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, anAccount } = await comparisonFixture(hub, org);
const book = makeBook({ seed: 41 });
const csv = writeUps(book, { order: (rows) => shuffled(rows, 3) });
const { body: imported } = await org.post("/invoices/import", { csv });
const ids: string[] = imported.invoices.map(({ id }: { id: string }) => id);

function paidFor(invoices: BookInvoice[]): Map<string, number> {
  const paid = new Map<string, number>();
  for (const { tracking, charges } of invoices.flatMap(({ parcels }) => parcels)) {
    paid.set(tracking, (paid.get(tracking) ?? 0) + charges.reduce((sum, charge) => sum + netOf(charge), 0));
  }
  return paid;
}

type Row = {
  trackingNumber: string;
  sourceCost: number;
  status: string;
  serviceType: string;
  weight: { value: number };
  targetCost: number;
};

async function compare(source: object): Promise<Row[]> {
  const { status, body, text } = await org.post("/rate-comparisons", { name: "Q1", carrierAccountId, ...source });
  expect(status, text).toBe(201);
  await org.post(`/rate-comparisons/${body.id}/process`);
  await workOff(hub.world, comparisonWork);
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const answer = await org.get(`/rate-comparisons/${body.id}/items?limit=100&page=${page}`);
    rows.push(...answer.body.data);
    if (!answer.body.pagination.hasMore) return rows;
  }
}

test("parcels of invoices are compared at what was billed for them, corrections and credits of later invoices included", async () => {
  const rows = await compare({ invoiceIds: ids });
  const parcels = rows.filter(({ serviceType }) => serviceType !== "");
  const paid = paidFor(book);
  expect(new Map(parcels.map((row) => [row.trackingNumber, Math.round(row.sourceCost * 100)]))).toEqual(paid);
  const known = new Map(book.flatMap((invoice) => invoice.parcels).map((parcel) => [parcel.tracking, parcel]));
  for (const row of parcels) {
    const parcel = known.get(row.trackingNumber)!;
    expect(row).toMatchObject({ serviceType: parcel.service, weight: { value: parcel.pounds, unit: "lb" } });
  }
  expect(rows.some(({ status }) => status === "rated")).toBe(true);
});

test("parcels with the same lead tracking number are priced together, as the contract of docs/rating.md does", async () => {
  const card = {
    name: "Freight",
    effectiveFrom: "2020-01-01",
    zoneScheme: "flat",
    services: [
      {
        code: "GROUND",
        level: "ground",
        weightBreaks: [{ upTo: 150 }],
        rates: { all: [30] },
        discounts: [{ percent: 18 }],
        hundredweight: { weightFrom: [200], rates: { all: [21.5] }, discountPercent: 10 },
      },
    ],
  };
  const numbers = ["1ZLEAD1", "1ZLEAD2", "1ZLEAD3", "1ZLEAD4", "1ZLEAD5"];
  const pieceOf = (tracking: string): BookParcel => ({
    tracking,
    lead: numbers[0]!,
    day: "2026-06-15",
    service: "Ground",
    zone: "8",
    pounds: 44.5,
    billedPounds: 45,
    reference: tracking,
    fromZip: "07114",
    toZip: "90210",
    charges: [{ kind: "base", code: "3", name: "Ground", gross: 3_000, off: 540 }],
    sides: null,
    isByWeight: true,
  });
  const shipment = { number: "I-LEAD", account: "A1", day: "2026-06-20", fees: [], error: 0 };
  const file = writeUps([{ ...shipment, parcels: [...numbers, "1ZALONE"].map(pieceOf) }]);
  // The last parcel is no part of the shipment.
  const alone = file.replace(/^(.*1ZALONE.*)$/gm, (row) => row.replace("1ZLEAD1", ""));
  const { body } = await org.post("/invoices/import", { csv: alone });
  const rows = await compare({ invoiceIds: [body.invoices[0].id], carrierAccountId: await anAccount(card) });
  expect(rows).toHaveLength(6);
  const costOf = (number: string): number => rows.find((row) => row.trackingNumber === number)!.targetCost;
  expect(costOf("1ZALONE")).toBe(24.6);
  // 225 lb, as they were billed, at 21.50 per hundred, less 10 %.
  expect(Math.round(numbers.reduce((sum, number) => sum + costOf(number), 0) * 100)).toBe(4_354);
});

test("the invoices of a date range are the same as those with their IDs", async () => {
  const days = book.map(({ day }) => day);
  const byDate = await compare({ invoiceDates: { from: days[0], to: days[1] } });
  type Imported = { id: string; number: string };
  const first = imported.invoices.filter(({ number }: Imported) => number !== book[2]!.number);
  expect(byDate).toEqual(await compare({ invoiceIds: first.map(({ id }: Imported) => id) }));
});

test("one source at a time, of one's own invoices, with the scope to read them", async () => {
  const base = { name: "Q1", carrierAccountId };
  const both = await org.post("/rate-comparisons", { ...base, items: [], invoiceIds: ids });
  expect(both.body.errors[0]).toMatchObject({ pointer: "/invoiceIds", code: "conflict" });
  const rival = await hub.org();
  const foreign = (await rival.post("/invoices/import", { csv })).body.invoices[0].id;
  const answer = await org.post("/rate-comparisons", { ...base, invoiceIds: [ids[0], foreign] });
  expect([answer.status, answer.body.code]).toEqual([404, "invoice_not_found"]);
  const blind = await org.withScopes(["rates:write", "carrier_accounts:read"]);
  const refused = await blind.post("/rate-comparisons", { ...base, invoiceIds: ids });
  expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
});

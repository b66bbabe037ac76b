import { describe, expect, test } from "vitest";
import type { BookInvoice } from "../../testing/invoices/invoice-book.ts";
import { chargesOf, makeBook, netOf, shuffled, statedOf, sumOf } from "../../testing/invoices/invoice-book.ts";
import type { WriteOptions } from "../../testing/invoices/write-invoices.ts";
import { writeDhl, writeFedex, writeUps } from "../../testing/invoices/write-invoices.ts";
import { writeXlsx } from "../../core/csv/xlsx.ts";
import { xlsxType } from "../../route.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Line } from "./invoices.schemas.ts";

const hub = await startTestHub();
const cents = (amount: number): number => Math.round(amount * 100);

async function importText(org: TestOrg, csv: string, more: object = {}) {
  return await org.post("/invoices/import", { csv, ...more });
}

async function linesOf(org: TestOrg, id: string, filter = ""): Promise<Line[]> {
  const lines: Line[] = [];
  for (let page = 1; ; page++) {
    const { body } = await org.get(`/invoices/${id}/lines?limit=1000&page=${page}${filter}`);
    lines.push(...body.data);
    if (!body.pagination.hasMore) return lines;
  }
}

/** Net amounts by tracking number, in cents; "" for charges without a parcel. */
function sumsOf(pairs: [string, number][]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [key, amount] of pairs) sums[key] = (sums[key] ?? 0) + amount;
  return sums;
}

function expectedSums(invoice: BookInvoice): Record<string, number> {
  return sumsOf([
    ...invoice.parcels.flatMap(({ tracking, charges }) =>
      charges.map((charge): [string, number] => [tracking, netOf(charge)]),
    ),
    ...invoice.fees.map((charge): [string, number] => ["", netOf(charge)]),
  ]);
}

/** Everything that the file says, found again through the API. */
async function expectBook(org: TestOrg, book: BookInvoice[], body: { invoices: { id: string; number: string }[] }) {
  expect(body.invoices.map(({ number }) => number).toSorted()).toEqual(book.map(({ number }) => number).toSorted());
  for (const invoice of book) {
    const { id } = body.invoices.find(({ number }) => number === invoice.number)!;
    const stored = (await org.get(`/invoices/${id}`)).body;
    expect(cents(stored.amount)).toBe(statedOf(invoice));
    expect(cents(stored.chargedAmount)).toBe(sumOf(invoice));
    expect(cents(stored.difference)).toBe(invoice.error);
    expect(stored).toMatchObject({ account: invoice.account, date: invoice.day, currency: "USD" });
    const lines = await linesOf(org, id);
    expect(lines).toHaveLength(stored.lineCount);
    expect(sumsOf(lines.map((line) => [line.trackingNumber ?? "", cents(line.net)]))).toEqual(expectedSums(invoice));
    for (const line of lines) expect(cents(line.gross) - cents(line.discount)).toBe(cents(line.net));
    const kinds = ["fuel", "surcharge", "fee"] as const;
    for (const kind of kinds) {
      const expected = chargesOf(invoice).filter((charge) => charge.kind === kind);
      const found = lines.filter((line) => line.kind === kind).map((line) => cents(line.net));
      expect(found.toSorted(), kind).toEqual(expected.map(netOf).toSorted());
    }
    const base = lines.filter(({ kind, trackingNumber }) => kind === "base" && trackingNumber !== null);
    const parcel = invoice.parcels.find(({ tracking }) => tracking === base[0]!.trackingNumber)!;
    expect(base[0]).toMatchObject({
      service: parcel.service,
      shipDate: parcel.day,
      enteredWeight: { value: parcel.pounds },
      billedWeight: { value: parcel.billedPounds },
      references: [parcel.reference],
      senderZip: parcel.fromZip,
      receiverZip: parcel.toZip,
    });
    expect(JSON.stringify(lines)).not.toContain("Jane Doe");
  }
}

type Case = [name: string, write: (book: BookInvoice[]) => string];
const shuffle = (rows: string[][]): string[][] => shuffled(rows, 7);
const writing =
  (write: (book: BookInvoice[], options?: WriteOptions) => string, options: WriteOptions = {}): Case[1] =>
  (book) =>
    write(book, options);

const european: WriteOptions = { delimiter: ";", decimalComma: true, dayFirst: true };
const cases: Case[] = [
  ["UPS without a header, cut and shuffled", writing(writeUps, { cut: true, order: shuffle })],
  ["UPS with a header and BOM", writing(writeUps, { header: true, bom: true })],
  ["UPS with semicolons, decimal commas and the day first", writing(writeUps, european)],
  ["FedEx", writing(writeFedex, { order: shuffle })],
  ["FedEx with 50 numbered pairs", writing(writeFedex, { pairs: 50, numbered: true, bom: true })],
  ["DHL Express without a header, shuffled", writing(writeDhl, { order: shuffle, cut: true })],
  ["DHL Express with a header, semicolons and decimal commas", writing(writeDhl, { ...european, header: true })],
];

describe("files as carriers send them", () => {
  test.for(cases.map(([name, write], index) => ({ name, write, seed: index + 1 })))(
    "$name: every charge, to the cent",
    async ({ write, seed }) => {
      const org = await hub.org();
      const book = makeBook({ seed });
      const answer = await importText(org, write(book));
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      await expectBook(org, book, answer.body);
      expect((await org.get("/exceptions?kind=invoice")).body.data).toEqual([]);
    },
  );
});

describe("invoices that do not fit", () => {
  test("a wrong total is imported, listed, and opens an exception with the rows in question", async () => {
    const org = await hub.org();
    const book = makeBook({ seed: 21, error: 2_875 });
    const { body } = await importText(org, writeUps(book));
    await expectBook(org, book, body);
    const { id } = body.invoices.find(({ number }: { number: string }) => number === book[0]!.number);
    expect((await org.get("/invoices?hasDifference=true")).body.data.map((row: { id: string }) => row.id)).toEqual([
      id,
    ]);
    expect((await org.get("/invoices?hasDifference=false")).body.pagination.total).toBe(book.length - 1);
    const [exception] = (await org.get("/exceptions?kind=invoice")).body.data;
    expect(exception).toMatchObject({
      code: "invoice_total_differs",
      status: "open",
      subject: { type: "invoice", id },
    });
    const { details } = (await org.get(`/exceptions/${exception.id}`)).body;
    // The weekly fee is as large as the difference.
    const lines = await linesOf(org, id, "&kind=fee");
    expect(details.errors.map(({ row }: { row: number }) => row)).toEqual([lines[0]!.row]);
    expect((await org.delete(`/invoices/${id}`)).status).toBe(200);
    expect((await org.get(`/exceptions/${exception.id}`)).body.status).toBe("resolved");
  });

  test("a row whose charges do not add up is named", async () => {
    const org = await hub.org();
    const book = makeBook({ seed: 22, invoices: 1, error: 700 });
    const [header, first, ...rest] = writeFedex(book).split("\r\n");
    const names = header!.split(",");
    const cells = first!.split(",");
    const at = names.indexOf("Net Charge Amount");
    cells[at] = (Number(cells[at]) + 7).toFixed(2);
    const { body } = await importText(org, [header, cells.join(","), ...rest].join("\r\n"));
    expect(body.invoices[0].difference).toBe(7);
    const [{ id }] = (await org.get("/exceptions?kind=invoice")).body.data;
    const { errors } = (await org.get(`/exceptions/${id}`)).body.details;
    expect(errors[0]).toMatchObject({ row: 2, code: "row_total_differs" });
  });

  test("the same file twice changes nothing, in any order and format; other content is refused and says what differs", async () => {
    const org = await hub.org();
    const book = makeBook({ seed: 23 });
    const first = await importText(org, writeUps(book));
    const again = await importText(
      org,
      writeUps(book, { header: true, order: shuffle, delimiter: ";", decimalComma: true }),
    );
    expect(again.status).toBe(200);
    const told = again.body.invoices.toSorted((a: { number: string }, b: { number: string }) =>
      a.number < b.number ? -1 : 1,
    );
    expect(told).toEqual(first.body.invoices.map((row: object) => ({ ...row, status: "unchanged" })));
    expect((await org.get("/invoices")).body.pagination.total).toBe(book.length);

    const other = makeBook({ seed: 23 });
    const changed = other[1]!.parcels[0]!;
    changed.charges[0]!.gross += 100;
    const later = makeBook({ seed: 24, invoices: 1 });
    const refused = await importText(org, writeUps([...later, ...other]));
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "invoice_differs", numbers: [other[1]!.number] });
    const net = changed.charges.reduce((sum, charge) => sum + netOf(charge), 0);
    expect(refused.body.differs).toEqual([
      { trackingNumber: changed.tracking, stored: (net - 100) / 100, sent: net / 100 },
    ]);
    // Nothing of the file was imported, not even the invoice that is new.
    expect((await org.get("/invoices")).body.pagination.total).toBe(book.length);
    const { id } = first.body.invoices[1];
    await org.delete(`/invoices/${id}`);
    expect(
      (await importText(org, writeUps([...later, ...other]))).body.invoices.map(
        (row: { status: string }) => row.status,
      ),
    ).toEqual(["created", "unchanged", "created", "unchanged"]);
  });

  test("concurrent imports of the same file store it once", async () => {
    const org = await hub.org();
    const csv = writeUps(makeBook({ seed: 25 }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => importText(org, csv)));
    const statuses = answers.flatMap(({ body }) => body.invoices.map((row: { status: string }) => row.status));
    expect(statuses.filter((status) => status === "created")).toHaveLength(3);
    expect(statuses).toHaveLength(18);
    expect((await org.get("/invoices")).body.pagination.total).toBe(3);
  });

  test("unreadable cells are named, and nothing is imported", async () => {
    const org = await hub.org();
    const rows = writeUps(makeBook({ seed: 26, invoices: 1 }), { header: true }).split("\r\n");
    const names = rows[0]!.split(",");
    const cells = rows[1]!.split(",");
    cells[names.indexOf("Net Amount")] = "twelve";
    cells[names.indexOf("Invoice Date")] = "soon";
    const { status, body } = await importText(org, [rows[0], cells.join(","), ...rows.slice(2)].join("\r\n"));
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { row: 2, column: "Invoice Date", code: "not_a_date" },
      { row: 2, column: "Net Amount", code: "not_an_amount" },
    ]);
    expect((await org.get("/invoices")).body.pagination.total).toBe(0);
    const unknown = await importText(org, "a,b\n1,2\n");
    expect(unknown.body.errors[0]).toMatchObject({ pointer: "/csv", code: "unknown_format" });
    expect((await importText(org, "net amount\n1\n")).body.errors[0]).toMatchObject({ pointer: "/carrier" });
    expect((await importText(org, "net amount\n1\n", { carrier: "X" })).body.errors[0]).toMatchObject({
      pointer: "/number",
    });
    expect((await importText(org, "   \n")).body.errors[0]).toMatchObject({ pointer: "/csv", code: "empty" });
  });
});

describe("large files", () => {
  test("a workbook in the offload process, with the same lines as its CSV file", async () => {
    const org = await hub.org();
    const book = makeBook({ seed: 27, invoices: 1, parcels: 60 });
    const cells = writeFedex(book)
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","));
    async function* portions() {
      yield cells;
    }
    const rawBody = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "Invoice", portions: portions() }])));
    const answer = await org.post("/invoices/import", undefined, { rawBody, headers: { "content-type": xlsxType } });
    expect(answer.status, answer.text).toBe(200);
    await expectBook(org, book, answer.body);
  });

  test("several batches of lines, and nothing of them when the process ends before the last one", async () => {
    const org = await hub.org();
    const book = makeBook({ seed: 28, invoices: 2, parcels: 900 });
    const csv = writeUps(book, { cut: true, order: shuffle });
    const { db } = hub.world;
    await db.query(`create function die() returns trigger language plpgsql as $$ begin raise exception 'dead'; end $$`);
    await db.query("create trigger dead before update on invoices for each statement execute function die()");
    expect((await importText(org, csv)).status).toBe(500);
    await db.query("drop function die cascade");
    expect((await org.get("/invoices")).body.pagination.total).toBe(0);
    const [left] = await db.query<{ count: number }>("select count(*) from invoice_lines where org_id = $1", [org.id]);
    expect(left!.count).toBe(0);
    const { body } = await importText(org, csv);
    for (const invoice of book) {
      const { id, difference } = body.invoices.find(({ number }: { number: string }) => number === invoice.number);
      expect(difference).toBe(0);
      const lines = await linesOf(org, id);
      expect(lines).toHaveLength(chargesOf(invoice).length);
      expect(sumsOf(lines.map((line) => [line.trackingNumber ?? "", cents(line.net)]))).toEqual(expectedSums(invoice));
    }
  });
});

describe("files of sellers and of other carriers", () => {
  test("EasyPost, whose export names no invoice", async () => {
    const org = await hub.org();
    const csv =
      "id,created_at,tracking_code,carrier,service,postage_fee,label_fee,insurance_fee,weight,from_zip,to_zip,reference\n" +
      "shp_1,2026-02-03T10:00:00Z,9400,USPS,Priority,7.20,0.05,1.00,16.0,07114,90210,#17\n" +
      "shp_2,2026-02-01T10:00:00Z,1Z1,UPS,Ground,9.005,0.05,,32.0,07114,10001,#18\n";
    const { body } = await importText(org, csv);
    expect(body).toMatchObject({
      format: "easypost",
      carrier: "EasyPost",
      invoices: [{ number: "2026-02-01 to 2026-02-03", amount: 17.305, lineCount: 5, difference: 0 }],
    });
    const lines = await linesOf(org, body.invoices[0].id);
    expect(lines.map(({ kind, net }) => [kind, net])).toEqual([
      ["base", 7.2],
      ["surcharge", 1],
      ["fee", 0.05],
      // Below a cent, as EasyPost writes it.
      ["base", 9.005],
      ["fee", 0.05],
    ]);
    expect(lines[0]).toMatchObject({
      service: "USPS Priority",
      shipDate: "2026-02-03",
      billedWeight: { value: 16, unit: "oz" },
    });
    expect(lines[1]).toMatchObject({ billedWeight: null });
  });

  test("ShipStation: the cost of the label and of its insurance", async () => {
    const org = await hub.org();
    const csv =
      "Shipment - Tracking Number,Carrier - Fee,Insurance - Cost,Carrier - Name,Carrier - Service Selected,Date - Shipped Date,Weight (oz)\n" +
      "9400,7.20,0.90,USPS,USPS Ground Advantage,7/15/2026,12\n";
    const { body } = await importText(org, csv, { number: "July" });
    expect(body).toMatchObject({ carrier: "ShipStation", invoices: [{ number: "July", amount: 8.1, lineCount: 2 }] });
    const [base] = await linesOf(org, body.invoices[0].id);
    expect(base).toMatchObject({ service: "USPS Ground Advantage", billedWeight: { value: 12, unit: "oz" } });
  });

  test("any file by a mapping, as text with the options in the query", async () => {
    const org = await hub.org();
    const mapping = JSON.stringify({
      Rechnung: "invoiceNumber",
      Sendung: "trackingNumber",
      Betrag: "netAmount",
      Tag: "shipDate",
    });
    const csv = "Rechnung;Sendung;Betrag;Tag\nR1;P1;1.234,50;31.12.2026\nR2;;7,00;\n";
    const query = `carrier=Post&currency=EUR&mapping=${encodeURIComponent(mapping)}`;
    const headers = { "content-type": "text/csv" };
    const answer = await org.post(`/invoices/import?${query}`, undefined, { rawBody: csv, headers });
    expect(answer.body.invoices).toMatchObject([
      { number: "R1", amount: 1234.5 },
      { number: "R2", amount: 7 },
    ]);
    const lines = await linesOf(org, answer.body.invoices[0].id);
    expect(lines[0]).toMatchObject({ kind: "base", shipDate: "2026-12-31", currency: "EUR" });

    const settings = { currency: "EUR", mapping: JSON.parse(mapping) };
    expect((await org.post("/import-presets", { name: "Post", kind: "invoices", settings })).status).toBe(201);
    const again = await importText(org, csv, { carrier: "Post", preset: "post" });
    expect(again.body.invoices).toMatchObject([{ status: "unchanged" }, { status: "unchanged" }]);
    // A preset for invoices is none for orders, and the other way round.
    expect((await org.post("/orders/import", { csv, preset: "Post" })).body.errors[0].code).toBe("unknown_preset");
    await org.post("/import-presets", { name: "Shop", settings: {} });
    const other = await importText(org, csv, { carrier: "Post", preset: "Shop" });
    expect(other.body.errors[0]).toMatchObject({ pointer: "/preset", code: "unknown_preset" });
    expect((await org.get("/import-presets?kind=invoices")).body.data).toMatchObject([{ name: "Post" }]);
    // A preset that holds the carrier needs nothing else.
    const whole = { name: "Post AG", kind: "invoices", settings: { ...settings, carrier: "Post" } };
    expect((await org.post("/import-presets", whole)).status).toBe(201);
    const alone = await org.post("/invoices/import?preset=post%20ag", undefined, { rawBody: csv, headers });
    expect(alone.body).toMatchObject({ carrier: "Post", invoices: [{ status: "unchanged" }, { status: "unchanged" }] });
    const misplaced = { name: "Misplaced", settings: { carrier: "Post" } };
    expect((await org.post("/import-presets", misplaced)).body.errors[0].pointer).toBe("/settings/carrier");
    const based = { name: "Based", kind: "invoices", settings: { base: "auto" } };
    expect((await org.post("/import-presets", based)).body.errors[0].pointer).toBe("/settings/base");
  });
});

test("lists are filtered, and another organization sees nothing of it", async () => {
  const org = await hub.org();
  const book = makeBook({ seed: 31 });
  const { body } = await importText(org, writeUps(book));
  const numbers = async (query: string): Promise<string[]> =>
    (await org.get(`/invoices?${query}`)).body.data.map((row: { number: string }) => row.number);
  expect(await numbers("carrier=ups")).toHaveLength(3);
  expect(await numbers("carrier=FedEx")).toEqual([]);
  expect(await numbers(`from=${book[1]!.day}&to=${book[1]!.day}`)).toEqual([book[1]!.number]);
  expect(await numbers(`number=${book[2]!.number}`)).toEqual([book[2]!.number]);
  expect((await numbers(`account=${book[0]!.account}`)).toSorted()).toEqual(
    book.filter(({ account }) => account === book[0]!.account).map(({ number }) => number),
  );
  const corrected = book[0]!.parcels[0]!.tracking;
  const later = await linesOf(org, body.invoices[1].id, `&trackingNumber=${corrected}`);
  expect(later).toMatchObject([{ kind: "adjustment", trackingNumber: corrected, code: "SCC" }]);
  const rival = await hub.org();
  // The same numbers are free for a rival, and are theirs alone.
  expect((await importText(rival, writeUps(book))).body.invoices[0]).toMatchObject({ status: "created" });
  expect((await rival.get(`/invoices/${body.invoices[0].id}/lines`)).status).toBe(404);
  expect((await rival.delete(`/invoices/${body.invoices[0].id}`)).status).toBe(404);
});

import { expect, test } from "vitest";
import {
  shopifyHeader as header,
  shopifyLine as line,
  shopifyOrder as first,
  shopifyRow as row,
} from "../../../testing/shopify-export.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

/** Files as merchants have them: written by programs that do not quote, and by spreadsheets that know better. */
const hub = await startTestHub();

type Told = { code: string; column: string | null; row?: number; message: string };

async function open() {
  const org = await hub.org();
  const send = async (csv: string, more: object = {}) => await org.post("/orders/import", { csv, ...more });
  const importFile = async (csv: string, more: object = {}) => {
    const { status, body } = await send(csv, more);
    expect([status, body.errors], JSON.stringify(body).slice(0, 500)).toEqual([200, []]);
    return body;
  };
  const read = async (number: string) => (await org.get(`/orders/${encodeURIComponent(number)}`)).body;
  return { org, send, importFile, read };
}

const codes = (told: Told[]): string[] => told.map(({ code }) => code);
const numbersOf = async (org: TestOrg): Promise<string[]> =>
  (await org.get("/orders?limit=100")).body.data.map(({ number }: { number: string }) => number).toSorted();

test("Amazon: quotation marks are part of the text, and rejected rows can be imported again", async () => {
  const { send, importFile, read } = await open();
  const head = "order-id\torder-item-id\tquantity-purchased\tproduct-name\trecipient-name";
  const csv = `${head}\nA-1\t1\t1\tTV 55" wall mount\tAnn\nA-2\t2\t1\t"Best\tBob\nA-3\t3\t1\tmug"\t"Eve"\n`;
  expect(await importFile(csv)).toMatchObject({ detectedPreset: "amazon", summary: { orders: 3, created: 3 } });
  expect((await read("A-1")).lines[0].name).toBe('TV 55" wall mount');
  expect((await read("A-2")).lines[0].name).toBe('"Best');
  expect((await read("A-3")).shippingAddress.name).toBe('"Eve"');
  const bad = (await send(`${head}\nA-4\t4\tmany\t"55" and 40" stand"\tAnn\n`)).body;
  expect(bad.summary).toMatchObject({ created: 0, failed: 1 });
  await importFile(bad.rejectedCsv.replace("many", "2"));
  expect((await read("A-4")).lines[0]).toMatchObject({ name: '"55" and 40" stand"', quantity: 2 });
});

test("a stray quotation mark fails its row and order, not the file", async () => {
  const { org, send } = await open();
  const csv = [
    "number,name,item name,sku,quantity",
    'B-1,Ann,TV 55" mount,TV,1',
    "B-1,Ann,Cable,CAB,1",
    'B-2,Bob,"Mug, blue",MUG,1',
    'B-3,Eve,"Cup,CUP,1',
    "B-4,Joe,Plate,PLA,2",
    'B-5,Jim,"Plate, flat",PLA,2',
  ].join("\n");
  const { status, body } = await send(csv);
  expect([status, body.summary]).toEqual([200, { rows: 6, orders: 5, created: 3, failed: 2 }]);
  expect(body.errors.map(({ row: at, code }: Told) => [at, code])).toEqual([
    [2, "malformed_row"],
    [5, "malformed_row"],
  ]);
  expect(body.errors[0].message).toContain("quotation mark");
  expect(body.rejectedCsv).toContain("B-3");
  // An order of which one row cannot be read would be shipped without what stands there.
  expect(await numbersOf(org)).toEqual(["B-2", "B-4", "B-5"]);
  const joined = await send('number,sku,quantity,name\nC-1,A,1,"Ann\nC-2,B,1,Bob"\n', { dryRun: true });
  expect(joined.body.warnings).toContainEqual(expect.objectContaining({ code: "joined_rows" }));
});

test("lines above the header and total rows are ignored", async () => {
  const { org, importFile, send } = await open();
  const excel = await importFile("sep=;\r\nOrder Number;SKU;Quantity\r\nS-1;A;1\r\n");
  expect(codes(excel.warnings)).toEqual([]);
  const titled = await importFile('"Orders, November 2026"\nPrinted by Ann\n\nOrder Number,SKU,Quantity\nT-1,A,2\n');
  expect(titled.warnings).toMatchObject([{ code: "rows_above_header" }]);
  expect(titled.sample[0]).toMatchObject({ row: 5 });
  const ebay =
    "Order Number,Item Title,Custom Label,Quantity,Sold For\nE-1,Lamp,LAMP,1,£9.99\n\n1,record(s) downloaded\n";
  expect(await importFile(ebay)).toMatchObject({ detectedPreset: "ebay", summary: { orders: 1, created: 1 } });
  expect(await numbersOf(org)).toEqual(["E-1", "S-1", "T-1"]);
  expect((await org.get("/orders/E-1")).body).toMatchObject({ currency: "GBP", lines: [{ price: 9.99 }] });
  // Without a known name in any of the first rows, the first one is the header.
  expect((await send("foo,bar\n1,2\n")).body.errors[0]).toMatchObject({ code: "no_known_columns" });
});

test("the currency is read from amounts if there is no column for it", async () => {
  const { importFile, read } = await open();
  await importFile('number,sku,price\nE,A,"12,50 €"\nF,A,CA$ 3.00\nG,A,PLN 4.5\nH,A,$5.00\n');
  const all = await Promise.all(["E", "F", "G", "H"].map(async (number) => await read(number)));
  expect(all.map(({ currency, lines }) => [currency, lines[0].price])).toEqual([
    ["EUR", 12.5],
    ["CAD", 3],
    ["PLN", 4.5],
    ["USD", 5],
  ]);
  await importFile("number,sku,price,currency\nI,A,£1,EUR\n");
  expect((await read("I")).currency).toBe("EUR");
});

test("rows without a number get a stable one; rows that may belong to another order are rejected", async () => {
  const { org, send, importFile } = await open();
  const head =
    "Sales Record Number,Order Number,Buyer Name,Ship To Name,Ship To City,Item Title,Custom Label,Quantity,Sold For";
  const ebay = `${head}\n101,,Joe,Joe Doe,Reno,Lamp,LAMP,1,£5\n102,,Ann,Ann Lee,Leeds,Lamp,LAMP,1,£5\n`;
  const told = await importFile(ebay);
  expect(codes(told.warnings)).toContain("assumed_number");
  expect(await numbersOf(org)).toEqual(["101", "102"]);
  const csv = "number,name,city,sku,quantity\n,Ann,Leeds,A,1\n,Ann,Leeds,A,1\nX-1,Bob,Reno,A,1\n,,,B,2\n";
  const { body } = await send(csv);
  expect(body.summary).toMatchObject({ orders: 4, created: 3, failed: 1 });
  expect(body.errors).toMatchObject([{ row: 5, column: "number", code: "required" }]);
  expect(codes(body.warnings)).toContain("assumed_number");
  const again = (await send(csv)).body;
  expect(again.summary).toMatchObject({ created: 0, failed: 4 });
  expect(codes(again.errors).filter((code) => code === "order_number_taken")).toHaveLength(3);
  expect(await numbersOf(org)).toHaveLength(5);
});

test("a file with unknown column names is rejected until the number column is assigned", async () => {
  const { org, send } = await open();
  const csv = "Tilausnumero;Postinumero;Määrä;SKU\nD-1;00100;2;MUG\n";
  const refused = await send(csv);
  expect(refused.body.errors).toMatchObject([{ pointer: "/csv", code: "number_column_unknown" }]);
  expect(refused.body.errors[0].message).toContain("Tilausnumero, Postinumero, Määrä");
  const dry = await send(csv, { dryRun: true });
  expect(codes(dry.body.warnings)).toContain("number_column_unknown");
  const mapping = { Tilausnumero: "number", Postinumero: "shippingAddress.zip", Määrä: "line.quantity" };
  expect((await send(csv, { mapping })).body.summary).toMatchObject({ created: 1 });
  // A user who has checked the columns may ignore them.
  const none = { Tilausnumero: null, Postinumero: null, Määrä: null };
  expect((await send(csv, { mapping: none })).body.summary).toMatchObject({ created: 1 });
  expect((await org.get("/orders/counts")).body.total).toBe(2);
});

test("codes that a spreadsheet has damaged are reported, and two orders are not merged", async () => {
  const { importFile, send, read } = await open();
  const csv =
    "number,sku,line id,quantity,name,city,zip,country,phone\n" +
    "Z-1,1.2E+15,5.96864E+13,1,Ann,Dresden,1067,Deutschland,2.70929E+09\nZ-2,12-Mar,2,1,Bob,Lyon,69001,France,1\n" +
    "Z-3,A,3,1,Eve,Oslo,150,Norge,1\nZ-4,A,3,1,Eve,東京,100-0001,日本,1\n";
  const { warnings } = await importFile(csv);
  const told = warnings.map(({ column, code }: Told) => `${column} ${code}`);
  expect(told).toEqual(
    expect.arrayContaining([
      "sku precision_lost",
      "sku looks_like_date",
      "line id precision_lost",
      "phone precision_lost",
    ]),
  );
  expect((await read("Z-1")).shippingAddress).toMatchObject({ zip: "01067", countryCode: "DE" });
  expect((await read("Z-3")).shippingAddress).toMatchObject({ zip: "0150", countryCode: "NO" });
  expect((await read("Z-4")).shippingAddress).toMatchObject({ zip: "100-0001", countryCode: "JP" });
  const lost = await send("number,sku,quantity\n5.96864E+13,A,1\n5.96864E+13,B,1\n");
  expect(lost.body.summary.created).toBe(0);
  expect(codes(lost.body.errors)).toEqual(["precision_lost", "precision_lost"]);
});

test("one unambiguous date decides the date format of the file", async () => {
  const { importFile, read, send } = await open();
  const days = await importFile("number,sku,order date\nD-1,A,03/02/2026\nD-2,A,25/12/2026\n");
  expect(days.warnings).not.toContainEqual(expect.objectContaining({ code: "assumed_date_order" }));
  expect((await read("D-1")).orderedAt).toBe("2026-02-03T00:00:00.000Z");
  await importFile("number,sku,order date\nM-1,A,03/02/2026\nM-2,A,12/25/2026\n");
  expect((await read("M-1")).orderedAt).toBe("2026-03-02T00:00:00.000Z");
  const open_ = await importFile("number,sku,order date\nO-1,25-12-2026,03/02/2026\n");
  expect(open_.warnings).toContainEqual(expect.objectContaining({ code: "assumed_date_order" }));
  expect((await read("O-1")).orderedAt).toBe("2026-03-02T00:00:00.000Z");
  const both = await send("number,sku,order date\nP-1,A,25/12/2026\nP-2,A,12/25/2026\n");
  expect(both.body.errors).toMatchObject([{ row: 2, code: "not_a_date" }]);
});

const woo =
  "Order Number,Order Status,First Name (Billing),City (Shipping),Payment Method Title,Order Total Amount,Order Refund Amount,SKU,Item Name,Quantity";

test("WooCommerce: amounts and statuses of a file are those of the connector", async () => {
  const { importFile, read } = await open();
  const rows = [
    "W-1,Processing,Ann,Reno,Credit card,20,0,A,Mug,1",
    "W-2,Processing,Ann,Reno,Cash on delivery,20,0,A,Mug,1",
    "W-3,Processing,Ann,Reno,Card,20,5,A,Mug,1",
    "W-4,Pending payment,Ann,Reno,Card,20,0,A,Mug,1",
    "W-5,Completed,Ann,Reno,Cash on delivery,20,0,A,Mug,1",
    "W-6,Refunded,Ann,Reno,Card,20,20,A,Mug,1",
    "W-7,Partially Shipped,Ann,Reno,Card,20,0,A,Mug,1",
  ];
  const { warnings } = await importFile([woo, ...rows].join("\n"));
  expect(warnings).toContainEqual(expect.objectContaining({ column: "Order Status", code: "unknown_word" }));
  const states = await Promise.all(
    rows.map(async (_, i) => {
      const { status, paymentStatus, total } = await read(`W-${i + 1}`);
      return [status, paymentStatus, total];
    }),
  );
  expect(states).toEqual([
    ["new", "paid", 20],
    ["new", "pending", 20],
    ["new", "partially_refunded", 20],
    ["awaiting_payment", "pending", 20],
    ["shipped", "paid", 20],
    ["cancelled", "refunded", 20],
    ["review_required", "pending", 20],
  ]);
});

test("Shopify: items without shipping are marked, and refunded orders need review", async () => {
  const { importFile, read } = await open();
  const digital = { "Lineitem requires shipping": "false" };
  await importFile(
    [
      header,
      row({ ...first, ...line("Mug", "1", "M"), "Lineitem requires shipping": "true", "Refunded Amount": "5.00" }),
      row({ Name: "#1001", Email: "ann@example.com", ...line("Gift card", "2", "GC"), ...digital }),
      row({ ...first, Name: "#1002", Id: "2", ...line("E-book", "1", "EB"), ...digital }),
      row({ ...first, Name: "#1003", Id: "3", "Financial Status": "refunded", ...line("Mug", "1", "M") }),
      row({ ...first, Name: "#1004", Id: "4", ...line("Mug", "1", "M") }),
      row({ Name: "#1004", Email: "ann@example.com", ...line("Cup", "0", "C") }),
    ].join("\n"),
  );
  const mixed = await read("#1001");
  expect(mixed).toMatchObject({
    status: "new",
    total: 45,
    amounts: { refunded: 5 },
    lines: [
      { sku: "M", requiresShipping: true },
      { sku: "GC", requiresShipping: false },
    ],
  });
  expect(await read("#1002")).toMatchObject({ status: "review_required", lines: [{ sku: "EB" }] });
  expect((await read("#1003")).status).toBe("review_required");
  expect((await read("#1004")).lines).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const shop = [
  "Order Number,Customer Name,Email,Ship To Address,City,State,Zip,Country,SKU,Qty,Unit Price,Tags,Order Date,Total",
  'S-1,Ada Byron,ada@example.com,12 Main St,Boston,MA,2134,US,MUG-01,2,9.50,"vip, gift",2026-03-01,"1,219.00"',
  "S-1,,,,,,,,CAP-02,1,$5,,,",
  "",
  "S-2,Bo,bo@example.com,1 Rue,Paris,,75001,France,MUG-01,1,9.5,,3/14/2026,9.5",
].join("\r\n");

type Csv = { row: number; column: string | null; code: string };
const places = (errors: Csv[]): unknown[] => errors.map(({ row, column, code }) => [row, column, code]);

describe("importing a file", () => {
  test("groups rows by number into orders, and repairs values damaged by spreadsheets", async () => {
    const org = await hub.org();
    const { status, body } = await org.post("/orders/import", { csv: `\uFEFF${shop}` });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dryRun: false,
      summary: { rows: 3, orders: 2, created: 2, failed: 0 },
      errors: [],
    });
    expect(body.rejectedCsv).toBeUndefined();
    expect(body.columns.slice(0, 4)).toEqual([
      { column: "Order Number", field: "number", nonEmptyRows: 3 },
      { column: "Customer Name", field: "customer.name", nonEmptyRows: 2 },
      { column: "Email", field: "customer.email", nonEmptyRows: 2 },
      { column: "Ship To Address", field: "shippingAddress.address1", nonEmptyRows: 2 },
    ]);
    const first = (await org.get("/orders/S-1")).body;
    expect(first).toMatchObject({
      customer: { name: "Ada Byron", email: "ada@example.com" },
      shippingAddress: { address1: "12 Main St", city: "Boston", provinceCode: "MA", zip: "02134", countryCode: "US" },
      tags: ["vip", "gift"],
      orderedAt: "2026-03-01T00:00:00.000Z",
      total: 1219,
      lines: [
        { sku: "MUG-01", quantity: 2, price: 9.5 },
        { sku: "CAP-02", quantity: 1, price: 5 },
      ],
    });
    const second = (await org.get("/orders/S-2")).body;
    expect(second).toMatchObject({ orderedAt: "2026-03-14T00:00:00.000Z" });
    expect(second.shippingAddress).toMatchObject({ zip: "75001", country: "France", countryCode: "FR" });
    expect((await org.get("/orders/S-1/timeline")).body.data).toMatchObject([{ kind: "imported" }]);
    expect((await org.get("/audit?type=orders.created")).body.data[0].data).toMatchObject({ count: 2, source: "csv" });
  });

  test("detects the delimiter and recognizes columns in any spelling", async () => {
    const org = await hub.org();
    const spellings = [
      [";", "order_number", "D-1"],
      ["\t", "orderNumber", "D-2"],
      [",", "NUMBER", "D-3"],
    ] as const;
    for (const [delimiter, name, number] of spellings) {
      const rows = [[name, "line.sku", "QTY"].join(delimiter), [number, "A-1", "3"].join(delimiter)];
      const { body } = await org.post("/orders/import", { csv: rows.join("\n") });
      expect(body.summary).toEqual({ rows: 1, orders: 1, created: 1, failed: 0 });
    }
    const forced = await org.post("/orders/import", { csv: "number;a,b\nX;1,2\n", delimiter: "semicolon" });
    expect(forced.body.columns).toEqual([
      { column: "number", field: "number", nonEmptyRows: 1 },
      { column: "a,b", field: null, nonEmptyRows: 1 },
    ]);
    const decimal = await org.post("/orders/import", { csv: "number;total\nEU-1;12,50\n" });
    expect(decimal.body.summary.created).toBe(1);
    expect((await org.get("/orders/EU-1")).body.total).toBe(12.5);
  });

  test("accepts a mapping for unknown columns, and reports wrong ones", async () => {
    const org = await hub.org();
    const csv = "Ref,Colour,Who,Stuff\nR-1,red,Ada,x\n";
    const mapping = { ref: "number", Colour: "customFields.color", Who: "customer.name", Stuff: null };
    expect((await org.post("/orders/import", { csv, mapping })).body.summary.created).toBe(1);
    expect((await org.get("/orders/R-1")).body).toMatchObject({
      customFields: { color: "red" },
      customer: { name: "Ada" },
    });
    const odd = await org.post("/orders/import", {
      csv: `number,a,customFields\nR-2,x,\nR-3,,"{""k"":""\\u0000""}"\nR-4,,null\nR-5,,"{""__proto__"":1}"\n`,
      mapping: { a: "customFields.constructor" },
    });
    expect((await org.get("/orders/R-2")).body.customFields).toEqual({ constructor: "x" });
    expect(odd.body.summary).toMatchObject({ created: 1, failed: 3 });
    expect(places(odd.body.errors).every((place) => (place as string[])[1] === "customFields")).toBe(true);
    const wrong = await org.post("/orders/import", {
      csv,
      mapping: { Reff: "number", Who: "customer.nam", Ref: "number" },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors).toMatchObject([
      { pointer: "/mapping/Reff", code: "unknown_column", suggestion: "Ref" },
      { pointer: "/mapping/Who", code: "unknown_field", suggestion: "customer.name" },
    ]);
  });

  test("creates valid orders and returns invalid rows with cell and reason", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "TAKEN" });
    const csv = [
      "number,sku,quantity,total,status,order date,email",
      "OK,A,1,10,ready,2026-01-02,",
      "BAD,A,many,10,new,2026-01-02,",
      "BAD,B,1,11,,,",
      "DATE,A,1,,,32/12/2026,",
      "ENUM,A,1,,redy,2026-02-30,",
      "TAKEN,A,1,,,,",
      "NOSKU,,2,,,,",
      "WIDE,A,1,,,,,extra",
      ",=1+1,1,,,,",
    ].join("\n");
    const { body } = await org.post("/orders/import", { csv });
    expect(body.summary).toEqual({ rows: 9, orders: 8, created: 2, failed: 6 });
    expect(places(body.errors)).toEqual([
      [3, "quantity", "not_a_number"],
      [4, "total", "conflicting_value"],
      [5, "order date", "not_a_date"],
      [6, "order date", "not_a_date"],
      [6, "status", "enum"],
      [7, "number", "order_number_taken"],
      [8, "sku", "required"],
      [9, null, "too_many_cells"],
    ]);
    const lines = body.rejectedCsv.split("\r\n");
    expect(lines[0]).toBe("number,sku,quantity,total,status,order date,email,,error");
    expect(lines).toHaveLength(9);
    expect(lines[1]).toBe("BAD,A,many,10,new,2026-01-02,,,quantity: many is not a number.");
    expect(lines[2]).toContain("total: Row 3 of the same order has another value.");
    const again = await org.post("/orders/import", {
      csv: body.rejectedCsv.replace("many", "2").replace("B,1,11", "B,1,10"),
    });
    expect(again.body.columns.at(-1)).toEqual({ column: "error", field: null, nonEmptyRows: 7 });
    expect(again.body.summary.created, "the one put right, and the one whose cell has a column now").toBe(2);
    const enumOnly = await org.post("/orders/import", { csv: "number,status\nE,redy\n" });
    expect(places(enumOnly.body.errors)).toEqual([[2, "status", "enum"]]);
    expect(enumOnly.body.errors[0].message).toContain("Allowed: draft, new, review_required,");
    expect(enumOnly.body.rejectedCsv).toContain("Allowed: draft, new, review_required,");
  });

  test("reads weights in the unit of the cell or column name, by default in pounds", async () => {
    const org = await hub.org();
    const weightsOf = async (number: string, header: string, ...rows: string[]) => {
      const csv = [`number,sku,${header}`, ...rows.map((row) => `${number},A,${row}`)].join("\n");
      const { body } = await org.post("/orders/import", { csv });
      expect(body.errors).toEqual([]);
      const { lines } = (await org.get(`/orders/${number}`)).body;
      return lines.map(
        ({ weight }: { weight?: { value: number; unit: string } }) => weight && `${weight.value} ${weight.unit}`,
      );
    };
    expect(await weightsOf("W-1", "Weight (kg)", "1.5", "")).toEqual(["1.5 kg", undefined]);
    expect(await weightsOf("W-2", "item_weight_lbs", "2")).toEqual(["2 lb"]);
    expect(await weightsOf("W-3", "itemWeightOz", "3")).toEqual(["3 oz"]);
    expect(await weightsOf("W-4", "weight", "4")).toEqual(["4 lb"]);
    const told = await weightsOf("W-5", "weight,weight unit", "5,Pounds", "6,KGs", "7,", ",g");
    expect(told).toEqual(["5 lb", "6 kg", "7 lb", undefined]);
  });

  test("lists the columns that were not read, with the reason", async () => {
    const org = await hub.org();
    const csv = "Order ID,Colour,Order Number,SKU,Margin,error\n17,red,A-1,MUG,3,old\n";
    const { body } = await org.post("/orders/import", { csv, mapping: { margin: null } });
    expect(body.columns.map(({ field }: { field: string | null }) => field)).toEqual([
      null,
      null,
      "number",
      "line.sku",
      null,
      null,
    ]);
    expect(body.warnings).toEqual([
      { column: "Order ID", code: "duplicate_field", message: "Not read: Order Number is already the number." },
      { column: "Colour", code: "unknown_column", message: expect.stringContaining("no field has this name") },
      { column: "SKU", code: "assumed_quantity", message: expect.stringContaining("1 in every row") },
    ]);
    expect((await org.get("/orders/A-1")).body.number).toBe("A-1");
    const said = await org.post("/orders/import", { csv, mapping: { "Order ID": "number" }, dryRun: true });
    expect(said.body.warnings[1]).toMatchObject({ column: "Order Number", code: "duplicate_field" });
  });

  test.each(["quantity-purchased", "Item - Qty", "Quantity Ordered"])("reads quantities under %s", async (column) => {
    const org = await hub.org();
    const { body } = await org.post("/orders/import", { csv: `order number,sku,${column}\nQ-1,MUG,3\n` });
    expect(body).toMatchObject({ errors: [], warnings: [] });
    expect((await org.get("/orders/Q-1")).body.lines).toMatchObject([{ sku: "MUG", quantity: 3 }]);
  });

  test("reads a comma as a decimal sign where semicolons separate the columns", async () => {
    const org = await hub.org();
    const csv = "order number;sku;weight (kg);total\nD-1;MUG;1,250;12,50\n";
    expect((await org.post("/orders/import", { csv })).body.errors).toEqual([]);
    const { lines, total } = (await org.get("/orders/D-1")).body;
    expect([lines[0].weight, total]).toEqual([{ value: 1.25, unit: "kg" }, 12.5]);
  });

  test("rejects custom fields that are not a JSON object, also if other columns add to them", async () => {
    const org = await hub.org();
    const csv = 'number,custom fields,colour\nC-1,5,red\nC-2,null,red\nC-3,"{""a"":1}",red\n';
    const { status, body } = await org.post("/orders/import", { csv, mapping: { colour: "customFields.colour" } });
    expect(status).toBe(200);
    expect(places(body.errors)).toEqual([
      [2, "custom fields", "not_json"],
      [3, "custom fields", "not_json"],
    ]);
    expect((await org.get("/orders/C-3")).body.customFields).toEqual({ a: 1, colour: "red" });
  });

  test("as a dry run finds the same mistakes and creates nothing", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "TAKEN" });
    const csv = "number,total\nA,1\nTAKEN,1\nB,x\n,5\n";
    const dry = (await org.post("/orders/import", { csv, dryRun: true })).body;
    expect((await org.get("/orders")).body.pagination.total).toBe(1);
    const real = (await org.post("/orders/import", { csv })).body;
    expect({ ...dry, dryRun: false }).toEqual(real);
    expect(real.summary).toEqual({ rows: 4, orders: 4, created: 2, failed: 2 });
    expect((await org.get("/orders")).body.pagination.total).toBe(3);
  });

  test("rejects a file that is no table of orders", async () => {
    const org = await hub.org();
    for (const [csv, code] of [
      ["", "minLength"],
      ["\n \n", "empty"],
      ['number,"open\nA', "malformed_csv"],
      ["foo,bar\n1,2\n", "no_known_columns"],
    ]) {
      const answer = await org.post("/orders/import", { csv });
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0]).toMatchObject({ pointer: "/csv", code });
    }
    expect((await org.get("/orders/counts")).body.total).toBe(0);
  });
});

describe("exporting", () => {
  test("returns the filtered orders as CSV, a row per line, with formulas escaped", async () => {
    const org = await hub.org();
    await org.post("/orders", {
      number: "=cmd|' /C calc'!A0",
      customer: { name: "@SUM(1)", phone: "+1 555" },
      total: 5,
    });
    await org.post("/orders", {
      number: "TWO",
      status: "ready",
      lines: [
        { sku: "-1", quantity: 1 },
        { sku: "B", quantity: 2 },
      ],
    });
    const answer = await org.get("/orders/export.csv");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/);
    const rows = answer.text.trimEnd().split("\r\n");
    expect(rows).toHaveLength(4);
    expect(rows[1]).toMatch(/^TWO,/);
    expect(rows[3]).toMatch(/^"'=cmd\|' \/C calc'!A0",.*,'@SUM\(1\),,'\+1 555,/);
    const ready = await org.get("/orders/export.csv?status=ready&search=two");
    expect(ready.text.trimEnd().split("\r\n")).toHaveLength(3);
    expect((await org.get("/orders/export.csv?status=sent")).text.split("\r\n")).toHaveLength(2);
    expect((await org.call("HEAD", "/orders/export.csv")).text).toBe("");
  });

  test("can be imported again and yields the same orders", async () => {
    const [from, to] = [await hub.org(), await hub.org()];
    const order = {
      number: "RT-1",
      status: "ready",
      tags: ["a", "b c"],
      channel: "web",
      externalId: "x",
      customer: { name: '=Ada "quoted", with comma', email: "a@example.com", phone: "+49 30 1" },
      shippingAddress: {
        address1: "line; one",
        city: "Zürich",
        zip: "02134",
        province: "Somewhere",
        countryCode: "CH",
      },
      lines: [
        { id: "l1", sku: "A", name: "Mug, red", quantity: 2, price: 1.25, weight: { value: 2, unit: "oz" } },
        { id: "l2", sku: "B", quantity: 1 },
      ],
      total: 12.34,
      customFields: { k: "v", n: 1.5, b: false },
      orderedAt: "2026-03-01T08:00:00.000Z",
      shipBy: "2026-03-02T00:00:00.000Z",
      shipping: { carrier: "UPS", service: "Ground" },
    };
    await from.post("/orders", order);
    const { text } = await from.get("/orders/export.csv");
    const imported = await to.post("/orders/import", { csv: text });
    expect(imported.body.errors).toEqual([]);
    const { body } = await to.get("/orders/RT-1");
    expect(body).toMatchObject(order);
  });

  test("streams more orders than one batch, each once, newest first", async () => {
    const org = await hub.org();
    const orders = Array.from({ length: 2_345 }, (_, i) => ({ number: `N-${i}`, tags: i % 2 === 0 ? ["even"] : [] }));
    await org.post("/orders/bulk", { orders });
    const numbersOf = (text: string): string[] =>
      text
        .trimEnd()
        .split("\r\n")
        .slice(1)
        .map((row) => row.split(",")[0]!);
    const all = numbersOf((await org.get("/orders/export.csv")).text);
    expect(new Set(all)).toEqual(new Set(orders.map(({ number }) => number)));
    expect(all).toHaveLength(2_345);
    expect(numbersOf((await org.get("/orders/export.csv?tag=even&archived=any")).text)).toHaveLength(1_173);
    expect(numbersOf((await org.get("/orders/export.csv?search=N-1")).text)).toHaveLength(1_111);
  });
});

test("an export is imported unchanged, also blanks, line breaks and quotation marks (protocol 4, 8)", async () => {
  const [from, to] = [await hub.org(), await hub.org()];
  const texts = [
    "\n\n",
    "\r",
    " a ",
    "\ufeffa",
    "a\n",
    "\t=1",
    "' b",
    "'=1 ",
    "''",
    "\u00a0",
    "日本",
    "\u2028",
    "-5 ",
    "x;=1+1",
  ];
  const orders = texts.map((text, i) => ({
    number: `T-${i}`,
    customer: { name: text, phone: `${text}1` },
    shippingAddress: { company: text, address1: text, city: text, country: text },
    lines: [{ sku: "A", quantity: 1, name: `x${i}` }],
  }));
  expect((await from.post("/orders/bulk", { orders })).body.summary).toMatchObject({ created: texts.length });
  const { text: csv } = await from.get("/orders/export.csv");
  expect((await to.post("/orders/import", { csv })).body).toMatchObject({
    summary: { created: texts.length },
    errors: [],
  });
  for (const { number, customer, shippingAddress } of orders) {
    expect((await to.get(`/orders/${number}`)).body).toMatchObject({ customer, shippingAddress });
  }
});

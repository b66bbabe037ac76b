import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeXlsx } from "../../../core/csv/xlsx.ts";
import { xlsxType } from "../../../route.ts";
import type { Block, StreamReader } from "../../../testing/stream-reader.ts";
import { openStream } from "../../../testing/stream-reader.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

type Coded = { code: string };
const codesOf = (list: Coded[]): string[] => list.map(({ code }) => code);

describe("a file as the request body", () => {
  const text = "Order Number;SKU;Quantity;Customer Name;Total\nA-1;MUG;2;Jörg Müller;12,50\n";
  const upload = async (org: TestOrg, body: Buffer, headers: Record<string, string>, query = "") =>
    await org.post(`/orders/import${query}`, undefined, { rawBody: body, headers });
  const nameOf = async (org: TestOrg): Promise<string> => (await org.get("/orders/A-1")).body.customer.name;

  test.each([
    ["UTF-8", Buffer.from(text), "text/csv"],
    ["Windows-1252", Buffer.from(text, "latin1"), "text/csv"],
    ["UTF-16 with a mark", Buffer.from(`\uFEFF${text}`, "utf16le"), "text/csv"],
    ["what its charset says", Buffer.from(text, "latin1"), "text/csv; charset=ISO-8859-1"],
  ])("is read in %s", async (_, bytes, type) => {
    const org = await hub.org();
    const { status, body } = await upload(org, bytes, { "content-type": type });
    expect([status, body.summary]).toEqual([200, { rows: 1, orders: 1, created: 1, failed: 0 }]);
    expect(await nameOf(org)).toBe("Jörg Müller");
  });

  test("may be compressed, and has its options in the query", async () => {
    const org = await hub.org();
    const headers = { "content-type": "text/csv", "content-encoding": "gzip" };
    const dry = await upload(org, gzipSync(text), headers, "?dryRun=true&delimiter=semicolon");
    expect(dry.body).toMatchObject({ dryRun: true, summary: { created: 1 } });
    expect((await upload(org, gzipSync(text), headers, "?currency=EUR&country=DE")).status).toBe(200);
    expect((await org.get("/orders/A-1")).body).toMatchObject({ currency: "EUR", total: 12.5 });
    expect((await upload(org, Buffer.from(text), headers)).status).toBe(400);
    expect((await upload(org, Buffer.from(text), { "content-type": "text/csv; charset=shift_jis" })).status).toBe(415);
    expect((await upload(org, Buffer.from(text), { "content-type": "text/csv" }, "?dateOrder=ymd")).status).toBe(400);
  });

  test("may be a workbook, also one that is sent as CSV", async () => {
    const org = await hub.org();
    async function* rows() {
      yield [["Order Number", "SKU", "Quantity", "Customer Name"]];
      yield [["A-1", "MUG", 2, "Jörg Müller"], [], ["A-2", "TEE", 0.5, ""]];
    }
    const bytes = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "Orders", portions: rows() }])));
    const { body } = await upload(org, bytes, { "content-type": xlsxType });
    expect(body.summary).toEqual({ rows: 2, orders: 2, created: 1, failed: 1 });
    // As the spreadsheet counts, blank rows too.
    expect(body.errors[0]).toMatchObject({ row: 4, column: "Quantity", code: "type" });
    expect(await nameOf(org)).toBe("Jörg Müller");
    const again = await upload(org, bytes, { "content-type": "text/csv" });
    expect(codesOf(again.body.errors)).toContain("order_number_taken");
    const broken = await upload(org, bytes.subarray(0, 300), { "content-type": xlsxType });
    expect([broken.status, codesOf(broken.body.errors)]).toEqual([400, ["malformed_xlsx"]]);
  });
});

describe("a dry run", () => {
  const csv = "Tilausnro;Tuote;Väri\nA-1;MUG;rot\nA-1;TEE;\n";

  test("returns samples of the columns and their possible meanings, also if no column is known", async () => {
    const org = await hub.org();
    const dry = await org.post("/orders/import", { csv, dryRun: true });
    expect([dry.status, dry.body.summary]).toEqual([200, { rows: 2, orders: 2, created: 0, failed: 2 }]);
    expect(dry.body.columns).toEqual([
      { column: "Tilausnro", field: null, nonEmptyRows: 2 },
      { column: "Tuote", field: null, nonEmptyRows: 2 },
      { column: "Väri", field: null, nonEmptyRows: 1 },
    ]);
    expect(dry.body.sample).toEqual([
      { row: 2, cells: ["A-1", "MUG", "rot"] },
      { row: 3, cells: ["A-1", "TEE", ""] },
    ]);
    expect(dry.body.fields).toContainEqual({ field: "line.sku", isRequired: false });
    expect(dry.body.errors).toMatchObject([
      { row: 2, column: null, code: "no_known_columns" },
      { row: 3, code: "no_known_columns" },
    ]);
    expect((await org.post("/orders/import", { csv })).body.errors[0].code).toBe("no_known_columns");
  });

  test("accepts column meanings in the query as well", async () => {
    const org = await hub.org();
    const upload = async (mapping: string) =>
      await org.post(`/orders/import?mapping=${encodeURIComponent(mapping)}`, undefined, {
        rawBody: Buffer.from(csv),
        headers: { "content-type": "text/csv" },
      });
    const { body } = await upload('{"Tilausnro":"number","Tuote":"line.sku","Väri":"customFields.farbe"}');
    expect(body.summary).toEqual({ rows: 2, orders: 1, created: 1, failed: 0 });
    expect((await org.get("/orders/A-1")).body).toMatchObject({ customFields: { farbe: "rot" } });
    for (const wrong of ["number", "[]", '{"Tuote":1}', '{"Tuote":"line.sku"']) {
      expect((await upload(wrong)).body.errors).toMatchObject([{ pointer: "query/mapping", code: "format" }]);
    }
  });
});

/** Without the signs of life of a quiet stream. */
const toldBy = ({ blocks }: StreamReader): Block[] => blocks.filter(({ data }) => data !== undefined);

test("the progress of an import is streamed to its organization, on any node", async () => {
  const [org, other, second] = [await hub.org(), await hub.org(), await hub.secondNode()];
  const id = "0197a000-0000-7000-8000-000000000001";
  const follow = (client: TestOrg, url: string) =>
    openStream(`${url}/api/v1/orders/import/watch?watchId=${id}`, { authorization: `Bearer ${client.token}` });
  const streams = [await follow(org, hub.url), await follow(org, second.url), await follow(other, second.url)] as const;
  const rows = Array.from({ length: 1_500 }, (_, at) => `W-${at}`);
  const begin = async (client: TestOrg, numbers: string[]) =>
    await client.post("/orders/import", { csv: ["number", ...numbers].join("\n"), watchId: id });
  expect((await begin(org, rows)).body.summary.created).toBe(1_500);
  await begin(other, ["X"]);
  await Promise.all(streams.map(({ ended }) => ended));
  const told = streams.map((stream) => [toldBy(stream)[0], toldBy(stream).at(-1)]);
  const ofOrg = [{ data: '{"rows":1000}' }, { event: "end", data: '{"rows":1500}' }];
  expect(told).toEqual([ofOrg, ofOrg, [{ data: '{"rows":1}' }, { event: "end", data: '{"rows":1}' }]]);
});

test("the progress stream of a rejected import ends too", async () => {
  const org = await hub.org();
  const id = "0197a000-0000-7000-8000-000000000002";
  const stream = await openStream(`${hub.url}/api/v1/orders/import/watch?watchId=${id}`, {
    authorization: `Bearer ${org.token}`,
  });
  expect((await org.post("/orders/import", { csv: "foo\n1\n", watchId: id })).status).toBe(400);
  await stream.ended;
  expect(toldBy(stream)).toEqual([{ event: "end", data: '{"rows":0}' }]);
});

describe("existing orders", () => {
  const csv = (rows: string[]): string => ["number,status,sku,quantity,tags,city,email,note", ...rows].join("\n");
  const importInto = async (org: TestOrg, rows: string[], more: object) =>
    (await org.post("/orders/import", { csv: csv(rows), ...more })).body;

  test("are rejected, skipped or updated", async () => {
    const org = await hub.org();
    await org.post("/orders", {
      number: "A",
      priority: "high",
      customer: { name: "Ann", email: "old@example.com" },
      lines: [{ id: "l1", sku: "MUG", quantity: 1, price: 5 }],
      notes: [{ text: "first" }],
    });
    const rows = ["A,ready,MUG,3,vip,Albany,new@example.com,second", "B,,TEE,1,,,,"];
    const refused = await importInto(org, rows, { dryRun: true });
    expect(refused.summary).toEqual({ rows: 2, orders: 2, created: 1, failed: 1 });
    const skipped = await importInto(org, rows, { onExisting: "skip", dryRun: true });
    expect(skipped.summary).toMatchObject({ created: 1, skipped: 1, failed: 0 });
    const dry = await importInto(org, rows, { onExisting: "update", dryRun: true });
    expect(dry.summary).toMatchObject({ created: 1, updated: 1, unchanged: 0, failed: 0 });
    expect((await org.get("/orders/A")).body.version).toBe(1);
    const real = await importInto(org, rows, { onExisting: "update" });
    expect(real.summary).toEqual(dry.summary);
    const order = (await org.get("/orders/A")).body;
    expect(order).toMatchObject({
      status: "ready",
      priority: "high",
      tags: ["vip"],
      customer: { name: "Ann", email: "new@example.com" },
      shippingAddress: { city: "Albany" },
      lines: [{ id: "l1", sku: "MUG", quantity: 3 }],
      version: 2,
    });
    expect(order.notes.map(({ text }: { text: string }) => text)).toEqual(["first", "second"]);
    expect((await org.get("/orders/A/timeline")).body.data[0].kind).toBe("imported");
    const again = await importInto(org, rows, { onExisting: "update" });
    expect(again.summary).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect((await org.get("/orders/A")).body.version).toBe(2);
  });

  test("an update that is not allowed by hand fails in its row alone", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "SENT", status: "sent", lines: [{ sku: "MUG", quantity: 1 }] });
    await org.post("/orders", { number: "OK" });
    const rows = ["SENT,cancelled,,,,,,", "OK,ready,MUG,1,,,,"];
    const body = await importInto(org, rows, { onExisting: "update" });
    expect(body.summary).toMatchObject({ updated: 1, failed: 1 });
    expect(body.errors).toMatchObject([{ row: 2, column: "status", code: "invalid_state" }]);
    expect((await org.get("/orders/SENT")).body.status).toBe("sent");
    expect(body.rejectedCsv).toContain("SENT");
  });

  test("a number that two shops use is ambiguous and fails", async () => {
    const org = await hub.org();
    const bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
    await org.post("/orders/bulk", { orders: [{ number: "X" }, { number: "X", bridgeId }] });
    const body = await importInto(org, ["X,ready,,,,,,"], { onExisting: "update" });
    expect(body.errors).toMatchObject([{ row: 2, column: "number", code: "order_number_ambiguous" }]);
  });

  test("a caller without pii:read learns nothing by guessing personal data", async () => {
    const org = await hub.org();
    await org.post("/orders", { number: "P", customer: { email: "secret@example.com" } });
    const key = await org.withScopes(["orders:read", "orders:write"]);
    const guess = async (email: string) =>
      (await key.post("/orders/import", { csv: `number,email\nP,${email}\n`, onExisting: "update", dryRun: true }))
        .body;
    expect((await guess("secret@example.com")).summary).toEqual((await guess("wrong@example.com")).summary);
  });
});

describe("presets of the organization", () => {
  test("define how files are read, and are found by name or id", async () => {
    const org = await hub.org();
    const settings = {
      mapping: { Bestellnr: "number", Artikel: "line.sku", Menge: "line.quantity", Datum: "orderedAt" },
      dateOrder: "dmy",
      country: "DE",
      currency: "EUR",
    };
    const made = await org.post("/import-presets", { name: "Lager Nord", settings });
    expect([made.status, made.body.settings]).toEqual([201, settings]);
    const csv = "Bestellnr;Artikel;Menge;Datum;Ort;Summe\nN-1;MUG;2;03/02/2026;Ulm;1.250,00\n";
    const { body } = await org.post("/orders/import", {
      csv,
      preset: "lager nord",
      mapping: { Ort: "shippingAddress.city" },
    });
    expect(body.summary).toMatchObject({ created: 1 });
    expect(body.warnings).toMatchObject([{ column: "Summe", code: "unknown_column" }]);
    expect((await org.get("/orders/N-1")).body).toMatchObject({
      orderedAt: "2026-02-03T00:00:00.000Z",
      currency: "EUR",
      shippingAddress: { city: "Ulm", countryCode: "DE" },
    });
    const byId = await org.post("/orders/import", { csv, preset: made.body.id, dryRun: true });
    expect(codesOf(byId.body.errors)).toEqual(["order_number_taken"]);
    expect((await org.post("/import-presets", { name: "LAGER nord", settings: {} })).body.code).toBe("name_taken");
    expect((await org.post("/import-presets", { name: "Shopify", settings: {} })).body.code).toBe("name_taken");
    const changed = await org.patch(`/import-presets/${made.body.id}`, { settings: { base: "none" } });
    expect(changed.body).toMatchObject({ version: 2, settings: { base: "none" } });
    expect((await org.delete(`/import-presets/${made.body.id}`)).body.deleted).toBe(true);
    const gone = await org.post("/orders/import", { csv, preset: "Lager Nord" });
    expect(gone.body.errors).toMatchObject([{ pointer: "/preset", code: "unknown_preset" }]);
    const near = await org.post("/orders/import", { csv, preset: "shopfy" });
    expect(near.body.errors[0].suggestion).toBe("shopify");
  });

  test("presets of known programs are listed with their columns", async () => {
    const org = await hub.org();
    const { data } = (await org.get("/import-presets/built-in")).body;
    expect(data.map(({ name }: { name: string }) => name)).toEqual([
      "hub",
      "shopify",
      "squarespace",
      "woocommerce",
      "bigcommerce",
      "magento",
      "amazon",
      "shipstation",
      "etsy",
      "ebay",
    ]);
    const fields = data.flatMap(({ columns }: { columns: { field: string | null }[] }) =>
      columns.map(({ field }) => field),
    );
    const known = await org.post("/orders/import", { csv: "x,number\n1,2\n", mapping: { x: "nope" } });
    const { allowed } = known.body.errors[0];
    // No preset names a field that there is not.
    const isKnown = (field: string | null): boolean =>
      field === null || allowed.includes(field) || /^(customFields|line\.properties)\./.test(field);
    expect(fields.filter((field: string | null) => !isKnown(field))).toEqual([]);
  });
});

test("guesses and assumptions are warnings: vague names, dates, numbers, quantities, currencies", async () => {
  const org = await hub.org();
  const csv = "Name;SKU;Date;Price\nAnn;MUG;03/02/2026;1,250\n";
  const { body } = await org.post("/orders/import", { csv, dryRun: true });
  expect(body.warnings.map(({ column, code }: { column: string; code: string }) => [column, code])).toEqual([
    ["Name", "column_guessed"],
    ["Date", "column_guessed"],
    ["SKU", "assumed_quantity"],
    ["Price", "assumed_currency"],
    ["Name", "assumed_number"],
    ["Date", "assumed_date_order"],
    ["Price", "assumed_decimal_separator"],
  ]);
  const said = {
    decimalSeparator: ",",
    dateOrder: "dmy",
    currency: "EUR",
    mapping: { Name: "customer.name" },
    dryRun: true,
  };
  expect(codesOf((await org.post("/orders/import", { csv, ...said })).body.warnings)).toEqual([
    "column_guessed",
    "assumed_quantity",
    "assumed_number",
  ]);
});

import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { anItem, far, lb, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, aComparison, processed, itemsOf } = await comparisonFixture(hub, org);

describe("scenarios", () => {
  test("change fuel, discount and divisor, as a preview or permanently", async () => {
    const size = { dimensions: { length: 12, width: 12, height: 4, unit: "in" } };
    const path = await processed([anItem(), anItem({ weight: lb(1), ...size })]);
    const total = async (query: string) => (await org.get(`${path}/summary${query}`)).body.totals.targetCost;
    // 3 lb 12.00; 12 x 12 x 4 / 139 = 4.1 lb 12.00; with 600 it is 1 lb 10.00.
    expect(await total("")).toBe(26.4);
    expect(await total("?fuelPercent=0")).toBe(24);
    expect(await total("?extraDiscountPercent=50")).toBe(13.2);
    expect(await total("?dimDivisor=600")).toBe(24.2);
    expect(await total("")).toBe(26.4);
    await org.post(`${path}/process`, { scenario: { fuelPercent: 0 } });
    await workOff(hub.world, comparisonWork);
    expect((await org.get(`${path}/summary`)).body).toMatchObject({
      scenario: { fuelPercent: 0 },
      totals: { targetCost: 24 },
    });
    expect((await org.get(`${await aComparison([anItem()])}/summary?fuelPercent=1`)).body.code).toBe("invalid_state");
    expect((await org.get(`${path}/summary?fuelPercent=-1`)).status).toBe(400);
  });

  test("options set substitutes and the treatment of unmatched services", async () => {
    const overnight = anItem({ serviceType: "SurePost" });
    expect((await itemsOf(await processed([overnight])))[0]).toMatchObject({
      serviceLevel: "economy",
      targetService: "GROUND",
    });
    expect((await itemsOf(await processed([overnight], {}, { serviceFallback: "none" })))[0]).toMatchObject({
      reason: "service_unmatched",
    });
    const mapped = await processed([anItem({ serviceType: "Hausmarke" })], {}, { serviceMap: { hausmarke: "FLAT" } });
    expect((await itemsOf(mapped))[0]).toMatchObject({ targetService: "FLAT", targetCost: 27.5 });
    const twins = [anItem({ trackingNumber: "same" }), anItem({ trackingNumber: "same" })];
    expect((await org.get(await processed(twins, {}, { duplicates: "keep" }))).body.counts).toMatchObject({
      rated: 2,
      excluded: 0,
    });
  });
});

describe("files", () => {
  const csv =
    "Tracking Number,Net Charge,Service,From,Dest ZIP,Weight (lbs),Residential,Ship Date,Notes\n" +
    '1Z1,"$1,215.00",UPS Ground,07114,10001,3,no,3/1/2026,x\n' +
    "\n1Z2,15,UPS Ground,07114,501,3,,2026-03-01,\n";

  test("become a comparison, as JSON with a mapping or as text/csv", async () => {
    const made = await org.post("/rate-comparisons/import", {
      name: "File",
      carrierAccountId,
      csv,
      mapping: { From: "originZip" },
    });
    expect(made).toMatchObject({ status: 201, body: { summary: { rows: 2, items: 2, skipped: 0 }, errors: [] } });
    expect(made.body.columns.at(-1)).toEqual({ column: "Notes", field: null, nonEmptyRows: 1 });
    expect(made.body.warnings).toMatchObject([
      { column: "Notes", code: "unknown_column" },
      { column: "Ship Date", code: "assumed_date_order" },
    ]);
    const path = `/rate-comparisons/${made.body.comparison.id}`;
    expect(await itemsOf(path)).toMatchObject([
      {
        trackingNumber: "1Z1",
        netCost: 1215,
        weight: lb(3),
        residential: false,
        shipDate: "2026-03-01",
        originZip: "07114",
      },
      { trackingNumber: "1Z2", destinationZip: "501", residential: null },
    ]);
    const query = `name=Plain&carrierAccountId=${carrierAccountId}&sourceCarrier=UPS`;
    const plain = await org.post(`/rate-comparisons/import?${query}`, undefined, {
      rawBody: "tracking,cost,service,originzip,zip\nA,1.5,Ground,07114,10001\n",
      headers: { "content-type": "text/csv" },
    });
    expect(plain).toMatchObject({
      status: 201,
      body: { comparison: { name: "Plain", itemCount: 1, sourceCarrier: "UPS" } },
    });
    const elsewhere = await org.post("/rate-comparisons", undefined, {
      rawBody: "a,b\n",
      headers: { "content-type": "text/csv" },
    });
    expect(elsewhere.status).toBe(415);
  });

  test("with mistakes are rejected with row and column of each, or imported without the invalid rows on request", async () => {
    const before = (await org.get("/rate-comparisons")).body.pagination.total;
    const bad = "tracking,cost,weight,unit,ship date\nA,five,,,\nB,abc,1,stone,\n,3,,,31/31/2026\nOK,3,,,\n";
    const request = { name: "Bad", carrierAccountId, csv: bad, mapping: { unit: "weightUnit" } };
    const refused = await org.post("/rate-comparisons/import", request);
    expect(refused.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual([
      ["/csv/2/cost", "not_a_number"],
      ["/csv/3/cost", "not_a_number"],
      ["/csv/3/unit", "enum"],
      ["/csv/4/tracking", "required"],
      ["/csv/4/ship date", "not_a_date"],
    ]);
    expect((await org.get("/rate-comparisons")).body.pagination.total).toBe(before);
    const dry = await org.post("/rate-comparisons/import", { ...request, dryRun: true });
    expect(dry.body).toMatchObject({ comparison: null, summary: { rows: 4, items: 1, skipped: 3 } });
    expect(dry.body.errors[0]).toMatchObject({ row: 2, column: "cost" });
    const taken = await org.post("/rate-comparisons/import", { ...request, skipInvalid: true });
    expect(taken.body).toMatchObject({ comparison: { itemCount: 1 }, summary: { skipped: 3 } });
  });

  test("can be previewed: the content of each column, and how the first rows are read", async () => {
    const unknown = "parcel,money,note\n1Z1,14.20,x\n1Z2,abc,\n";
    const look = (more: object) => org.post("/rate-comparisons/import", { csv: unknown, dryRun: true, ...more });
    const first = await look({});
    expect(first).toMatchObject({
      status: 200,
      body: { comparison: null, dryRun: true, summary: { rows: 2, items: 0, skipped: 2 } },
    });
    expect(first.body.errors).toMatchObject([
      { row: 1, code: "missing_column" },
      { row: 1, code: "missing_column" },
    ]);
    expect(first.body.fields).toContainEqual({ field: "netCost", isRequired: true });
    expect(first.body.columns).toEqual([
      { column: "parcel", field: null, nonEmptyRows: 2 },
      { column: "money", field: null, nonEmptyRows: 2 },
      { column: "note", field: null, nonEmptyRows: 1 },
    ]);
    expect(first.body.sample[0]).toEqual({ row: 2, cells: ["1Z1", "14.20", "x"], item: null });
    const second = await look({ mapping: { parcel: "trackingNumber", money: "netCost" } });
    expect(second.body).toMatchObject({
      summary: { rows: 2, items: 1, skipped: 1 },
      sample: [{ item: { trackingNumber: "1Z1", netCost: 14.2 } }, { item: null }],
      errors: [{ row: 3, column: "money", code: "not_a_number" }],
    });
    expect(second.body.rejectedCsv).toBe("parcel,money,note,error\r\n1Z2,abc,,money: abc is not a number.\r\n");
    const query = new URLSearchParams({
      dryRun: "true",
      mapping: JSON.stringify({ parcel: "trackingNumber", money: "netCost" }),
    });
    const headers = { "content-type": "text/csv" };
    const plain = await org.post(`/rate-comparisons/import?${query.toString()}`, undefined, {
      rawBody: unknown,
      headers,
    });
    expect(plain.body).toEqual(second.body);
    for (const mapping of ["{", "[]", '{"a":1}', "null"]) {
      const wrong = await org.post(
        `/rate-comparisons/import?${new URLSearchParams({ dryRun: "true", mapping }).toString()}`,
        undefined,
        { rawBody: unknown, headers },
      );
      expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: "query/mapping" }] } });
    }
    const stranger = await hub.org();
    const { status } = await stranger.post("/rate-comparisons/import", {
      csv: unknown,
      dryRun: true,
      carrierAccountId,
    });
    expect(status).toBe(404);
    const many = `tracking,cost\n${Array.from({ length: 30 }, (_, i) => `1Z${i},1`).join("\n")}\n`;
    expect((await look({ csv: many })).body).toMatchObject({ summary: { items: 30 }, sample: { length: 20 } });
  });

  test("are read without losing or misreading a row, in all dialects", async () => {
    const send = async (csv: string) =>
      (await org.post("/rate-comparisons/import", { name: "x", carrierAccountId, csv, dryRun: true })).body;
    const mixed = await send("tracking,cost,service\r\nA,1,Ground\nB,2,Ground\nC,3,Ground\r\n");
    expect(mixed.summary).toEqual({ rows: 3, items: 3, skipped: 0 });
    const shifted = await send("tracking,cost,service\nA,1,014.20,Ground\nB,2,Ground,,\n");
    expect(shifted).toMatchObject({
      summary: { items: 1 },
      errors: [{ row: 2, column: null, code: "too_many_cells" }],
    });
    const lost = await send("tracking,cost\n1.23E+11,1\n9.4001E+21,2\n1E5X,3\n");
    expect(lost.errors).toMatchObject([
      { row: 2, column: "tracking", code: "precision_lost" },
      { row: 3, column: "tracking", code: "precision_lost" },
    ]);
    expect(lost.summary.items).toBe(1);
  });

  test.each([
    ["Weight (kg)", "kg"],
    ["weight_oz", "oz"],
    ["weightLb", "lb"],
    ["Weight/pkg", "lb"],
    ["Rating", "lb"],
  ])("have weights in the unit that %s names", async (column, unit) => {
    const csv = `tracking,cost,${column}\nA,1,2\n`;
    const request = { name: "Units", carrierAccountId, csv, mapping: { [column]: "weight" } };
    const { body } = await org.post("/rate-comparisons/import", request);
    expect((await itemsOf(`/rate-comparisons/${body.comparison.id}`))[0].weight).toEqual({ value: 2, unit });
  });

  test.each([
    ["weight,unit", "16,oz", { value: 16, unit: "oz" }],
    ["weight,uom", "2,KGS", { value: 2, unit: "kg" }],
    ["weight,units", "500,grams", { value: 500, unit: "g" }],
    ["Rated Weight,Rated Weight Units", "16,Ounces", { value: 16, unit: "oz" }],
    ["Weight (kgs)", "2", { value: 2, unit: "kg" }],
    ["weight (ounces)", "16", { value: 16, unit: "oz" }],
    ["Weight in pounds", "3", { value: 3, unit: "lb" }],
    ["weight", "16 oz", { value: 16, unit: "oz" }],
    ["weight,unit", "5 lb.,lbs", { value: 5, unit: "lb" }],
  ])("D1: the unit of %s is read, wherever it stands", async (header, cells, weight) => {
    const csv = `tracking,cost,${header}\nA,1,${cells}\n`;
    const { body } = await org.post("/rate-comparisons/import", { name: "Units", carrierAccountId, csv });
    if (header !== "weight") expect(body.warnings).toEqual([]);
    expect((await itemsOf(`/rate-comparisons/${body.comparison.id}`))[0].weight).toEqual(weight);
  });

  test("D1: assumed pounds are reported, and two units for one weight are rejected", async () => {
    const send = async (csv: string) =>
      (await org.post("/rate-comparisons/import", { name: "x", carrierAccountId, csv, dryRun: true })).body;
    const silent = await send("tracking,cost,weight\nA,1,16\n");
    expect(silent.warnings).toMatchObject([{ column: "weight", code: "assumed_unit" }]);
    const torn = await send("tracking,cost,weight,unit\nA,1,16 oz,lb\nB,1,16,parsec\nC,1,16 parsec,\n");
    expect(torn.errors).toMatchObject([
      { row: 2, column: "weight", code: "conflicting_value" },
      { row: 3, column: "unit", code: "enum" },
      { row: 4, column: "weight", code: "not_a_number" },
    ]);
  });

  test("that are no tables are rejected with a clear error", async () => {
    const send = async (csv: string, more: object = {}) =>
      (await org.post("/rate-comparisons/import", { name: "x", carrierAccountId, csv, ...more })).body.errors[0];
    expect(await send("a,b\n1,2\n")).toMatchObject({ code: "missing_column" });
    expect(await send('tracking,cost\n"A,1')).toMatchObject({ pointer: "/csv/2", code: "malformed_row" });
    expect(await send('tracking,"cost\nA,1')).toMatchObject({ code: "malformed_csv" });
    expect(await send("tracking,cost\n")).toMatchObject({ code: "no_items" });
    expect(await send("\n\n")).toMatchObject({ code: "empty" });
    expect(await send("tracking,cost\nA,1", { mapping: { cost: "netcosts" } })).toMatchObject({
      pointer: "/mapping/cost",
      suggestion: "netCost",
    });
    const twice = { mapping: { a: "netCost", b: "netCost" } };
    expect(await send("tracking,a,b\nA,1,2", twice)).toMatchObject({ pointer: "/mapping/b", code: "duplicate_field" });
    const nameless = await org.post("/rate-comparisons/import", { csv: "tracking,cost\nA,1" });
    expect(nameless.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/name",
      "/carrierAccountId",
    ]);
  });

  test("international parcels and other currencies are kept by export and import", async () => {
    const path = await processed([anItem({ destinationCountry: "Canada" }), anItem({ currency: "EUR" }), anItem()]);
    const csv = (await org.get(`${path}/export.csv`)).text;
    const { comparison } = (await org.post("/rate-comparisons/import", { name: "Again", carrierAccountId, csv })).body;
    for (const of of [path, `/rate-comparisons/${comparison.id}`])
      expect(await itemsOf(of)).toMatchObject([
        { foreignCountry: "CA" },
        { currency: "EUR" },
        { foreignCountry: null, currency: null },
      ]);
  });

  test("are exported completely and in order, in any number of batches", async () => {
    const numbers = Array.from({ length: 620 }, (_, i) => `P-${i}`);
    const path = await processed(numbers.map((trackingNumber) => anItem({ trackingNumber })));
    const [, ...lines] = (await org.get(`${path}/export.csv`)).text.trim().split("\r\n");
    expect(lines.map((line) => line.split(",", 1)[0])).toEqual(numbers);
    const headers = { authorization: `Bearer ${org.token}` };
    const workbook = await (await fetch(`${hub.url}/api/v1${path}/export.xlsx`, { headers })).arrayBuffer();
    const sheet = new TextDecoder().decode(unzipSync(new Uint8Array(workbook))["xl/worksheets/sheet2.xml"]);
    expect(sheet.match(/P-\d+/g)).toEqual(numbers);
  });

  test("are exported as CSV that can be imported, and as a spreadsheet", async () => {
    const path = await processed([
      anItem({ trackingNumber: "=1+1", destinationCity: 'A "B" & <C>' }),
      anItem({ ...far }),
    ]);
    const exported = await org.get(`${path}/export.csv`);
    const lines = exported.text.trim().split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain("'=1+1");
    const again = await org.post("/rate-comparisons/import", { name: "Again", carrierAccountId, csv: exported.text });
    const [first] = await itemsOf(`/rate-comparisons/${again.body.comparison.id}`);
    expect(first).toMatchObject({ trackingNumber: "=1+1", destinationCity: 'A "B" & <C>', netCost: 15, weight: lb(3) });
    expect((await org.get(`${path}/export.csv?zone=8`)).text.trim().split("\r\n")).toHaveLength(2);
    // Each charge in a column of its own, as a number: they add up to the price.
    const [names, cells] = lines.map((line) => line.split(","));
    const charges = names!.flatMap((name, at) =>
      name.startsWith("charge.") ? [Number(cells!.at(at - names!.length))] : [],
    );
    expect(names!.slice(-4)).toEqual(["charge.base", "charge.discount", "charge.minimum", "charge.fuel"]);
    const price = (await itemsOf(path))[0].targetCost;
    expect(charges.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(price, 6);

    const response = await fetch(`${hub.url}/api/v1${path}/export.xlsx`, {
      headers: { authorization: `Bearer ${org.token}` },
    });
    expect(response.headers.get("content-type")).toBe(
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    );
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    const text = (name: string): string => new TextDecoder().decode(files[name]);
    expect(text("xl/workbook.xml")).toContain('<sheet name="Items"');
    const items = text("xl/worksheets/sheet2.xml");
    expect(items.match(/<row /g)).toHaveLength(3);
    expect(items).toContain('<t xml:space="preserve">=1+1</t>');
    expect(items).toContain("A &quot;B&quot; &amp; &lt;C&gt;");
    expect(items).toContain("<v>13.2</v>");
    expect(text("xl/worksheets/sheet1.xml")).toContain("Cheapest mix");
  });
});

import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

describe("importing shipments", () => {
  test("reads a carrier's file as it is", async () => {
    const order = (await org.post("/orders", { number: "SO-9" })).body;
    const csv =
      "Tracking Number;Order No.;Carrier;Service Type;Ship Date;Promise Date;Delivery Date;Weight;Net Cost;Ship To ZIP;Ship To State;Nonsense\r\n" +
      "1Z1;SO-9;UPS;Ground;03/01/2026;2026-03-05;2026-03-04;2,5;11.40;2108;MA;x\r\n" +
      "\r\n" +
      "1Z2;;FedEx;2Day;01.03.2026;;;;;;;\r\n";
    const dry = await org.post("/shipments/import", { csv, dryRun: true });
    expect(dry.body).toMatchObject({ dryRun: true, summary: { rows: 2, created: 2, failed: 0 }, errors: [] });
    expect((await org.get("/shipments")).body.data).toEqual([]);
    const { body } = await org.post("/shipments/import", { csv });
    expect(body.summary).toEqual({ rows: 2, created: 2, failed: 0 });
    expect(body.columns.at(-1)).toEqual({ column: "Nonsense", field: null, nonEmptyRows: 1 });
    expect(body.warnings).toMatchObject([
      { column: "Nonsense", code: "unknown_column" },
      { code: "assumed_unit" },
      { column: "Ship Date", code: "assumed_date_order" },
    ]);
    const [first] = (await org.get("/shipments?trackingNumber=1Z1")).body.data;
    expect(first).toMatchObject({
      orderId: order.id,
      source: "import",
      status: "delivered",
      shippedAt: "2026-03-01T00:00:00.000Z",
      promisedDate: "2026-03-05",
      deliveredAt: "2026-03-04T00:00:00.000Z",
      weight: { value: 2.5, unit: "lb" },
      cost: 11.4,
      destination: { zip: "02108", provinceCode: "MA" },
      timezone: "America/New_York",
    });
  });

  test("gives back what it cannot take, with row, column and reason", async () => {
    const csv =
      "tracking,weight,ship date\n1Z1,heavy,2026-03-01\n1Z7,1,2026-02-30\n1Z8,-1,2026-03-01\n1Z9,1,2026-03-01\n1Z9,1,\n";
    const { body } = await org.post("/shipments/import", { csv });
    expect(body.summary).toEqual({ rows: 5, created: 1, failed: 4 });
    expect(body.errors).toEqual([
      expect.objectContaining({ row: 2, column: "weight", code: "not_a_number" }),
      expect.objectContaining({ row: 3, column: "ship date", code: "not_a_date" }),
      expect.objectContaining({ row: 4, column: "weight", code: "minimum" }),
      expect.objectContaining({ row: 6, column: "tracking", code: "shipment_exists" }),
    ]);
    expect(body.rejectedCsv.split("\r\n")[1]).toBe("1Z1,heavy,2026-03-01,weight: heavy is not a number.");
    const again = await org.post("/shipments/import", { csv: "tracking\n1Z9\n", dryRun: true });
    expect(again.body.errors).toMatchObject([{ row: 2, column: "tracking", code: "shipment_exists" }]);
  });

  test("takes no tracking number whose digits a spreadsheet has lost, and a promised day as it is written", async () => {
    const csv = "tracking,promised date\n1.23E+11,\n1Z77,2026-03-05T23:00:00-05:00\n";
    const { body } = await org.post("/shipments/import", { csv });
    expect(body.errors).toMatchObject([{ row: 2, column: "tracking", code: "precision_lost" }]);
    const { data } = (await org.get("/shipments?search=1Z77")).body;
    expect(data).toMatchObject([{ trackingNumber: "1Z77", promisedDate: "2026-03-05" }]);
  });

  test.each([
    ["Weight (kg)", "", { value: 2, unit: "kg" }],
    ["weight", "LBS", { value: 2, unit: "lb" }],
    ["weight", "", { value: 2, unit: "lb" }],
    ["Weight (kg)", "oz", { value: 2, unit: "oz" }],
  ])("reads weights under %s with the unit %j", async (column, unit, weight) => {
    const number = `W${crypto.randomUUID()}`;
    const csv = `tracking,${column},weight unit\n${number},2,${unit}\n`;
    expect((await org.post("/shipments/import", { csv })).body.errors).toEqual([]);
    expect((await org.get(`/shipments?trackingNumber=${number}`)).body.data).toMatchObject([{ weight }]);
  });

  test.each([
    ["", "/csv", "minLength"],
    ["\n \n", "/csv", "empty"],
    ["foo,bar\n1,2\n", "/csv", "no_known_columns"],
    ['tracking,"open\n1Z9,x\n', "/csv", "malformed_csv"],
  ])("refuses %j as a whole", async (csv, pointer, code) => {
    const { status, body } = await org.post("/shipments/import", { csv });
    expect(status).toBe(400);
    expect(body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  test("a stray quotation mark costs its row, and the others are taken", async () => {
    const number = `Q${crypto.randomUUID()}`;
    const { status, body } = await org.post("/shipments/import", { csv: `tracking\n"open\n${number}\n` });
    expect(status).toBe(200);
    expect(body.errors).toMatchObject([{ row: 2, code: "malformed_row" }]);
    expect((await org.get(`/shipments?trackingNumber=${number}`)).body.pagination.total).toBe(1);
  });

  test("names a column or field of the mapping that there is not", async () => {
    const csv = "Nummer,Was\n1Z5,x\n";
    const wrong = await org.post("/shipments/import", {
      csv,
      mapping: { Numer: "trackingNumber", Was: "trackingNumbr" },
    });
    expect(wrong.body.errors).toMatchObject([
      { pointer: "/mapping/Numer", code: "unknown_column", suggestion: "Nummer" },
      { pointer: "/mapping/Was", code: "unknown_field", suggestion: "trackingNumber" },
    ]);
    const right = await org.post("/shipments/import", { csv, mapping: { Nummer: "trackingNumber", Was: null } });
    expect(right.body.summary.created).toBe(1);
  });
});

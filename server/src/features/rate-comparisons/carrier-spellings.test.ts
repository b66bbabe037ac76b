import { describe, expect, test } from "vitest";
import { comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId } = await comparisonFixture(hub, org);

async function dryRun(csv: string) {
  const { status, body, text } = await org.post("/rate-comparisons/import", { csv, dryRun: true });
  expect(status, text).toBe(200);
  return body;
}

async function itemOf(header: string, row: string) {
  const { sample, errors } = await dryRun(`${header}\n${row}\n`);
  expect(errors).toEqual([]);
  return sample[0].item;
}

describe("N4: spellings of carriers are read", () => {
  test.each([
    ["L", "lb"],
    ["LBS", "lb"],
    ["K", "kg"],
    ["KGS", "kg"],
    ["O", "oz"],
    ["OZS", "oz"],
  ])("the unit %s", async (written, unit) => {
    const item = await itemOf(
      "Tracking Number,Net Amount,Billed Weight,Billed Weight Unit of Measure",
      `A,1,3,${written}`,
    );
    expect(item.weight).toEqual({ value: 3, unit });
  });

  test.each([
    ["12.0x 10.0x 8.0", "I", { length: 12, width: 10, height: 8, unit: "in" }],
    ["30 x 20 x 10.5", "C", { length: 30, width: 20, height: 10.5, unit: "cm" }],
    ["30x20x10cm", "", { length: 30, width: 20, height: 10, unit: "cm" }],
    ["0.0x 0.0x 0.0", "I", undefined],
    ["Letter", "", undefined],
  ])("sides in one cell: %s %s", async (sides, unit, dimensions) => {
    const header = "Tracking Number,Net Amount,Package Dimensions,Package Dimension Unit Of Measure";
    expect((await itemOf(header, `A,1,${sides},${unit}`)).dimensions).toEqual(dimensions);
  });

  test("unreadable sides are reported", async () => {
    const { errors } = await dryRun("Tracking Number,Net Amount,Package Dimensions\nA,1,12x10\n");
    expect(errors).toMatchObject([{ row: 2, column: "Package Dimensions", code: "format" }]);
    const other = await dryRun("tracking,cost,length,width,height,dim unit\nA,1,1,2,3,furlong\n");
    expect(other.errors).toMatchObject([{ row: 2, column: "dim unit", code: "enum" }]);
  });

  test.each([
    ["20260715", "2026-07-15"],
    ["2026-07-15", "2026-07-15"],
  ])("the day %s", async (written, shipDate) => {
    expect((await itemOf("Tracking Number,Net Amount,Shipment Date", `A,1,${written}`)).shipDate).toBe(shipDate);
  });

  test("a day that does not exist is rejected", async () => {
    const { errors } = await dryRun("Tracking Number,Net Amount,Shipment Date\nA,1,20260231\n");
    expect(errors).toMatchObject([{ code: "not_a_date" }]);
  });

  test.each([
    ["RES", true],
    ["COM", false],
    ["Resi", true],
  ])("the flag %s", async (written, residential) => {
    expect((await itemOf("Tracking Number,Net Amount,Residential", `A,1,${written}`)).residential).toBe(residential);
  });

  test("the columns of a UPS billing file; billed values win over customs values", async () => {
    const header =
      "Transaction Date,Tracking Number,Entered Weight,Entered Weight Unit of Measure,Billed Weight,Billed Weight Unit of Measure," +
      "Package Dimensions,Charge Description Code,Charge Description,Net Amount,Sender City,Sender State,Sender Postal,Sender Country," +
      "Receiver City,Receiver State,Receiver Postal,Receiver Country,Shipment Date,Weight,Unit of Measure,Origin Country," +
      "Package Dimension Unit Of Measure,Transaction Currency Code";
    const row =
      "20260715,1Z1,2.5,L,3.0,L,12.0x 10.0x 8.0,003,Ground Residential,10.00,Newark,NJ,07114,US,New York,NY,10001,US,,0.0,,CN,I,USD";
    expect(await itemOf(header, row)).toEqual({
      trackingNumber: "1Z1",
      netCost: 10,
      chargeType: "Ground Residential",
      originCity: "Newark",
      originState: "NJ",
      originZip: "07114",
      originCountry: "US",
      destinationCity: "New York",
      destinationState: "NY",
      destinationZip: "10001",
      destinationCountry: "US",
      weight: { value: 3, unit: "lb" },
      dimensions: { length: 12, width: 10, height: 8, unit: "in" },
      shipDate: "2026-07-15",
      currency: "USD",
    });
  });

  test("the columns of a FedEx invoice", async () => {
    const header =
      "Invoice Date,Express or Ground Tracking ID,Transportation Charge Amount,Net Charge Amount,Service Type,Shipment Date," +
      "Actual Weight Amount,Actual Weight Units,Rated Weight Amount,Rated Weight Units,Dim Length,Dim Width,Dim Height,Dim Unit," +
      "Recipient City,Recipient State,Recipient Zip Code,Recipient Country/Territory,Shipper City,Shipper State,Shipper Zip Code," +
      "Shipper Country/Territory,Original Recipient Zip Code,Tracking ID Charge Description,Tracking ID Charge Amount";
    const row =
      "20260720,7777,9.00,12.40,FedEx Home Delivery,20260715,2.2,L,3.0,L,12,10,8,I,New York,NY,10001,US,Newark,NJ,07114,US,90210,Fuel,3.40";
    expect(await itemOf(header, row)).toMatchObject({
      trackingNumber: "7777",
      netCost: 12.4,
      serviceType: "FedEx Home Delivery",
      originZip: "07114",
      originCountry: "US",
      destinationZip: "10001",
      destinationCountry: "US",
      weight: { value: 3, unit: "lb" },
      dimensions: { length: 12, width: 10, height: 8, unit: "in" },
      shipDate: "2026-07-15",
    });
  });

  test("the columns of DHL Express and of ShipStation", async () => {
    const dhl =
      "Shipment Number,Shipment Date,Product Name,Senders Postcode,Orig Country Code,Receivers Postcode,Dest Country Code,Weight (kg),Currency,Total Charge";
    expect(await itemOf(dhl, "123,20260715,EXPRESS WORLDWIDE,07114,US,10115,DE,2.5,USD,40.10")).toMatchObject({
      trackingNumber: "123",
      netCost: 40.1,
      serviceType: "EXPRESS WORLDWIDE",
      originZip: "07114",
      destinationZip: "10115",
      destinationCountry: "DE",
      weight: { value: 2.5, unit: "kg" },
    });
    const shipStation =
      "Shipment - Tracking Number,Carrier - Fee,Carrier - Service Selected,Date - Shipped Date,Ship From - Postal Code,Ship From - State," +
      "Ship To - Postal Code,Ship To - State,Ship To - City,Ship To - Country,Weight (oz)";
    expect(
      await itemOf(shipStation, "9400,7.20,USPS Ground Advantage,7/15/2026,07114,NJ,10001,NY,New York,US,12"),
    ).toMatchObject({
      trackingNumber: "9400",
      netCost: 7.2,
      serviceType: "USPS Ground Advantage",
      originZip: "07114",
      destinationZip: "10001",
      destinationState: "NY",
      weight: { value: 12, unit: "oz" },
      shipDate: "2026-07-15",
    });
  });
});

test("N4: a UPS file of charge lines is compared without changes, in any order", async () => {
  const header =
    "Tracking Number,Charge Description,Net Amount,Billed Weight,Billed Weight Unit of Measure,Sender Postal,Receiver Postal";
  const rows = [
    "1Z1,Fuel Surcharge,2.00,0.0,,,",
    "1Z1,Residential Surcharge,2.00,0.0,,07114,10001",
    "1Z1,Ground Residential,10.00,3.0,L,07114,10001",
    "1Z2,Ground Commercial,9.00,1.0,L,07114,10001",
  ];
  const totals = async (csv: string) => {
    const { body, text } = await org.post("/rate-comparisons/import", { name: "Invoice", carrierAccountId, csv });
    const path = `/rate-comparisons/${body.comparison?.id}`;
    expect((await org.post(`${path}/process`)).status, text).toBe(200);
    await workOff(hub.world, comparisonWork);
    return (await org.get(`${path}/summary`)).body;
  };
  const told = await totals([header, ...rows].join("\n"));
  expect(told.totals).toMatchObject({ sourceCost: 23, targetCost: 24.2 });
  expect(told.coverage).toMatchObject({ items: 4, parcels: 2, compared: 2, ratedPct: 100 });
  expect(told.serviceBreakdown.map((group: { serviceType: string }) => group.serviceType)).toEqual([
    "Ground Commercial",
    "Ground Residential",
  ]);
  const turned = await totals([header, ...rows.toReversed()].join("\n"));
  expect([turned.totals, turned.serviceBreakdown]).toEqual([told.totals, told.serviceBreakdown]);
});

import { expect, test } from "vitest";
import dhlNames from "../../../testing/invoices/dhl-columns.json" with { type: "json" };
import { audited, auditAccount, saidOf } from "../../../testing/invoices/audit-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

/** DHL Express from Germany: zone 1 in Austria and France, 5 in the United States, D at home. */
const card = {
  name: "Export 2026",
  effectiveFrom: "2026-01-01",
  currency: "EUR",
  zoneScheme: "chart",
  services: [
    {
      code: "EXPRESS",
      name: "Express Worldwide",
      level: "overnight",
      weightBreaks: [
        { upTo: 1, unit: "kg" },
        { upTo: 5, unit: "kg" },
        { upTo: 10, unit: "kg" },
      ],
      rates: { "1": [30, 40, 55], "5": [50, 70, 99], D: [15, 20, 25] },
      dim: { divisor: 5000, unit: "cm" },
      discounts: [{ percent: 20 }],
      transitDays: { "1": 1 },
      isGuaranteed: true,
    },
  ],
  countryZones: [
    { origins: ["DE"], destinations: ["AT", "FR"], zone: "1" },
    { origins: ["DE"], destinations: ["US"], zone: "5" },
    { origins: ["DE"], destinations: ["DE"], zone: "D" },
    { destinations: ["RU"], zone: null },
  ],
  fuel: { percent: 10, appliesTo: "base_net" },
};

type Shipment = {
  number: string;
  to: string;
  zip?: string;
  list: number;
  off: number;
  fuel: number;
  volumeKg?: number;
};
/** 3 kg each; one is billed by its volume, whose sides DHL does not state. */
const shipments: Shipment[] = [
  { number: "FRRIGHT", to: "FR", zip: "75001", list: 40, off: 8, fuel: 3.2 },
  // 10 % discount instead of 20 %: 4.00 less, and 10 % fuel on it.
  { number: "ATDISCOUNT", to: "AT", zip: "1010", list: 40, off: 4, fuel: 3.6 },
  // 77.00 instead of 70.00, of which 20 % are discount; with fuel.
  { number: "USRATE", to: "US", zip: "10001", list: 77, off: 15.4, fuel: 6.16 },
  // San Juan is in the United States.
  { number: "PRRIGHT", to: "PR", zip: "00901", list: 70, off: 14, fuel: 5.6 },
  { number: "DERIGHT", to: "DE", zip: "20095", list: 20, off: 4, fuel: 1.6 },
  { number: "FRVOLUME", to: "FR", zip: "75001", list: 55, off: 11, fuel: 4.4, volumeKg: 8 },
  { number: "JPNONE", to: "JP", zip: "100-0001", list: 99, off: 0, fuel: 0 },
  { number: "RUNONE", to: "RU", list: 99, off: 0, fuel: 0 },
];

function invoiceOf(): string {
  const totalOf = ({ list, off, fuel }: Shipment): number => list - off + fuel;
  const head = { "Invoice Number": "M1", "Invoice Date": "2026-05-04", "Billing Account": "9600", Currency: "EUR" };
  const totals = shipments.reduce((sum, one) => sum + totalOf(one), 0).toFixed(2);
  const rows = shipments.map((one): Record<string, string | number> => ({
    ...head,
    "Line Type": "S",
    "Shipment Number": one.number,
    "Shipment Date": "2026-04-20",
    "Product Name": "EXPRESS WORLDWIDE",
    "Orig Country Code": "DE",
    "Senders Postcode": "10115",
    "Dest Country Code": one.to,
    "Receivers Postcode": one.zip ?? "",
    "Cust Scale Weight (kg)": 3,
    "DHL Scale Weight (kg)": 3,
    "DHL Vol Weight (ltr)": one.volumeKg ?? 1,
    "Weight (kg)": one.volumeKg ?? 3,
    "Total Amount": totalOf(one).toFixed(2),
    "Weight Charge": one.list,
    ...(one.off > 0 && { "Discount 1": "Contract", "Discount 1 Amount": one.off }),
    ...(one.fuel > 0 && { "XC1 Code": "FF", "XC1 Name": "FUEL SURCHARGE", "XC1 Charge": one.fuel }),
  }));
  const all: Record<string, string | number>[] = [{ ...head, "Line Type": "I", "Total Amount": totals }, ...rows];
  return [dhlNames, ...all.map((row) => dhlNames.map((name) => row[name] ?? ""))]
    .map((row) => row.join(","))
    .join("\n");
}

test("DHL Express from Germany is audited with the zones that the card has for countries", async () => {
  const org = await hub.org();
  const id = await audited(org, invoiceOf(), await auditAccount(org, [card]));
  expect(await saidOf(org, id)).toEqual(["ATDISCOUNT discount 440 high", "USRATE base_rate 616 high"]);
  const { body } = await org.get(`/invoices/${id}/audit`);
  expect(body.audited).toBe(6);
  expect(body.notAudited).toEqual([
    { reason: "not_serviceable", parcels: 1 },
    { reason: "zone_unresolved", parcels: 1 },
  ]);
});

test("a parcel billed by its volume is a finding if the contract has no dimensional weight", async () => {
  const org = await hub.org();
  const services = card.services.map(({ dim: _dim, ...service }) => service);
  const id = await audited(org, invoiceOf(), await auditAccount(org, [{ ...card, services }]));
  expect(await saidOf(org, id)).toContain("FRVOLUME dimensions 1320 low");
});

test("without zones of countries, shipments between countries are not audited", async () => {
  const org = await hub.org();
  const { countryZones: _zones, ...domestic } = card;
  const id = await audited(org, invoiceOf(), await auditAccount(org, [domestic]));
  const { body } = await org.get(`/invoices/${id}/audit`);
  expect(body.notAudited).toEqual([{ reason: "international", parcels: 8 }]);
});

test("quotes use the zones of countries as well; those of unknown zones are refused", async () => {
  const org = await hub.org();
  const account = await auditAccount(org, [card]);
  const quoteTo = async (countryCode: string) => {
    const { status, text, body } = await org.post(`/carrier-accounts/${account}/quote`, {
      origin: { zip: "10115", countryCode: "DE" },
      destination: { countryCode },
      weight: { value: 3, unit: "kg" },
      shipDate: "2026-04-20",
    });
    expect(status, text).toBe(200);
    return body.quotes[0] ?? body.unavailable?.[0] ?? body;
  };
  // 40.00 less 20 %, with 10 % fuel.
  expect(await quoteTo("FR")).toMatchObject({ zone: "1", total: 35.2 });
  const wrong = { ...card, countryZones: [{ destinations: ["FR"], services: ["SLOW"], zone: "9" }] };
  const refused = await org.post(`/carrier-accounts/${account}/rate-cards`, { card: wrong });
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "/card/countryZones/0/zone",
    "/card/countryZones/0/services",
  ]);
});

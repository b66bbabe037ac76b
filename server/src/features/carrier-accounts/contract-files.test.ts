import { expect, test } from "vitest";
import { writeXlsx } from "../../core/csv/xlsx.ts";
import { xlsxType } from "../../route.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

const service = { weightBreaks: [{ upTo: 5 }], rates: { "2": [10], "8": [20] } };
const card = {
  name: "Two modes",
  effectiveFrom: "2026-01-01",
  zoneScheme: "ups",
  services: [
    { ...service, code: "GND", level: "ground" },
    { ...service, code: "AIR", level: "two_day" },
  ],
  fuel: { percent: 1, appliesTo: "base_net" },
  fuelByService: [{ mode: "air", percent: 2, appliesTo: "base_net" }],
};
const parcel = { origin: { zip: "07114" }, destination: { zip: "90210" }, weight: { value: 3, unit: "lb" } };

async function anAccount(name: string): Promise<string> {
  const { body } = await org.post("/carrier-accounts", { name, carrier: "rate-card" });
  return `/carrier-accounts/${body.id}`;
}

async function pricesOn(account: string, shipDate: string): Promise<Record<string, number>> {
  const { body } = await org.post(`${account}/quote`, { ...parcel, shipDate });
  return Object.fromEntries(
    body.quotes.map((quote: { service: string; total: number }) => [quote.service, quote.total]),
  );
}

test("fuel tables come as the carrier publishes them, newest first", async () => {
  const account = await anAccount("Fuel");
  const fuelCsv = "Effective Date,fuel,Air\n11/09/2026,20%,25.5%\n11/02/2026,18,24\n10/26/2026,,23\n";
  const { status, body } = await org.post(`${account}/rate-cards`, { card, fuelCsv });
  expect([status, body.card.fuel.table]).toEqual([
    201,
    [
      { from: "2026-11-02", percent: 18 },
      { from: "2026-11-09", percent: 20 },
    ],
  ]);
  expect(await pricesOn(account, "2026-11-01")).toEqual({ GND: 23.6, AIR: 24.6 });
  expect(await pricesOn(account, "2026-11-08")).toEqual({ GND: 23.6, AIR: 24.8 });
  expect(await pricesOn(account, "2026-11-09")).toEqual({ GND: 24, AIR: 25.1 });

  const wrong = "from,sea,air\n2026-01-01,1,101\nsoon,1,5\n2026-01-08,1,5\n2026-01-08,1,6\n";
  const refused = await org.post(`${account}/rate-cards`, { card, fuelCsv: wrong });
  expect(
    refused.body.errors.map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`),
  ).toEqual([
    "/fuelCsv/1/sea no_fuel_terms",
    "/fuelCsv/2/air percent",
    "/fuelCsv/3/from date",
    "/fuelCsv/5/from duplicate",
  ]);
  const dayless = await org.post(`${account}/rate-cards`, { card, fuelCsv: "ground,air\n1,2\n" });
  expect(dayless.body.errors[0]).toMatchObject({ pointer: "/fuelCsv/1", code: "columns" });
});

test("a zone chart is uploaded as the workbook of the carrier", async () => {
  const account = await anAccount("Chart");
  await org.post(`${account}/rate-cards`, { card });
  async function* rows() {
    yield [["Zone chart"], ["For shipments originating in ZIP Codes 070-01 to 079-99"]];
    yield [["Dest. ZIP", "Ground", "2nd Day Air"]];
    yield [["900-902", "002", "008"]];
  }
  const bytes = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "Chart", portions: rows() }])));
  const put = async (query: string, type: string, rawBody: Buffer) =>
    await org.call("PUT", `${account}/zone-chart${query}`, undefined, { rawBody, headers: { "content-type": type } });
  const sent = await put("?name=UPS%202026", xlsxType, bytes);
  expect(sent).toMatchObject({ status: 200, body: { name: "UPS 2026", rowCount: 2 } });
  expect(await pricesOn(account, "2026-03-02")).toEqual({ GND: 10.1, AIR: 20.4 });
  const noOrigin = await put("", "text/csv", Buffer.from("Dest. ZIP,Zone\n900,5\n"));
  expect(noOrigin).toMatchObject({ status: 400, body: { errors: [{ code: "columns" }] } });
  const named = await put("?origin=070-079", "text/csv", Buffer.from("Dest. ZIP,Zone\n900-902,2\n"));
  expect(named.status).toBe(200);
  expect(await pricesOn(account, "2026-03-02")).toEqual({ GND: 10.1, AIR: 10.2 });
});

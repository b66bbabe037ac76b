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

const tiers = [
  "Service,Term,From,Value,2,Zone 8",
  "GND,Cubic max weight,,20 lb,,",
  "GND,Cubic,0.5,,6,7",
  "GND,Cubic,0.1,,4,-",
  "GND,Cubic max length,,18,,",
  "AIR,Hundredweight,100,,150,200.5",
  "AIR,Hundredweight discount,,10%,,",
  "AIR,Hundredweight min pieces,,3,,",
  "AIR,Hundredweight minimum,,40,,",
  "GND,Multi-piece,,total,,",
  "GND,Earned discount,20000,18 %,,",
  "GND,Earned discount,5000,10,,",
  ",Weekly revenue,2026-06-01,21500,,",
  ",Weekly revenue,01/05/2026,12000,,",
].join("\n");

test("tiers of a contract come as CSV, with a card or beside the CSV of its prices", async () => {
  const account = await anAccount("Tiers");
  const { status, body } = await org.post(`${account}/rate-cards`, { card, termsCsv: tiers });
  expect(status).toBe(201);
  const [ground, air] = body.card.services;
  expect(ground).toMatchObject({
    cubic: {
      tiers: [0.1, 0.5],
      rates: { "2": [4, 6], "8": [null, 7] },
      maxWeight: { value: 20, unit: "lb" },
      maxLength: 18,
    },
    discounts: [
      {
        tiers: [
          { revenueFrom: 5000, percent: 10 },
          { revenueFrom: 20_000, percent: 18 },
        ],
      },
    ],
    multiPiece: "total",
  });
  expect(air.hundredweight).toEqual({
    weightFrom: [100],
    rates: { "2": [150], "8": [200.5] },
    discountPercent: 10,
    minimum: 40,
    minPieces: 3,
  });
  expect(body.card.weeklyRevenue).toEqual([
    { from: "2026-01-05", amount: 12_000 },
    { from: "2026-06-01", amount: 21_500 },
  ]);
  // 0.5 cubic feet to zone 8: 7.00, minus 18 %, with 1 % fuel.
  const small = { ...parcel, dimensions: { length: 10, width: 8, height: 6, unit: "in" }, shipDate: "2026-06-15" };
  const quoted = await org.post(`${account}/quote`, small);
  expect(quoted.body.quotes.find((one: { service: string }) => one.service === "GND").total).toBe(5.8);

  const { services: _services, ...header } = card;
  const csv = "service,level,weight,2,8\nGND,ground,5,10,20\nAIR,two_day,5,10,20\n";
  const fromCsv = await org.post(`${account}/rate-cards`, { csv, header, termsCsv: tiers });
  expect(fromCsv.status).toBe(201);
  expect(fromCsv.body.card.services.map((one: typeof ground) => one.cubic ?? one.hundredweight)).toEqual([
    ground.cubic,
    air.hundredweight,
  ]);
});

test("rows of tiers that cannot be read are named, all at once", async () => {
  const account = await anAccount("Wrong tiers");
  const errorsOf = async (termsCsv: string) =>
    (await org.post(`${account}/rate-cards`, { card, termsCsv })).body.errors.map(
      (error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`,
    );
  const wrong = [
    "service,term,from,value,2,9",
    "SEA,cubic,0.1,,4,",
    "GND,volume,0.1,,4,",
    "GND,cubic,0,,4,",
    "GND,cubic,0.1,,cheap,",
    "GND,cubic,0.2,,4,5",
    "GND,cubic,0.1,,4,",
    "GND,hundredweight,100.5,,4,",
    "AIR,hundredweight minimum,,40,,",
    "GND,multi-piece,,sum,,",
    "GND,earned discount,1000,101,,",
    ",weekly revenue,soon,1,,",
    "GND,cubic max weight,,heavy,,",
  ].join("\n");
  expect(await errorsOf(wrong)).toEqual([
    "/termsCsv/2/service unknown_service",
    "/termsCsv/3/term unknown_term",
    "/termsCsv/4/from limit",
    "/termsCsv/5/2 price",
    "/termsCsv/6/9 unknown_zone",
    "/termsCsv/7/from duplicate",
    "/termsCsv/8/from limit",
    "/termsCsv/11/value value",
    "/termsCsv/12/from limit",
    "/termsCsv/9/value value",
    "/termsCsv/10/value value",
    "/termsCsv/13/value value",
  ]);
  expect(await errorsOf("service,term\nGND,cubic\n")).toEqual(["/termsCsv/1 columns"]);
  // Without the weekly revenue, the tiers would never count.
  expect(await errorsOf("service,term,from,value\nGND,earned discount,1000,10\n")).toEqual([
    "/card/weeklyRevenue required",
  ]);
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

import { expect, test } from "vitest";
import { workOff } from "../../../queue/work.ts";
import { auditAccount, saidOf } from "../../../testing/invoices/audit-hub.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { comparisonWork } from "../../rate-comparisons/rate-comparisons.ts";

const hub = await startTestHub();

const cardOf = (code: string, price: number) => ({
  name: `Contract for ${code}`,
  effectiveFrom: "2026-01-01",
  zoneScheme: "flat",
  services: [{ code, level: "ground", weightBreaks: [{ upTo: 5 }], rates: { all: [price] } }],
});

/** What the contract of each carrier says, and its parcels: the first of each is billed right, the second 1.50 too high. */
const carriers = {
  UPS: { service: "Ground", code: "GROUND", price: 11, parcels: ["1ZRIGHT", "1ZWRONG"] },
  USPS: { service: "GroundAdvantage", code: "GroundAdvantage", price: 6, parcels: ["9400RIGHT", "9400WRONG"] },
  FedEx: { service: "FEDEX_GROUND", code: "FEDEX_GROUND", price: 9, parcels: ["7000RIGHT", "7000WRONG"] },
};
type Carrier = keyof typeof carriers;

const rowsOf = (week: number): (string | number)[][] =>
  Object.entries(carriers).flatMap(([carrier, { service, price, parcels }]) =>
    parcels.map((parcel, at) => [`${parcel}${week}`, carrier, service, price + at * 1.5, 32, "07114", "90210"]),
  );
const files = {
  EasyPost: (week: number): string =>
    [
      "created_at,tracking_code,carrier,service,postage_fee,weight,from_zip,to_zip",
      ...rowsOf(week).map((row) => [`2026-02-0${week}T10:00:00Z`, ...row].join(",")),
    ].join("\n"),
  ShipStation: (week: number): string =>
    [
      "Date - Shipped Date,Shipment - Tracking Number,Carrier - Name,Carrier - Service Selected,Carrier - Fee,Weight (oz)," +
        "Ship From - Postal Code,Ship To - Postal Code",
      ...rowsOf(week).map((row) => [`2/${week}/2026`, ...row].join(",")),
    ].join("\n"),
};

async function contractsIn(org: TestOrg): Promise<Record<Carrier, string>> {
  const ids = Object.values(carriers).map(({ code, price }) => auditAccount(org, [cardOf(code, price)]));
  const [ups, usps, fedex] = await Promise.all(ids);
  return { UPS: ups!, USPS: usps!, FedEx: fedex! };
}

async function imported(org: TestOrg, csv: string): Promise<string> {
  const { status, text, body } = await org.post("/invoices/import", { csv });
  expect(status, text).toBe(200);
  return body.invoices[0].id;
}

test.for(["EasyPost", "ShipStation"] as const)(
  "%s: the parcels of three carriers are audited each against its own contract",
  async (seller) => {
    const org = await hub.org();
    const accounts = await contractsIn(org);
    const id = await imported(org, files[seller](2));
    const audit = async (invoice: string, body: object) => (await org.post(`/invoices/${invoice}/audit`, body)).body;

    const two = [
      { carrier: "ups", carrierAccountId: accounts.UPS },
      { carrier: "USPS", carrierAccountId: accounts.USPS },
    ];
    expect(await audit(id, { carrierAccounts: two })).toMatchObject({
      carrierAccountId: null,
      carrierAccounts: two,
      parcels: 6,
      audited: 4,
      notAudited: [{ reason: "no_contract", parcels: 2 }],
    });
    expect(await saidOf(org, id)).toEqual(["1ZWRONG2 base_rate 150 high", "9400WRONG2 base_rate 150 high"]);
    // Parcels of other carriers have the contract of the invoice.
    expect(await audit(id, { carrierAccountId: accounts.FedEx })).toMatchObject({ audited: 6, notAudited: [] });
    const found = ["1ZWRONG", "7000WRONG", "9400WRONG"];
    expect(await saidOf(org, id)).toEqual(found.map((parcel) => `${parcel}2 base_rate 150 high`));
    const { body: parcel } = await org.get(`/invoices/${id}/parcels/9400WRONG2`);
    expect(parcel).toMatchObject({ billed: 7.5, expected: 6, carrierAccountId: accounts.USPS });

    // The next file needs no contracts: those of the last audit are used.
    const next = await imported(org, files[seller](3));
    expect(await audit(next, {})).toMatchObject({
      carrierAccountId: accounts.FedEx,
      carrierAccounts: two,
      audited: 6,
    });
    expect(await saidOf(org, next)).toEqual(found.map((number) => `${number}3 base_rate 150 high`));
    // An empty list takes the contracts of single carriers away: UPS Ground is now priced as the ground service of FedEx.
    expect(await audit(next, { carrierAccounts: [] })).toMatchObject({
      carrierAccounts: [],
      audited: 4,
      notAudited: [{ reason: "service_unmatched", parcels: 2 }],
    });
  },
);

test("a carrier that is named twice, and an unknown account, are refused", async () => {
  const org = await hub.org();
  const { UPS } = await contractsIn(org);
  const id = await imported(org, files.EasyPost(2));
  const errorsOf = async (carrierAccounts: object[]) =>
    (await org.post(`/invoices/${id}/audit`, { carrierAccounts })).body.errors[0];
  const twice = [
    { carrier: "UPS", carrierAccountId: UPS },
    { carrier: "ups ", carrierAccountId: UPS },
  ];
  expect(await errorsOf(twice)).toMatchObject({ pointer: "/carrierAccounts/1/carrier", code: "duplicate" });
  const unknown = [{ carrier: "UPS", carrierAccountId: crypto.randomUUID() }];
  expect(await errorsOf(unknown)).toMatchObject({
    pointer: "/carrierAccounts/0/carrierAccountId",
    code: "not_found",
  });
});

test("a comparison of such a file prices each carrier with its own contract by rules", async () => {
  const org = await hub.org();
  // All contracts have prices for all parcels, those of FedEx the lowest.
  const cards = [7, 6, 5].map((price) => cardOf("GROUND", price));
  const accounts = await Promise.all(cards.map((card) => auditAccount(org, [card])));
  for (const account of accounts) {
    const serviceAliases = { "USPS GroundAdvantage": "GROUND", FEDEX_GROUND: "GROUND" };
    expect((await org.patch(`/carrier-accounts/${account}`, { serviceAliases })).status).toBe(200);
  }
  const id = await imported(org, files.EasyPost(2));
  const targets = accounts.map((carrierAccountId) => ({ carrierAccountId }));
  const comparison = await org.post("/rate-comparisons", { name: "Carriers", invoiceIds: [id], targets });
  expect(comparison.status, comparison.text).toBe(201);
  const path = `/rate-comparisons/${comparison.body.id}`;
  await org.post(`${path}/process`, {});
  await workOff(hub.world, comparisonWork);
  const rules = [
    { target: 1, carriers: ["UPS"] },
    { target: 2, carriers: ["usps"] },
    { target: 3, carriers: ["FedEx"] },
  ];
  const { status, text, body } = await org.post(`${path}/scenarios`, { name: "Own contracts", rules });
  expect(status, text).toBe(201);
  expect(body.result.bestMix.cost).toBe(30);
  expect(body.result.ruleMix).toMatchObject({
    cost: 36,
    rules: [
      { target: 1, parcels: 2, cost: 14 },
      { target: 2, parcels: 2, cost: 12 },
      { target: 3, parcels: 2, cost: 10 },
    ],
    unmatched: { parcels: 0 },
  });
});

import { describe, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { connectAccount } from "../../testing/carriers/buy-through-hub.ts";
import type { StandInWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import type { CarrierName } from "../../testing/handover-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

type Given = { body: object; missing: string[] };

const weight = { value: 2, unit: "lb" };
const zips = { origin: { zip: "07114" }, destination: { zip: "12207" }, weight };
const countries = {
  origin: { zip: "07114", countryCode: "US" },
  destination: { zip: "12207", countryCode: "US" },
  weight,
};
const noZip = { ...countries, origin: { countryCode: "US" }, destination: { countryCode: "US", city: "Albany" } };
const box = { length: 10, width: 8, height: 4, unit: "in" };
const noCountry = { body: zips, missing: ["/origin/countryCode"] };
const bothZips = { body: { ...noZip, dimensions: box }, missing: ["/origin/zip", "/destination/zip"] };

/** The least that each carrier needs for a price, and the errors of a request with less. docs/carriers.md has the same list. */
const needs: Record<CarrierName, { enough: object; refused: Given[] }> = {
  easypost: { enough: zips, refused: [{ body: noZip, missing: ["/origin/zip", "/destination/zip"] }] },
  shipengine: {
    enough: {
      origin: {
        ...countries.origin,
        name: "Dock",
        address1: "1 Port St",
        city: "Newark",
        state: "NJ",
        phone: "9735550100",
      },
      destination: { ...countries.destination, name: "Ada", address1: "12 Way", city: "Albany", state: "NY" },
      weight,
    },
    refused: [
      {
        body: countries,
        missing: [
          ...["name", "address1", "city", "provinceCode", "phone"].map((name) => `/origin/${name}`),
          ...["name", "address1", "city", "provinceCode"].map((name) => `/destination/${name}`),
        ],
      },
    ],
  },
  karrio: { enough: countries, refused: [noCountry] },
  ups: { enough: countries, refused: [noCountry, bothZips] },
  fedex: { enough: countries, refused: [noCountry, bothZips] },
  usps: {
    enough: { ...countries, dimensions: box },
    refused: [noCountry, bothZips, { body: countries, missing: ["/dimensions"] }],
  },
};

describe.each(Object.entries(needs))("a quote of %s", async (name, { enough, refused }) => {
  const { standIn, account }: StandInWithAccount = await startWithAccount[name as CarrierName]();
  afterFile(() => standIn.close());

  test("names what is missing in a 400, before the carrier is called", async () => {
    const id = await connectAccount(org, account);
    for (const { body, missing } of refused) {
      const { status, body: problem } = await org.post(`/carrier-accounts/${id}/quote`, body);
      expect([status, problem.code], JSON.stringify(problem)).toEqual([400, "validation_failed"]);
      expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(missing);
      for (const error of problem.errors) expect(error.code).toBe("required");
    }
    expect(standIn.requests.filter(({ operation }) => operation === "rate" || operation === "quote")).toEqual([]);
  });

  test("is a price for no more than that, and a 502 when the carrier fails", async () => {
    const id = await connectAccount(org, account);
    const { status, text, body } = await org.post(`/carrier-accounts/${id}/quote`, enough);
    expect(status, text).toBe(200);
    expect(body.quotes.length).toBeGreaterThan(0);
    standIn.inject("error_before", { times: 99 });
    const failed = await org.post(`/carrier-accounts/${id}/quote`, enough);
    expect([failed.status, failed.body.code]).toEqual([502, "carrier_failed"]);
    standIn.calm();
  });
});

test("an option that the carrier does not offer is a 400 as well", async () => {
  const { standIn, account } = await startWithAccount.ups();
  afterFile(() => standIn.close());
  const id = await connectAccount(org, account);
  const options = { billTo: { party: "third_party", account: "1Z9999" } };
  const { status, body } = await org.post(`/carrier-accounts/${id}/quote`, { ...countries, options });
  expect([status, body.errors]).toMatchObject([400, [{ pointer: "", code: "not_supported" }]]);
});

test("an address that cannot be checked as it is names its field in a 400", async () => {
  const { standIn, account } = await startWithAccount.fedex();
  afterFile(() => standIn.close());
  const id = await connectAccount(org, account);
  const { status, body } = await org.post(`/carrier-accounts/${id}/address-check`, {
    address: { city: "Albany", zip: "12207", countryCode: "US" },
  });
  expect([status, body.errors]).toMatchObject([400, [{ pointer: "/address/address1", code: "required" }]]);
});

test("a label is refused with the field, too", async () => {
  const { standIn, account } = await startWithAccount.shipengine();
  afterFile(() => standIn.close());
  const carrierAccountId = await connectAccount(org, account);
  const place = { name: "Dock", address1: "1 Port St", city: "Newark", provinceCode: "NJ", ...countries.origin };
  const to = { ...place, phone: "9735550100" };
  const request = { carrierAccountId, service: "usps_priority_mail", from: place, to, weight };
  const { status, body } = await org.post("/shipments/labels", request);
  expect([status, body.code, body.errors]).toMatchObject([
    409,
    "label_rejected",
    [{ pointer: "/from/phone", code: "required" }],
  ]);
  expect(standIn.requests.filter(({ operation }) => operation === "buy")).toEqual([]);
});

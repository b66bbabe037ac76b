import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { customer, customs, rateRequest, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { karrio } from "./karrio.ts";
import { readers } from "./karrio-readers.ts";

const fixture = fixtureIn(import.meta.dirname);
const credentials = { token: "key_1" };
const settings = { baseUrl: "https://karrio.example/v1/" };

const quoting = async (changes = {}, answer: ScriptedAnswer = { status: 200, body: fixture("rates") }, more = {}) => {
  const { call, requests } = scriptedCall({ settings: { ...settings, ...more }, credentials, answers: () => answer });
  return { quotes: await karrio.rate!(call, rateRequest(changes)), requests };
};

describe("rates", () => {
  test("the request has both addresses, the parcel in its own units and the day", async () => {
    const { requests } = await quoting({ options: { residential: true } }, undefined, { carrierIds: ["ups_east"] });
    expect(requests[0]).toMatchObject({
      method: "POST",
      url: "https://karrio.example/v1/proxy/rates",
      headers: { authorization: "Token key_1" },
    });
    expect(requests[0]!.json).toEqual({
      shipper: {
        person_name: "Warehouse East",
        company_name: "Byron Goods",
        address_line1: "12 Mill Road",
        city: "Edison",
        state_code: "NJ",
        postal_code: "08817",
        country_code: "US",
        phone_number: "5550100",
        email: "dock@byron.example",
      },
      recipient: {
        person_name: "Ada Byron",
        address_line1: "7 Lake Street",
        address_line2: "Apt 3",
        city: "Chicago",
        state_code: "IL",
        postal_code: "60614",
        country_code: "US",
        residential: true,
      },
      parcels: [
        {
          weight: 15.4,
          weight_unit: "OZ",
          length: 10,
          width: 8,
          height: 4,
          dimension_unit: "IN",
          packaging_type: "your_packaging",
        },
      ],
      options: { shipping_date: "2026-03-02T12:00" },
      carrier_ids: ["ups_east"],
    });
  });

  test("of two connections the cheaper counts; a carrier that refused is named", async () => {
    const { quotes } = await quoting();
    expect(quotes).toMatchObject([
      {
        service: "ups_ground",
        serviceName: "UPS GROUND",
        total: 11.83,
        currency: "USD",
        transitDays: 3,
        deliverBy: "2026-03-05",
        carrierData: { carrierId: "ups_east" },
        lines: [
          { label: "BASE CHARGE", amount: 10.1 },
          { label: "FUEL SURCHARGE", amount: 1.73 },
        ],
      },
      { service: "usps_ground_advantage", total: 5.93 },
      { service: "fedex_main", reason: "carrier_rejected", message: "fedex: The account is on hold." },
    ]);
  });

  test("only the services that were asked for, with the reason for those that are missing", async () => {
    const services = ["usps_ground_advantage", "fedex_ground"];
    const { quotes, requests } = await quoting({ services });
    expect(requests[0]!.json).toMatchObject({ services });
    expect(quotes).toMatchObject([
      { service: "usps_ground_advantage" },
      { service: "fedex_ground", reason: "not_offered", message: "fedex: The account is on hold." },
    ]);
  });

  test.each([
    [7.1, "USD", 7.1],
    ["7.10", "eur", 7.1],
    [0, "USD", 0],
  ])("a charge of %j %s", async (total_charge, currency, total) => {
    const body = { rates: { service: "x", carrier_id: "y", total_charge, currency } };
    expect((await quoting({}, { status: 200, body })).quotes).toMatchObject([
      { total, currency: currency.toUpperCase() },
    ]);
  });

  test("a charge that is no number costs its service alone", async () => {
    const body = {
      rates: [
        { service: "a", total_charge: null },
        { service: "b", total_charge: 2 },
      ],
    };
    expect((await quoting({}, { status: 200, body })).quotes).toMatchObject([
      { service: "b", total: 2 },
      { service: "a", reason: "unreadable_price" },
    ]);
  });
});

describe("ship options", () => {
  test("signature, Saturday, insurance, billing, references, packaging and options of one carrier", async () => {
    const options = {
      signature: "signature",
      saturdayDelivery: true,
      insuredValue: { amount: 250, currency: "USD" },
      billTo: { party: "third_party", account: "A1", countryCode: "US", zip: "10001" },
      references: ["PO 77", "Line 2"],
      extra: { options: { ups_delivery_confirmation: true } },
    };
    const parcels = [{ weight: { value: 1, unit: "kg" }, packaging: "ups_express_pak", reference: "Box 1" }];
    const { requests } = await quoting({ options, parcels });
    expect(requests[0]!.json).toMatchObject({
      reference: "PO 77 / Line 2",
      payment: { paid_by: "third_party", account_number: "A1" },
      billing_address: { country_code: "US", postal_code: "10001" },
      options: {
        currency: "USD",
        insurance: 250,
        signature_confirmation: true,
        saturday_delivery: true,
        ups_delivery_confirmation: true,
      },
      parcels: [{ weight: 1, weight_unit: "KG", package_preset: "ups_express_pak", reference_number: "Box 1" }],
    });
  });

  test("customs", async () => {
    const taxIds = [
      { type: "EORI", number: "GB1", countryCode: "GB" },
      { type: "EIN", number: "12-3", countryCode: "US", party: "receiver" },
    ];
    const { requests } = await quoting({ options: { customs: { ...customs, incoterm: "DDP", taxIds } } });
    expect(requests[0]!.json).toMatchObject({
      recipient: { federal_tax_id: "12-3" },
      customs: {
        content_type: "merchandise",
        incoterm: "DDP",
        certify: true,
        signer: "Warehouse East",
        duty: { paid_by: "sender" },
        options: { eori_number: "GB1" },
        commodities: [
          {
            description: "Cotton shirt",
            quantity: 3,
            weight: 4.5,
            weight_unit: "OZ",
            value_amount: 19.99,
            value_currency: "USD",
            hs_code: "610910",
            origin_country: "US",
          },
        ],
      },
    });
  });

  test("a return is priced in its direction", async () => {
    const { requests } = await quoting({
      from: customer,
      to: warehouse,
      options: { isReturn: true, residential: true },
    });
    expect(requests[0]!.json).toMatchObject({ shipper: { person_name: "Ada Byron", residential: true } });
    expect(requests[0]!.json).not.toHaveProperty("is_return");
  });

  test.each([
    [{ signature: "adult_signature" }, /signature adult_signature\. It differs by carrier/],
    [{ label: { size: "a4" } }, /label\.size/],
    [{ extra: { drone: 1 } }, /extra\.drone\. Allowed is options/],
    [{ customs: { ...customs, nonDelivery: "abandon" } }, /customs\.nonDelivery/],
    [{ customs }, /customs\.taxIds EORI of the receiver/],
  ])("%# is refused by name", async (options, message) => {
    await expect(quoting({ options })).rejects.toMatchObject({
      code: "option_not_supported",
      message: expect.stringMatching(message),
    });
  });
});

describe("failures and account", () => {
  test.each<[string, ScriptedAnswer, object]>([
    [
      "fields and their rules",
      { status: 400, body: fixture("error-fields") },
      {
        code: "rejected",
        message:
          "karrio: Invalid request payload (shipper.country_code: This field is required.; parcels.weight: A valid number is required.)",
      },
    ],
    [
      "words of a carrier",
      { status: 424, body: { messages: [{ message: "No.", carrier_name: "ups" }] } },
      { code: "rejected", message: "karrio: ups: No." },
    ],
    [
      "wrong token",
      { status: 401, body: { detail: "Invalid token." } },
      { code: "unauthorized", message: "karrio: Invalid token." },
    ],
    [
      "500",
      { status: 500, body: "<html>" },
      { code: "remote_error", retryable: true, message: "karrio answered 500 without a reason." },
    ],
    ["429", { status: 429, headers: { "retry-after": "3" } }, { code: "rate_limited", retryAfterMs: 3000 }],
  ])("%s", async (_name, answer, expected) => {
    await expect(quoting({}, answer)).rejects.toMatchObject({ mayHaveHappened: false, ...expected });
  });

  const problems = async (answers: (path: string) => ScriptedAnswer) => {
    const own = { ...settings, carrierIds: ["ups_east", "gone"] };
    const { call } = scriptedCall({ settings: own, credentials, answers: ({ path }) => answers(path) });
    return await karrio.testAccount!(call);
  };

  test.each([
    [401, "key"],
    [403, "permission"],
    [404, "address"],
  ])("the account test names after %d the %s", async (status, part) => {
    expect(await problems(() => ({ status }))).toMatchObject([{ part }]);
  });

  test("the account test names connections that do not exist, where karrio can list them", async () => {
    const list = (results: object[]) => (path: string) => ({
      status: 200,
      body: { results: path.startsWith("/v1/connections") ? results : [] },
    });
    expect(await problems(list([{ carrier_id: "ups_east" }]))).toEqual([
      { part: "account", message: "karrio has no active carrier connection gone." },
    ]);
    expect(await problems(list([]))).toMatchObject([{ part: "account" }]);
    expect(await problems((path) => ({ status: path.startsWith("/v1/connections") ? 404 : 200, body: {} }))).toEqual(
      [],
    );
  });

  test("the test mode is a setting, and the token goes to karrio alone", () => {
    expect(karrio.isTest!({ settings: { testMode: true }, credentials })).toBe(true);
    expect(karrio.isTest!({ settings, credentials })).toBe(false);
    expect(karrio.sendsTo!(settings)).toEqual(["https://karrio.example"]);
  });
});

test("the readers of the script read the fixtures", () => {
  expect(readers.rate!({ status: 200, body: fixture("rates") })).toHaveLength(3);
  expect(readers.track!({ status: 200, body: fixture("tracker") })).toHaveLength(1);
});

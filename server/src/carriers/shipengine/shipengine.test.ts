import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { customer, customs, rateRequest, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { kindOf, readers } from "./shipengine-readers.ts";
import { shipengine } from "./shipengine.ts";

const fixture = fixtureIn(import.meta.dirname);
const credentials = { apiKey: "TEST_abc" };
const settings = { carrierIds: ["se-1", "se-2"] };
const carriers = { carriers: [{ carrier_id: "se-1", services: [{ service_code: "usps_priority_mail" }] }] };

const quoting = async (
  changes = {},
  answer: ScriptedAnswer = { status: 200, body: fixture("rates") },
  own: object = settings,
) => {
  const { call, requests } = scriptedCall({
    settings: { ...own },
    credentials,
    answers: ({ path }) => (path.endsWith("/carriers") ? { status: 200, body: carriers } : answer),
  });
  return { quotes: await shipengine.rate!(call, rateRequest(changes)), requests, call };
};

describe("rates", () => {
  test("the request has the carriers, both addresses and the parcel in its own units", async () => {
    const { requests } = await quoting({ options: { residential: false } });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      method: "POST",
      url: "https://api.shipengine.com/v1/rates",
      headers: { "api-key": "TEST_abc" },
    });
    expect(requests[0]!.json).toEqual({
      rate_options: { carrier_ids: ["se-1", "se-2"] },
      shipment: {
        ship_date: "2026-03-02",
        ship_to: {
          name: "Ada Byron",
          address_line1: "7 Lake Street",
          address_line2: "Apt 3",
          city_locality: "Chicago",
          state_province: "IL",
          postal_code: "60614",
          country_code: "US",
          address_residential_indicator: "no",
        },
        ship_from: {
          name: "Warehouse East",
          company_name: "Byron Goods",
          phone: "5550100",
          email: "dock@byron.example",
          address_line1: "12 Mill Road",
          city_locality: "Edison",
          state_province: "NJ",
          postal_code: "08817",
          country_code: "US",
          address_residential_indicator: "unknown",
        },
        packages: [
          {
            package_code: "package",
            weight: { value: 15.4, unit: "ounce" },
            dimensions: { unit: "inch", length: 10, width: 8, height: 4 },
          },
        ],
        advanced_options: {},
      },
    });
  });

  test("the price is the sum of all amounts, with its lines, published price and zone", async () => {
    const { quotes } = await quoting();
    expect(quotes).toMatchObject([
      {
        service: "usps_ground_advantage",
        serviceName: "USPS Ground Advantage",
        total: 5.93,
        listTotal: 7.1,
        currency: "USD",
        zone: "5",
        transitDays: 3,
        deliverBy: "2026-03-05T00:00:00Z",
        carrierData: { carrierId: "se-1", rateId: "se-r1" },
      },
      { service: "usps_priority_mail", total: 9.4, listTotal: null },
      {
        service: "ups_ground",
        total: 14.93,
        isGuaranteed: true,
        lines: [
          { code: "003", label: "Ground", amount: 10.1 },
          { code: "375", label: "Fuel Surcharge", amount: 1.73 },
        ],
      },
      { service: "ups_next_day_air", reason: "carrier_rejected", message: "Saturday delivery is not available." },
      { service: "fedex", reason: "carrier_rejected", message: "FedEx: The account is on hold." },
    ]);
  });

  test("other packaging has its own price", async () => {
    const packaging = "flat_rate_envelope";
    const { quotes } = await quoting({ parcels: [{ weight: { value: 8, unit: "oz" }, packaging }] });
    expect(quotes[0]).toMatchObject({ service: "usps_priority_mail", total: 8.25 });
  });

  test("only the services that were asked for, each missing one with the carrier's reason", async () => {
    const services = ["ups_ground", "ups_next_day_air", "fedex_2day"];
    const { quotes, requests } = await quoting({ services });
    expect(requests[0]!.json).toMatchObject({ rate_options: { service_codes: services } });
    expect(quotes).toMatchObject([
      { service: "ups_ground", total: 14.93 },
      { service: "ups_next_day_air", reason: "carrier_rejected" },
      { service: "fedex_2day", reason: "not_offered", message: "FedEx: The account is on hold." },
    ]);
  });

  test.each([
    [{ amount: "12.50", currency: "USD" }, 12.5, "USD"],
    [{ amount: 3.12, currency: "usd" }, 3.12, "USD"],
    [{ amount: 0, currency: "cad" }, 0, "CAD"],
  ])("an amount of %j", async (shipping_amount, total, currency) => {
    const body = { rate_response: { rates: { service_code: "x", shipping_amount } } };
    expect((await quoting({}, { status: 200, body })).quotes).toMatchObject([{ total, currency }]);
  });

  test("a price in two currencies, or without an amount, costs its service alone", async () => {
    const rates = [
      {
        service_code: "a",
        shipping_amount: { amount: 1, currency: "usd" },
        other_amount: { amount: 2, currency: "eur" },
      },
      { service_code: "b", shipping_amount: { currency: "usd" } },
      { service_code: "c", shipping_amount: { amount: 3, currency: "usd" }, tax_amount: null },
    ];
    expect((await quoting({}, { status: 200, body: { rate_response: { rates } } })).quotes).toMatchObject([
      { service: "c", total: 3 },
      { service: "a", reason: "unreadable_price" },
      { service: "b", reason: "unreadable_price" },
    ]);
  });

  test("without chosen carriers those of the account are asked for once", async () => {
    const { requests, call } = await quoting({}, undefined, {});
    await shipengine.rate!(call, rateRequest());
    expect(requests.map(({ path }) => path)).toEqual(["/v1/carriers", "/v1/rates", "/v1/rates"]);
    expect(requests[1]!.json).toMatchObject({ rate_options: { carrier_ids: ["se-1"] } });
  });
});

describe("ship options", () => {
  const shipmentSent = async (changes: object) => {
    const { requests } = await quoting(changes);
    return (requests[0]!.json as { shipment: Record<string, unknown> }).shipment;
  };

  test("signature, Saturday, billing, insurance, references and extras", async () => {
    const options = {
      signature: "adult_signature",
      saturdayDelivery: true,
      insuredValue: { amount: 250, currency: "USD" },
      billTo: { party: "receiver", account: "A1", countryCode: "US", zip: "10001" },
      references: ["PO 77"],
      extra: { containsAlcohol: true },
    };
    expect(await shipmentSent({ options })).toMatchObject({
      confirmation: "adult_signature",
      insurance_provider: "carrier",
      advanced_options: {
        saturday_delivery: true,
        bill_to_party: "recipient",
        bill_to_account: "A1",
        bill_to_country_code: "US",
        bill_to_postal_code: "10001",
        contains_alcohol: true,
      },
      packages: [
        {
          insured_value: { amount: 250, currency: "usd" },
          label_messages: { reference1: "PO 77", reference2: null, reference3: null },
        },
      ],
    });
  });

  test("customs items have the value and weight of one piece", async () => {
    const sent = await shipmentSent({ options: { customs: { ...customs, nonDelivery: "abandon" } } });
    expect(sent.customs).toEqual({
      contents: "merchandise",
      non_delivery: "treat_as_abandoned",
      terms_of_trade_code: "dap",
      customs_items: [
        {
          description: "Cotton shirt",
          quantity: 3,
          value: 19.99,
          value_currency: "usd",
          weight: { value: 4.5, unit: "ounce" },
          harmonized_tariff_code: "610910",
          country_of_origin: "US",
        },
      ],
    });
    expect(sent.tax_identifiers).toEqual([
      { taxable_entity_type: "recipient", identifier_type: "eori", issuing_authority: "GB", value: "GB123456789000" },
    ]);
  });

  test("of a return the customer's address is residential", async () => {
    const from = { ...customer, phone: "5185550100" };
    const changes = { from, to: warehouse, options: { isReturn: true, residential: true } };
    const { requests } = await quoting(changes);
    expect(requests[0]!.json).toMatchObject({
      rate_options: { is_return: true },
      shipment: {
        ship_from: { name: "Ada Byron", address_residential_indicator: "yes" },
        ship_to: { name: "Warehouse East", address_residential_indicator: "unknown" },
      },
    });
  });

  test.each([
    [{ options: { customs: { ...customs, signer: "Ada" } } }, /customs\.signer/],
    [{ options: { customs: { ...customs, exemption: "NOEEI" } } }, /customs\.exemption/],
    [{ options: { extra: { drone: 1 } } }, /extra\.drone\. Allowed are containsAlcohol/],
    [
      {
        parcels: [{ weight: { value: 1, unit: "lb" } }, { weight: { value: 1, unit: "lb" } }],
        options: { insuredValue: { amount: 5, currency: "USD" } },
      },
      /Give each of several parcels its own insuredValue/,
    ],
  ])("%# is refused by name", async (changes, message) => {
    await expect(quoting(changes)).rejects.toMatchObject({
      code: "option_not_supported",
      message: expect.stringMatching(message),
    });
  });
});

test("the readers of the script read the fixtures", () => {
  expect(readers.rate!({ status: 200, body: fixture("rates") })).toHaveLength(5);
  expect(readers.error!({ status: 409, body: fixture("error-conflict") })).toMatch(/external_shipment_id/);
  expect(kindOf("PUT /v1/labels/se-1/void")).toBe("void");
});

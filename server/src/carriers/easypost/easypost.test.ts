import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { customer, customs, rateRequest, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { Quote } from "../seam/quotes.ts";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { easypost } from "./easypost.ts";
import { kindOf, readers } from "./easypost-readers.ts";

const fixture = fixtureIn(import.meta.dirname);
const credentials = { apiKey: "EZTK1234" };

function answering(answer: ScriptedAnswer, settings = {}) {
  return scriptedCall({ settings, credentials, answers: () => answer });
}

const quoting = async (changes = {}, answer: ScriptedAnswer = { status: 200, body: fixture("rates") }) => {
  const { call, requests } = answering(answer);
  return { quotes: await easypost.rate!(call, rateRequest(changes)), requests };
};

describe("rates of an insured parcel", () => {
  const insuring = async (insured: number, user: ScriptedAnswer) => {
    const { call, requests } = scriptedCall({
      credentials,
      answers: ({ path }) => (path === "/v2/users" ? user : { status: 200, body: fixture("rates") }),
    });
    const options = { insuredValue: { amount: insured, currency: "USD" } };
    const rate = async () => await easypost.rate!(call, rateRequest({ options }));
    const [postage] = (await quoting()).quotes as Quote[];
    return { postage: postage!, first: ((await rate()) as Quote[])[0]!, again: rate, requests };
  };
  const terms = { status: 200, body: { insurance_fee_rate: "0.005", insurance_fee_minimum: "0.50" } };
  const inCents = (amount: number): number => Math.round(amount * 100);

  test.each([
    [250, terms, 125],
    [123.45, terms, 62],
    [20, terms, 50],
    [250, { status: 403, body: { error: { code: "MODE.UNAUTHORIZED", message: "Use a production key" } } }, 250],
    [20, { status: 200, body: { insurance_fee_rate: "free" } }, 100],
  ])("of %d USD contain the fee of the account, else the published one", async (insured, user, cents) => {
    const { postage, first } = await insuring(insured, user);
    expect(inCents(first.total)).toBe(inCents(postage.total) + cents);
    expect(first.lines).toMatchObject([
      { code: "PostageFee", amount: postage.total },
      { code: "InsuranceFee", label: "Insurance Fee", amount: cents / 100 },
    ]);
    if (postage.listTotal !== null) expect(inCents(first.listTotal!)).toBe(inCents(postage.listTotal) + cents);
  });

  test("ask for the terms of the account once", async () => {
    const { again, requests } = await insuring(250, terms);
    await again();
    expect(requests.filter(({ path }) => path === "/v2/users")).toHaveLength(1);
  });

  test("are refused where the label would be", async () => {
    const { call, requests } = answering({ status: 200, body: fixture("rates") });
    const options = { insuredValue: { amount: 5, currency: "EUR" } };
    await expect(easypost.rate!(call, rateRequest({ options }))).rejects.toMatchObject({
      code: "option_not_supported",
    });
    expect(requests).toEqual([]);
  });
});

describe("rates", () => {
  test("the request has the addresses, the parcel in ounces and inches, and the key as user name", async () => {
    const { requests } = await quoting({ options: { residential: true } });
    expect(requests).toHaveLength(1);
    const [{ method, url, headers, json }] = requests as [(typeof requests)[0]];
    expect([method, url]).toEqual(["POST", "https://api.easypost.com/beta/rates"]);
    expect(headers.authorization).toBe(`Basic ${Buffer.from("EZTK1234:").toString("base64")}`);
    expect(json).toEqual({
      shipment: {
        from_address: {
          name: "Warehouse East",
          company: "Byron Goods",
          street1: "12 Mill Road",
          city: "Edison",
          state: "NJ",
          zip: "08817",
          country: "US",
          phone: "5550100",
          email: "dock@byron.example",
        },
        to_address: {
          name: "Ada Byron",
          street1: "7 Lake Street",
          street2: "Apt 3",
          city: "Chicago",
          state: "IL",
          zip: "60614",
          country: "US",
          residential: true,
        },
        parcel: { weight: 15.4, length: 10, width: 8, height: 4 },
        options: { label_format: "PDF", label_size: "4x6", label_date: "2026-03-02T12:00:00Z" },
      },
    });
  });

  test("the account's price is the total and the list price stays beside it; of two accounts the cheaper counts", async () => {
    const { quotes } = await quoting();
    expect(quotes).toHaveLength(4);
    expect(quotes[1]).toMatchObject({
      service: "USPS/GroundAdvantage",
      serviceName: "USPS Ground Advantage",
      total: 5.93,
      listTotal: 6.4,
      currency: "USD",
      transitDays: 3,
      isGuaranteed: false,
      carrierData: { accountId: "ca_post" },
    });
    expect(quotes[0]).toMatchObject({ service: "USPS/Express", total: 31.45, listTotal: null });
    expect(quotes[2]).toMatchObject({ total: 18.05, deliverBy: "2026-03-04T23:00:00Z", isGuaranteed: true });
    expect(quotes[3]).toEqual({
      service: "FedEx",
      serviceName: "FedEx",
      reason: "carrier_rejected",
      message: "Recipient postal code is not served.",
    });
  });

  test("only the services that were asked for, each missing one with its reason", async () => {
    const { quotes } = await quoting({ services: ["UPS/2ndDayAir", "FedEx/FEDEX_GROUND", "DHL/Express"] });
    expect(quotes).toMatchObject([
      { service: "UPS/2ndDayAir", serviceName: "UPS 2nd Day Air" },
      { service: "FedEx/FEDEX_GROUND", reason: "not_offered", message: "Recipient postal code is not served." },
      {
        service: "DHL/Express",
        reason: "not_offered",
        message: "EasyPost has no rate for this service and shipment.",
      },
    ]);
  });

  test.each([
    ["5.93", 5.93],
    [5.93, 5.93],
    ["1,234.50", 1234.5],
    ["0.00", 0],
    ["7", 7],
    ["4.565", 4.57],
  ])("a price of %j is %d", async (given, total) => {
    const one = { carrier: "USPS", service: "Priority", rate: given, currency: "usd" };
    const { quotes } = await quoting({}, { status: 200, body: { rates: one } });
    expect(quotes).toMatchObject([{ total, currency: "USD", listTotal: null }]);
  });

  test("a price that is no number costs its service alone", async () => {
    const rates = [
      { carrier: "USPS", service: "Priority", rate: null, currency: "USD" },
      { carrier: "USPS", service: "Express", rate: "9.00", currency: "USD", list_rate: "800", list_currency: "JPY" },
    ];
    const { quotes } = await quoting({}, { status: 200, body: { rates } });
    expect(quotes).toMatchObject([
      { service: "USPS/Express", total: 9, listTotal: null },
      { service: "USPS/Priority", reason: "unreadable_price" },
    ]);
  });

  test("several parcels are priced as an order", async () => {
    const [parcel] = rateRequest().parcels;
    const parcels = [parcel!, { weight: { value: 1, unit: "kg" as const }, packaging: "FlatRateEnvelope" }];
    const { quotes, requests } = await quoting({ parcels }, { status: 201, body: fixture("order-created") });
    expect(requests[0]!.path).toBe("/v2/orders");
    expect(requests[0]!.json).toMatchObject({
      order: {
        shipments: [{ parcel: { weight: 15.4 } }, { parcel: { weight: 35.3, predefined_package: "FlatRateEnvelope" } }],
      },
    });
    expect(quotes).toMatchObject([{ service: "USPS/GroundAdvantage", total: 11.86 }]);
  });
});

describe("ship options", () => {
  const optionsSent = async (changes: object) => {
    const { requests } = await quoting(changes);
    return (requests[0]!.json as { shipment: Record<string, Record<string, unknown>> }).shipment;
  };

  test("signature, Saturday, billing, references, label format and extras", async () => {
    const options = {
      signature: "adult_signature",
      saturdayDelivery: true,
      billTo: { party: "third_party", account: "A1B2C3", countryCode: "US", zip: "10001" },
      references: ["PO 77"],
      label: { format: "zpl", size: "letter" },
      extra: { endorsement: "RETURN_SERVICE_REQUESTED", specialRates: "USPS.MEDIAMAIL" },
    };
    const sent = await optionsSent({ options });
    expect(sent.options).toEqual({
      label_format: "ZPL",
      label_size: "8.5x11",
      label_date: "2026-03-02T12:00:00Z",
      delivery_confirmation: "ADULT_SIGNATURE",
      saturday_delivery: true,
      payment: { type: "THIRD_PARTY", account: "A1B2C3", country: "US", postal_code: "10001" },
      print_custom_1: "PO 77",
      endorsement: "RETURN_SERVICE_REQUESTED",
      special_rates_eligibility: "USPS.MEDIAMAIL",
    });
  });

  test("customs items have the value and weight of all pieces", async () => {
    const sent = await optionsSent({ options: { customs } });
    expect(sent.customs_info).toEqual({
      contents_type: "merchandise",
      customs_certify: true,
      customs_signer: "Warehouse East",
      eel_pfc: "NOEEI 30.37(a)",
      non_delivery_option: "return",
      restriction_type: "none",
      customs_items: [
        {
          description: "Cotton shirt",
          quantity: 3,
          value: 59.97,
          currency: "USD",
          weight: 13.5,
          hs_tariff_number: "610910",
          origin_country: "US",
        },
      ],
    });
    expect(sent.options).toMatchObject({ incoterm: "DAP" });
    expect(sent.tax_identifiers).toEqual([
      { entity: "RECEIVER", tax_id_type: "EORI", tax_id: "GB123456789000", issuing_country: "GB" },
    ]);
  });

  test("a return has the merchant as from_address: EasyPost turns it around", async () => {
    const sent = await optionsSent({ from: customer, to: warehouse, options: { isReturn: true, residential: true } });
    expect(sent).toMatchObject({
      is_return: true,
      from_address: { name: "Warehouse East", residential: true },
      to_address: { name: "Ada Byron" },
    });
    expect(sent.to_address).not.toHaveProperty("residential");
  });

  test.each([
    [{ label: { size: "a6" } }, /label\.size\. Allowed are 4x6 and letter/],
    [{ extra: { drone: true } }, /extra\.drone\. Allowed are endorsement/],
  ])("%j is refused by name", async (options, message) => {
    await expect(quoting({ options })).rejects.toMatchObject({
      code: "option_not_supported",
      message: expect.stringMatching(message),
    });
  });

  test("carrier accounts of the settings limit the rates; the base address may end with the version", async () => {
    const settings = { carrierAccounts: ["ca_post"], baseUrl: "http://127.0.0.1:9/v2/", labelFormat: "png" };
    const { call, requests } = answering({ status: 200, body: fixture("rates") }, settings);
    await easypost.rate!(call, rateRequest());
    expect(requests[0]!.url).toBe("http://127.0.0.1:9/beta/rates");
    expect(requests[0]!.json).toMatchObject({
      shipment: { carrier_accounts: ["ca_post"], options: { label_format: "PNG" } },
    });
    expect(easypost.sendsTo!(settings)).toEqual(["http://127.0.0.1:9"]);
  });
});

describe("failures", () => {
  test.each<[string, ScriptedAnswer, object]>([
    [
      "each field with its rule",
      { status: 422, body: fixture("error-fields") },
      {
        code: "rejected",
        retryable: false,
        message:
          "EasyPost: Unable to create shipment, one or more parameters were invalid (to_address: Required and missing.; " +
          "parcel.weight: must be greater than 0; customs_info is required for military addresses)",
      },
    ],
    [
      "wrong key",
      { status: 401, body: { error: { code: "APIKEY.INACTIVE", message: "This api key is no longer active." } } },
      { code: "unauthorized", message: "EasyPost: This api key is no longer active." },
    ],
    [
      "no funds",
      { status: 402, body: { error: { code: "BILLING.INSUFFICIENT", message: "Insufficient funds." } } },
      { code: "payment_required" },
    ],
    [
      "429 with Retry-After",
      {
        status: 429,
        headers: { "retry-after": "7" },
        body: { error: { code: "RATE_LIMITED", message: "Slow down." } },
      },
      { code: "rate_limited", retryable: true, retryAfterMs: 7000 },
    ],
    ["429 without", { status: 429, body: "" }, { code: "rate_limited", retryable: true, retryAfterMs: undefined }],
    [
      "an HTML page",
      { status: 502, body: "<html>Bad gateway</html>" },
      { code: "remote_error", retryable: true, message: "EasyPost answered 502 without a reason." },
    ],
    [
      "an error that is a text",
      { status: 400, body: { error: "Bad Request" } },
      { code: "rejected", message: "EasyPost: Bad Request" },
    ],
    ["a success that is not JSON", { status: 200, body: "<html></html>" }, { code: "invalid_json" }],
  ])("%s", async (_name, answer, expected) => {
    await expect(quoting({}, answer)).rejects.toMatchObject({ mayHaveHappened: false, ...expected });
  });
});

test("the readers of the script read the fixtures", () => {
  expect(readers.rate!({ status: 200, body: fixture("rates") })).toHaveLength(4);
  expect(readers.error!({ status: 422, body: fixture("error-fields") })).toMatch(/parcel\.weight/);
  expect(kindOf("POST /v2/shipments/shp_1/buy")).toBe("buy");
});

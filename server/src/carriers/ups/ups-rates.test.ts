import { expect, test } from "vitest";
import { asList, asObject } from "../seam/read.ts";
import { rateRequest, upsCall, upsFault, upsFixture } from "./ups-fixtures.ts";
import { ups } from "./ups.ts";

const answer = (): { status: number; body: unknown } => ({ status: 200, body: upsFixture("rates") });

test("one request prices every service with the account's own prices and the day of arrival", async () => {
  const { call, requests, all } = upsCall(answer);
  const quotes = await ups.rate!(call, rateRequest);
  expect(all[0]).toMatchObject({
    url: "https://onlinetools.ups.com/security/v1/oauth/token",
    form: { grant_type: "client_credentials" },
    headers: { authorization: `Basic ${btoa("our-client:our-secret")}`, "x-merchant-id": "A1B2C3" },
  });
  expect(requests().map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST https://onlinetools.ups.com/api/rating/v2409/Shoptimeintransit",
  ]);
  expect(requests()[0]!.headers.authorization).toBe("Bearer token-1");
  expect(requests()[0]!.json).toEqual({
    RateRequest: {
      Request: { SubVersion: "2409" },
      Shipment: {
        Shipper: {
          Name: "Hub Goods",
          AttentionName: "Sam Shipper",
          Address: {
            AddressLine: ["1 Dock Road"],
            City: "Newark",
            StateProvinceCode: "NJ",
            PostalCode: "07102",
            CountryCode: "US",
          },
          ShipperNumber: "A1B2C3",
        },
        ShipFrom: {
          Name: "Hub Goods",
          AttentionName: "Sam Shipper",
          Address: {
            AddressLine: ["1 Dock Road"],
            City: "Newark",
            StateProvinceCode: "NJ",
            PostalCode: "07102",
            CountryCode: "US",
          },
        },
        ShipTo: {
          Name: "Lee Reader",
          AttentionName: "Lee Reader",
          Address: {
            AddressLine: ["12 Main St", "Apt 4"],
            City: "Albany",
            StateProvinceCode: "NY",
            PostalCode: "122071234",
            CountryCode: "US",
          },
        },
        PaymentDetails: { ShipmentCharge: [{ Type: "01", BillShipper: { AccountNumber: "A1B2C3" } }] },
        ShipmentRatingOptions: { NegotiatedRatesIndicator: "" },
        NumOfPieces: "1",
        Package: [
          {
            PackagingType: { Code: "02" },
            Dimensions: { UnitOfMeasurement: { Code: "IN" }, Length: "10", Width: "5", Height: "4" },
            PackageWeight: { UnitOfMeasurement: { Code: "LBS" }, Weight: "2.5" },
          },
        ],
        DeliveryTimeInformation: { PackageBillType: "03", Pickup: { Date: "20260303" } },
      },
    },
  });
  expect(quotes).toMatchObject([
    {
      service: "03",
      serviceName: "UPS Ground",
      level: "ground",
      total: 9.81,
      listTotal: 14.1,
      currency: "USD",
      zone: "5",
      transitDays: 3,
      deliverBy: "2026-03-06",
      isGuaranteed: false,
      lines: [
        { code: "base", label: "Base price", amount: 8.05 },
        { code: "375", label: "Fuel surcharge", amount: 1.41 },
        { code: "434", label: "Surge fee", amount: 0.3 },
        { code: "999", label: "Peak", amount: 0.05 },
      ],
    },
    {
      service: "01",
      serviceName: "UPS Next Day Air",
      total: 1062.4,
      listTotal: null,
      transitDays: 1,
      isGuaranteed: true,
    },
    { service: "12", serviceName: "UPS 3 Day Select", reason: "no_price" },
  ]);
});

test("a single service is priced alone, and a service that UPS leaves out has no quote", async () => {
  const { call, requests } = upsCall(answer);
  expect(await ups.rate!(call, { ...rateRequest, services: ["03"] })).toMatchObject([{ service: "03", total: 9.81 }]);
  expect(requests()[0]!.path).toBe("/api/rating/v2409/Ratetimeintransit");
  expect(requests()[0]!.json).toMatchObject({ RateRequest: { Shipment: { Service: { Code: "03" } } } });
  expect(await ups.rate!(call, { ...rateRequest, services: ["14", "03"] })).toMatchObject([
    { service: "14", serviceName: "UPS Next Day Air Early", reason: "not_serviceable" },
    { service: "03", total: 9.81 },
  ]);
});

test("one rated shipment instead of a list is read, and a price of zero stays zero", async () => {
  const rated = { Service: { Code: "03" }, TotalCharges: { CurrencyCode: "USD", MonetaryValue: "0.00" } };
  const { call } = upsCall(() => ({ status: 200, body: { RateResponse: { RatedShipment: rated } } }));
  expect(await ups.rate!(call, rateRequest)).toMatchObject([{ service: "03", total: 0, listTotal: null }]);
});

test("shipments abroad are quoted with weight, value and metric units where UPS wants them", async () => {
  const { call, requests } = upsCall(answer);
  const from = { ...rateRequest.from, countryCode: "DE", zip: "10115", provinceCode: undefined! };
  const quotes = await ups.rate!(call, {
    ...rateRequest,
    from,
    options: { insuredValue: { amount: 80, currency: "EUR" } },
  });
  const shipment = asObject(asObject(asObject(requests()[0]!.json).RateRequest).Shipment);
  expect(shipment).toMatchObject({
    ShipmentTotalWeight: { UnitOfMeasurement: { Code: "KGS" }, Weight: "1.2" },
    InvoiceLineTotal: { CurrencyCode: "EUR", MonetaryValue: "80" },
  });
  expect(asList(shipment.Package)[0]).toMatchObject({
    Dimensions: { UnitOfMeasurement: { Code: "CM" }, Length: "25.4", Width: "12.7", Height: "10.2" },
    PackageWeight: { UnitOfMeasurement: { Code: "KGS" }, Weight: "1.2" },
    PackageServiceOptions: { DeclaredValue: { CurrencyCode: "EUR", MonetaryValue: "80.00" } },
  });
  // The code 03 is no ground service abroad.
  expect(quotes[0]).toMatchObject({ service: "03", level: null });
});

test("an expired token is replaced once; a second refusal is an answer about the key", async () => {
  let refusals = 1;
  const { call, all } = upsCall(() =>
    refusals-- > 0 ? upsFault("250002", "Invalid Authentication Information.", 401) : answer(),
  );
  expect(await ups.rate!(call, rateRequest)).toHaveLength(3);
  expect(all.filter(({ path }) => path.includes("oauth"))).toHaveLength(2);
  refusals = 5;
  await expect(ups.rate!(call, rateRequest)).rejects.toMatchObject({
    code: "unauthorized",
    message: "UPS: Invalid Authentication Information. (250002)",
    retryable: false,
  });
});

test.each([
  [
    {
      status: 400,
      body: { response: { errors: [{ code: "111285", message: "The postal code 99999 is invalid for NY." }] } },
    },
    { code: "rejected", retryable: false, message: "UPS: The postal code 99999 is invalid for NY. (111285)" },
  ],
  [
    { status: 200, body: { response: { errors: { code: "111100", message: "The service is invalid." } } } },
    { code: "rejected", retryable: false, message: "UPS: The service is invalid. (111100)" },
  ],
  [{ status: 429 }, { code: "rate_limited", retryable: true, retryAfterMs: undefined }],
  [
    { status: 429, headers: { "retry-after": "7" } },
    { code: "rate_limited", retryable: true, retryAfterMs: 7000 },
  ],
  [
    { status: 502, body: "<html>Bad gateway</html>" },
    { code: "remote_error", retryable: true, message: "UPS answered 502 without a reason." },
  ],
  [
    { status: 200, body: "<html>Maintenance</html>" },
    { code: "invalid_json", retryable: true },
  ],
])("a failed quote %j becomes an error that names the reason", async (given, expected) => {
  const { call } = upsCall(() => given);
  await expect(ups.rate!(call, rateRequest)).rejects.toMatchObject(expected);
});

test("the account test names what is wrong: key, account, permission", async () => {
  const works = upsCall(answer);
  expect(await ups.testAccount!(works.call)).toEqual([]);
  const wrongKey = upsCall(answer);
  const refuse = { status: 401, body: { response: { errors: [{ code: "10401", message: "ClientId is Invalid" }] } } };
  wrongKey.call.http.request = async () => ({
    ...refuse,
    headers: {},
    text: JSON.stringify(refuse.body),
    bytes: Buffer.alloc(0),
    json: () => refuse.body,
    retryAfterMs: undefined,
    mayHaveHappened: false,
  });
  expect(await ups.testAccount!(wrongKey.call)).toEqual([
    { part: "key", message: "UPS does not accept the client ID or the client secret: ClientId is Invalid (10401)." },
  ]);
  const wrongAccount = upsCall(() => upsFault("111580", "The Shipper Number is invalid."));
  expect(await ups.testAccount!(wrongAccount.call)).toMatchObject([{ part: "account" }]);
  const noPermission = upsCall(() => upsFault("250009", "Blocked Merchant", 403));
  expect(await ups.testAccount!(noPermission.call)).toMatchObject([{ part: "permission" }]);
  const down = upsCall(() => ({ status: 503 }));
  await expect(ups.testAccount!(down.call)).rejects.toMatchObject({ code: "remote_error" });
});

test("credentials go to the chosen host only", () => {
  const { sendsTo, isTest } = ups;
  expect(sendsTo!({})).toEqual(["https://onlinetools.ups.com"]);
  expect(sendsTo!({ mode: "test" })).toEqual(["https://wwwcie.ups.com"]);
  expect(sendsTo!({ baseUrl: "http://127.0.0.1:4010/api/" })).toEqual(["http://127.0.0.1:4010"]);
  expect(isTest!({ settings: { mode: "test" }, credentials: {} })).toBe(true);
  expect(isTest!({ settings: {}, credentials: {} })).toBe(false);
});

import { expect, test } from "vitest";
import { demoCards } from "../demo/demo-cards.ts";
import { createTariff } from "../rate-card/tariff.ts";
import { asObject } from "../seam/read.ts";
import { uspsCall, uspsFault, uspsFixture, uspsRateRequest } from "./usps-fixtures.ts";
import { usps } from "./usps.ts";

const answer = () => ({ status: 200, body: uspsFixture("rates") });
const byApi = { settings: { quotes: "api" } };

test("quotes come from the rate card by default, without a call to USPS", async () => {
  const { call, all } = uspsCall(answer);
  expect(usps.usesRateCards({})).toBe(true);
  expect(usps.usesRateCards({ quotes: "api" })).toBe(false);
  await expect(usps.rate!(call, uspsRateRequest)).rejects.toMatchObject({ code: "no_rate_card" });
  const tariff = createTariff(demoCards()[1]!.card, () => undefined);
  const quotes = await usps.rate!({ ...call, tariff }, uspsRateRequest);
  expect(quotes.length).toBeGreaterThan(0);
  expect(all).toEqual([]);
});

test("with quotes from the API one request prices all mail classes; flat rates are for packaging of USPS", async () => {
  const { call, requests, all } = uspsCall(answer, byApi);
  const quotes = await usps.rate!(call, { ...uspsRateRequest, options: { signature: "signature" } });
  expect(all[0]).toMatchObject({
    url: "https://apis.usps.com/oauth2/v3/token",
    form: { grant_type: "client_credentials", client_id: "our-client", client_secret: "our-secret" },
  });
  expect(requests()).toHaveLength(1);
  expect(requests()[0]).toMatchObject({ method: "POST", url: "https://apis.usps.com/shipments/v3/options/search" });
  expect(requests()[0]!.json).toEqual({
    originZIPCode: "07102",
    destinationZIPCode: "12207",
    destinationEntryFacilityType: "NONE",
    packageDescription: {
      weight: 2.5,
      length: 10,
      width: 5,
      height: 4,
      mailClass: "ALL",
      mailingDate: "2026-03-03",
      extraServices: [921],
    },
    pricingOptions: [{ priceType: "COMMERCIAL", paymentAccount: { accountType: "EPS", accountNumber: "1000012345" } }],
  });
  expect(quotes).toMatchObject([
    {
      service: "PRIORITY_MAIL",
      serviceName: "Priority Mail",
      level: "three_day",
      total: 12.3,
      currency: "USD",
      zone: "4",
      transitDays: 2,
      deliverBy: "2026-03-05",
      isGuaranteed: false,
      lines: [
        { code: "base", label: "Postage", amount: 11.2 },
        { code: "921", label: "Signature Confirmation", amount: 1.1 },
      ],
      carrierData: { rateIndicator: "SP", processingCategory: "MACHINABLE" },
    },
    { service: "USPS_GROUND_ADVANTAGE", total: 8.4, transitDays: 4 },
  ]);
});

test("packaging of USPS gets its flat rate, and a class that is left out has no quote", async () => {
  const { call, requests } = uspsCall(answer, byApi);
  const parcels = [{ ...uspsRateRequest.parcels[0]!, packaging: "FS" }];
  expect(await usps.rate!(call, { ...uspsRateRequest, parcels, services: ["PRIORITY_MAIL"] })).toMatchObject([
    { service: "PRIORITY_MAIL", total: 10.75, carrierData: { rateIndicator: "FS" } },
  ]);
  expect(asObject(asObject(requests()[0]!.json).packageDescription).mailClass).toBe("PRIORITY_MAIL");
  expect(await usps.rate!(call, { ...uspsRateRequest, services: ["MEDIA_MAIL"] })).toMatchObject([
    { service: "MEDIA_MAIL", serviceName: "Media Mail", reason: "not_serviceable" },
  ]);
});

test.each([
  [
    uspsFault("The weight is too high.", "010003"),
    { code: "rejected", retryable: false, message: "USPS: The weight is too high (010003)" },
  ],
  [
    { status: 429, headers: { "retry-after": "120" } },
    { code: "rate_limited", retryable: true, retryAfterMs: 120_000 },
  ],
  [
    { status: 503, body: "<html></html>" },
    { code: "remote_error", retryable: true, message: "USPS answered 503 without a reason." },
  ],
  [
    { status: 200, body: "<html></html>" },
    { code: "invalid_json", retryable: true },
  ],
])("a failed quote %j becomes an error that names the reason", async (given, expected) => {
  await expect(usps.rate!(uspsCall(() => given, byApi).call, uspsRateRequest)).rejects.toMatchObject(expected);
});

test("the account test names what is wrong: account, permission, key", async () => {
  const { call, all } = uspsCall(answer);
  expect(await usps.testAccount!(call)).toEqual([]);
  expect(all[1]!.json).toEqual({
    roles: [
      {
        roleName: "PAYER",
        CRID: "12345678",
        MID: "123456789",
        manifestMID: "123456789",
        accountType: "EPS",
        accountNumber: "1000012345",
      },
      { roleName: "LABEL_OWNER", CRID: "12345678", MID: "123456789", manifestMID: "123456789" },
    ],
  });
  const failing = (status: number, body: unknown, where: string) => {
    const scripted = uspsCall(answer);
    const { request } = scripted.call.http;
    scripted.call.http.request = async (sent) => {
      const response = await request(sent);
      const failed = { ...response, status, text: JSON.stringify(body), json: () => body };
      return String(sent.url).includes(where) ? failed : response;
    };
    return scripted.call;
  };
  const wrongMid = failing(400, uspsFault("The MID is not linked to the CRID").body, "payment-authorization");
  expect(await usps.testAccount!(wrongMid)).toMatchObject([{ part: "account" }]);
  const noLabels = failing(403, uspsFault("Access is denied.").body, "payment-authorization");
  expect(await usps.testAccount!(noLabels)).toMatchObject([{ part: "permission" }]);
  const wrongKey = failing(
    401,
    { error: "invalid_client", error_description: "Client authentication failed." },
    "oauth2",
  );
  expect(await usps.testAccount!(wrongKey)).toEqual([
    {
      part: "key",
      message:
        "USPS does not accept the client ID or the client secret: Client authentication failed. (invalid_client).",
    },
  ]);
});

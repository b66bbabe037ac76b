import { expect, test } from "vitest";
import { asList, asObject } from "../seam/read.ts";
import { fedexCall, fedexFault, fedexFixture, fedexRateRequest } from "./fedex-fixtures.ts";
import { fedex } from "./fedex.ts";

const answer = (): { status: number; body: unknown } => ({ status: 200, body: fedexFixture("rates") });

test("one request prices every service with the account's own prices", async () => {
  const { call, requests, all } = fedexCall(answer);
  const quotes = await fedex.rate!(call, fedexRateRequest);
  expect(all[0]).toMatchObject({
    url: "https://apis.fedex.com/oauth/token",
    form: { grant_type: "client_credentials", client_id: "our-client", client_secret: "our-secret" },
  });
  expect(requests()).toMatchObject([{ method: "POST", url: "https://apis.fedex.com/rate/v1/rates/quotes" }]);
  expect(requests()[0]!.json).toEqual({
    accountNumber: { value: "123456789" },
    rateRequestControlParameters: { returnTransitTimes: true, servicesNeededOnRateFailure: true },
    requestedShipment: {
      shipper: {
        address: {
          city: "Newark",
          stateOrProvinceCode: "NJ",
          postalCode: "07102",
          countryCode: "US",
          residential: false,
        },
      },
      pickupType: "DROPOFF_AT_FEDEX_LOCATION",
      packagingType: "YOUR_PACKAGING",
      totalPackageCount: 1,
      totalWeight: 2.5,
      recipient: {
        address: {
          city: "Albany",
          stateOrProvinceCode: "NY",
          postalCode: "12207-1234",
          countryCode: "US",
          residential: true,
        },
      },
      rateRequestType: ["ACCOUNT", "LIST"],
      shipDateStamp: "2026-03-03",
      requestedPackageLineItems: [
        {
          groupPackageCount: 1,
          weight: { units: "LB", value: 2.5 },
          dimensions: { length: 10, width: 6, height: 4, units: "IN" },
        },
      ],
    },
  });
  expect(quotes).toMatchObject([
    {
      service: "GROUND_HOME_DELIVERY",
      serviceName: "FedEx Home Delivery®",
      level: "ground",
      total: 11.35,
      listTotal: 19.07,
      currency: "USD",
      zone: "4",
      transitDays: 3,
      deliverBy: "2026-03-06",
      isGuaranteed: false,
      lines: [
        { code: "base", amount: 14.2 },
        { code: "discount", amount: -5.1 },
        { code: "FUEL", label: "Fuel Surcharge", amount: 1.6 },
        { code: "RESIDENTIAL_DELIVERY", amount: 0.65 },
      ],
    },
    {
      service: "PRIORITY_OVERNIGHT",
      serviceName: "FedEx Priority Overnight",
      total: 88.1,
      listTotal: null,
      transitDays: 1,
      isGuaranteed: true,
    },
    {
      service: "FIRST_OVERNIGHT",
      reason: "not_serviceable",
      message: "FedEx: Service is not available for the destination.",
    },
  ]);
});

test("a single service is asked for by its name; services that are left out have no quote", async () => {
  const { call, requests } = fedexCall(answer);
  const quotes = await fedex.rate!(call, { ...fedexRateRequest, services: ["FEDEX_2_DAY"] });
  expect(asObject(asObject(requests()[0]!.json).requestedShipment).serviceType).toBe("FEDEX_2_DAY");
  expect(quotes).toEqual([
    {
      service: "FEDEX_2_DAY",
      serviceName: "FedEx 2Day",
      reason: "not_serviceable",
      message: "FedEx does not offer this service for this shipment.",
    },
  ]);
});

test("Ground Economy, pickup type, packaging and One Rate reach FedEx", async () => {
  const { call, requests } = fedexCall(answer, { settings: { smartPostHubId: "5531", pickupType: "scheduled" } });
  const parcels = [{ weight: { value: 8, unit: "oz" as const }, packaging: "FEDEX_SMALL_BOX" }];
  await fedex.rate!(call, { ...fedexRateRequest, parcels, options: { extra: { oneRate: true } } });
  expect(requests()[0]!.json).toMatchObject({
    requestedShipment: {
      pickupType: "USE_SCHEDULED_PICKUP",
      packagingType: "FEDEX_SMALL_BOX",
      smartPostInfoDetail: { hubId: "5531", indicia: "PRESORTED_STANDARD" },
      shipmentSpecialServices: { specialServiceTypes: ["FEDEX_ONE_RATE"] },
    },
  });
});

test("a missing list of prices is no quote, and a price of zero stays zero", async () => {
  const none = fedexCall(() => ({ status: 200, body: { output: {} } }));
  expect(await fedex.rate!(none.call, fedexRateRequest)).toEqual([]);
  const reply = {
    serviceType: "FEDEX_GROUND",
    ratedShipmentDetails: [{ rateType: "ACCOUNT", totalNetCharge: 0, currency: "USD" }],
  };
  const zero = fedexCall(() => ({ status: 200, body: { output: { rateReplyDetails: reply } } }));
  expect(await fedex.rate!(zero.call, fedexRateRequest)).toMatchObject([{ total: 0 }]);
});

test.each([
  [
    fedexFault("SERVICE.PACKAGECOMBINATION.INVALID", "Invalid service and packaging combination."),
    {
      code: "rejected",
      retryable: false,
      message: "FedEx: Invalid service and packaging combination. (SERVICE.PACKAGECOMBINATION.INVALID)",
    },
  ],
  [
    { status: 200, body: { errors: [{ code: "X", message: "No." }] } },
    { code: "rejected", message: "FedEx: No. (X)" },
  ],
  [fedexFault("FORBIDDEN.ERROR", "Not authorized.", 403), { code: "forbidden", retryable: false }],
  [
    { status: 429, headers: { "retry-after": "3" } },
    { code: "rate_limited", retryable: true, retryAfterMs: 3000 },
  ],
  [
    { status: 503, body: "<html></html>" },
    { code: "remote_error", retryable: true, message: "FedEx answered 503 without a reason." },
  ],
])("a failed quote %j becomes an error that names the reason", async (given, expected) => {
  await expect(fedex.rate!(fedexCall(() => given).call, fedexRateRequest)).rejects.toMatchObject(expected);
});

test("an expired token is replaced once", async () => {
  let refusals = 1;
  const { call, all } = fedexCall(() =>
    refusals-- > 0 ? fedexFault("NOT.AUTHORIZED.ERROR", "Access token expired.", 401) : answer(),
  );
  expect(await fedex.rate!(call, fedexRateRequest)).toHaveLength(3);
  expect(all.filter(({ path }) => path === "/oauth/token")).toHaveLength(2);
});

test("the account test names what is wrong: account, permission, keys for tracking", async () => {
  expect(await fedex.testAccount!(fedexCall(answer).call)).toEqual([]);
  const account = fedexCall(() => fedexFault("ACCOUNT.NUMBER.MISMATCH", "The account number does not match."));
  expect(await fedex.testAccount!(account.call)).toMatchObject([{ part: "account" }]);
  const permission = fedexCall(() => fedexFault("FORBIDDEN.ERROR", "We could not authorize your credentials.", 403));
  expect(await fedex.testAccount!(permission.call)).toMatchObject([{ part: "permission" }]);
  const { call } = fedexCall(answer, { credentials: { trackClientId: "track-client", trackClientSecret: "wrong" } });
  const { request } = call.http;
  call.http.request = async (sent) => {
    const form = asObject(asObject(sent.body).form);
    if (form.client_id !== "track-client") return await request(sent);
    const body = { errors: [{ code: "NOT.AUTHORIZED.ERROR", message: "The given client credentials were not valid" }] };
    return {
      ...(await request({ ...sent, url: "https://apis.fedex.com/oauth/token" })),
      status: 401,
      text: JSON.stringify(body),
      json: () => body,
    };
  };
  expect(await fedex.testAccount!(call)).toEqual([
    {
      part: "key",
      message:
        "Tracking: FedEx does not accept the client ID or the client secret: The given client credentials were not valid (NOT.AUTHORIZED.ERROR).",
    },
  ]);
});

test("several parcels are quoted together, more than 40 are refused", async () => {
  const { call, requests } = fedexCall(answer);
  const [parcel] = fedexRateRequest.parcels;
  await fedex.rate!(call, { ...fedexRateRequest, parcels: [parcel!, parcel!] });
  const shipment = asObject(asObject(requests()[0]!.json).requestedShipment);
  expect(asList(shipment.requestedPackageLineItems).map(({ groupPackageCount }) => groupPackageCount)).toEqual([1, 1]);
  const many = Array.from({ length: 41 }, () => parcel!);
  await expect(fedex.rate!(call, { ...fedexRateRequest, parcels: many })).rejects.toMatchObject({
    code: "option_not_supported",
    message: "FedEx does not support 41 parcels in a shipment. At most 40 are possible.",
  });
});

test("credentials go to the chosen host only", () => {
  expect(fedex.sendsTo!({})).toEqual(["https://apis.fedex.com"]);
  expect(fedex.sendsTo!({ mode: "test" })).toEqual(["https://apis-sandbox.fedex.com"]);
  expect(fedex.isTest!({ settings: { mode: "test" }, credentials: {} })).toBe(true);
});

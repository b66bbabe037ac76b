import { expect, test } from "vitest";
import { upsCall, upsFault, upsFixture } from "./ups-fixtures.ts";
import { upsStatus } from "./ups-tracking.ts";
import { ups } from "./ups.ts";

const shippedAt = "2026-03-02T15:00:00Z";
const parcel = (trackingNumber: string) => ({ trackingNumber, shippedAt });

test("events have GMT times where UPS gives them, else the local time with its place", async () => {
  const { call, requests } = upsCall(() => ({ status: 200, body: upsFixture("tracking") }));
  expect(await ups.track!(call, [parcel("1ZA1B2C30300000001")])).toEqual([
    {
      trackingNumber: "1ZA1B2C30300000001",
      estimatedDelivery: "2026-03-07",
      events: [
        {
          at: "2026-03-07T13:15:00Z",
          status: "out_for_delivery",
          description: "Out For Delivery",
          city: "Albany",
          state: "NY",
          countryCode: "US",
        },
        {
          at: "2026-03-06T23:10:00",
          status: "in_transit",
          description: "Departed from Facility",
          city: "Secaucus",
          state: "NJ",
          countryCode: "US",
        },
        {
          at: "2026-03-02T15:15:00Z",
          status: "pre_transit",
          description: "Shipper created a label",
          countryCode: "US",
        },
      ],
    },
  ]);
  expect(requests()[0]).toMatchObject({ method: "GET", path: "/api/track/v1/details/1ZA1B2C30300000001?locale=en_US" });
  expect(requests()[0]!.headers).toHaveProperty("transid");
});

test("numbers that UPS does not know are left out, the others are returned", async () => {
  const { call } = upsCall(({ path }) => {
    if (path.includes("1ZUNKNOWN")) return upsFault("TW0001", "Tracking Information Not Found", 404);
    if (path.includes("1ZWARNING"))
      return {
        status: 200,
        body: {
          trackResponse: { shipment: { warnings: [{ code: "TW0001", message: "Tracking Information Not Found" }] } },
        },
      };
    return { status: 200, body: upsFixture("tracking") };
  });
  const reports = await ups.track!(call, ["1ZUNKNOWN", "1ZWARNING", "1ZA1B2C30300000001"].map(parcel));
  expect(reports.map(({ trackingNumber }) => trackingNumber)).toEqual(["1ZA1B2C30300000001"]);
});

test("after some answers a failure ends the poll and keeps them; a first failure is thrown", async () => {
  let asked = 0;
  const limited = upsCall(() => (++asked > 6 ? { status: 429 } : { status: 200, body: upsFixture("tracking") }));
  const numbers = Array.from({ length: 20 }, (_, index) => parcel(`1Z${index}`));
  expect(await ups.track!(limited.call, numbers)).toHaveLength(6);
  expect(asked).toBeLessThan(12);
  await expect(ups.track!(upsCall(() => ({ status: 429 })).call, numbers)).rejects.toMatchObject({
    code: "rate_limited",
  });
});

test.each([
  ["D", "FS", "delivered"],
  ["I", "DP", "in_transit"],
  ["I", "OR", "picked_up"],
  ["I", "OT", "out_for_delivery"],
  ["O", "OT", "out_for_delivery"],
  ["P", "PU", "picked_up"],
  ["M", "MP", "pre_transit"],
  ["MV", "VP", "cancelled"],
  ["X", "48", "exception"],
  ["RS", "RS", "returned"],
  ["ZZ", "NEW", "unknown"],
  [undefined, undefined, "unknown"],
])("status type %s with code %s is %s", (type, code, expected) => {
  expect(upsStatus(type, code)).toBe(expected);
});

const body = Buffer.from(JSON.stringify(upsFixture("event")));

test.each([
  ["credential", { credential: "our-webhook-secret" }],
  ["bearer token", { authorization: "Bearer our-webhook-secret" }],
])("a webhook with the right %s reports the event", async (_name, headers) => {
  const { call, all } = upsCall(() => ({ status: 500 }));
  expect(await ups.readWebhook!(call, { headers, body, secret: "our-webhook-secret" })).toEqual({
    trackings: [
      {
        trackingNumber: "1ZA1B2C30300000001",
        estimatedDelivery: "2026-03-07",
        events: [
          {
            at: "2026-03-07T14:50:04Z",
            status: "delivered",
            description: "Delivered",
            city: "ALBANY",
            state: "NY",
            zip: "12207",
            countryCode: "US",
          },
        ],
      },
    ],
    voids: [],
    adjustments: [],
  });
  expect(all).toEqual([]);
});

test.each([
  ["wrong", { credential: "our-webhook-secreT" }, "our-webhook-secret"],
  ["missing", {}, "our-webhook-secret"],
  ["not set up", { credential: "" }, ""],
])("a webhook whose credential is %s is refused", async (_name, headers, secret) => {
  const { call } = upsCall(() => ({ status: 500 }));
  await expect(ups.readWebhook!(call, { headers, body, secret })).rejects.toMatchObject({ code: "unauthorized" });
});

test("a webhook that is not JSON is refused, one without a number reports nothing", async () => {
  const { call } = upsCall(() => ({ status: 500 }));
  const headers = { credential: "s" };
  await expect(ups.readWebhook!(call, { headers, body: Buffer.from("<x>"), secret: "s" })).rejects.toMatchObject({
    code: "invalid_json",
  });
  expect(await ups.readWebhook!(call, { headers, body: Buffer.from("{}"), secret: "s" })).toMatchObject({
    trackings: [],
  });
});

test("the account is subscribed to all of its parcels", async () => {
  const { call, requests } = upsCall(() => ({ status: 200, body: { expiryDate: "9999-12-31" } }));
  const webhook = { url: "https://hub.example.com/webhooks/1", secret: "s" };
  expect(await ups.subscribe!(call, webhook)).toEqual({
    carrierData: { accountNumber: "A1B2C3", expiryDate: "9999-12-31" },
  });
  expect(requests()[0]).toMatchObject({
    path: "/api/track/v2/subscription/standard/account",
    json: { shipperAccountNumber: "A1B2C3", locale: "en_US", countryCode: "US", subAccountType: ["Outbound"] },
  });
});

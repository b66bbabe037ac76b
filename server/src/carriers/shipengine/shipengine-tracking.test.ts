import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { shipengine } from "./shipengine.ts";
import { statusOf } from "./shipengine-tracking.ts";

const fixture = fixtureIn(import.meta.dirname);
const trackingNumber = "9400100000000000000017";
const parcel = { trackingNumber, shippedAt: "2026-03-02T15:00:00Z", carrierData: { carrierCode: "stamps_com" } };

describe("tracking", () => {
  const tracking = async (answers: (request: SentRequest) => ScriptedAnswer, parcels: object[] = [parcel]) => {
    const { call, requests } = scriptedCall({ answers });
    return { reports: await shipengine.track!(call, parcels as (typeof parcel)[]), requests };
  };

  test("events in UTC, local ones without an offset, and the status of the parcel where no event has it", async () => {
    const { reports, requests } = await tracking(() => ({ status: 200, body: fixture("tracking") }));
    expect(requests[0]!.path).toBe(`/v1/tracking?carrier_code=stamps_com&tracking_number=${trackingNumber}`);
    expect(reports).toEqual([
      {
        trackingNumber,
        estimatedDelivery: "2026-03-05T00:00:00Z",
        events: [
          {
            at: "2026-03-05T13:20:00Z",
            status: "out_for_delivery",
            description: "Out for delivery",
            city: "CHICAGO",
            state: "IL",
            zip: "60614",
            countryCode: "US",
          },
          { at: "2026-03-03T02:00:00", status: "in_transit", description: "Arrived at facility", countryCode: "US" },
          {
            at: "2026-03-02T22:10:00Z",
            status: "unknown",
            description: "Accepted",
            city: "EDISON",
            state: "NJ",
            zip: "08817",
            countryCode: "US",
          },
          { at: "2026-03-05T18:00:00Z", status: "delivered", description: "Delivered, front door" },
        ],
      },
    ]);
  });

  test.each([
    ["UN", undefined, "unknown"],
    ["AC", undefined, "pre_transit"],
    ["NY", undefined, "pre_transit"],
    ["IT", "HUB_SCAN_OUT", "in_transit"],
    ["IT", "OUT_FOR_DELIVERY", "out_for_delivery"],
    ["AC", "PICKED_UP", "picked_up"],
    ["DE", "DELIVERED_TO_NEIGHBOUR", "delivered"],
    ["SP", undefined, "ready_for_pickup"],
    ["AT", undefined, "delivery_failed"],
    ["EX", "HELD_BY_CUSTOMS", "on_hold"],
    ["EX", "CARRIER_DELAYS", "delayed"],
    ["EX", "RETURN_TO_SENDER", "returned"],
    ["EX", "CANCELLED", "cancelled"],
    ["EX", "TRACKING_EXPIRED", "expired"],
    ["EX", "PARCEL_LOST", "exception"],
    ["ZZ", "SOMETHING_NEW", "unknown"],
    ["", "constructor", "unknown"],
  ])("%s / %s is %s", (status, detail, expected) => {
    expect(statusOf(status, detail)).toBe(expected);
  });

  test("a number that is not known is left out, and one of no known carrier is not asked for", async () => {
    const parcels = [
      { ...parcel, carrierData: undefined, trackingNumber: "1Z999AA10123456784" },
      { ...parcel, carrierData: undefined, trackingNumber: "?" },
      parcel,
    ];
    const { reports, requests } = await tracking(
      ({ path }) => (path.includes("carrier_code=ups") ? { status: 404 } : { status: 200, body: fixture("tracking") }),
      parcels,
    );
    expect(requests).toHaveLength(2);
    expect(reports.map((report) => report.trackingNumber)).toEqual([trackingNumber]);
  });

  test("a parcel without a status has its events alone", async () => {
    const [first] = fixture("tracking").events as object[];
    const body = fixture("tracking", { status_code: "UN", status_detail_code: null, events: first });
    const { reports } = await tracking(() => ({ status: 200, body }));
    expect(reports[0]!.events).toMatchObject([{ status: "out_for_delivery" }]);
  });

  test("a wrong key is an error for all", async () => {
    await expect(tracking(() => ({ status: 401 }))).rejects.toMatchObject({ code: "unauthorized" });
  });
});

describe("webhooks", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "key-1" };
  const timestamp = "2026-03-02T15:01:00Z";
  const event = { resource_url: "https://api.shipengine.com/x", resource_type: "API_TRACK", data: fixture("tracking") };
  const body = Buffer.from(`${JSON.stringify(event)}\n`);

  const receive = async (changes: Record<string, string | undefined> = {}, sent = body, signedAt = timestamp) => {
    const { call, requests } = scriptedCall({
      credentials: { apiKey: "abc" },
      answers: () => ({ status: 200, body: { keys: [jwk] } }),
    });
    const signature = sign("RSA-SHA256", Buffer.from(`${signedAt}.${body.toString()}`), privateKey).toString("base64");
    const all = {
      "x-shipengine-timestamp": signedAt,
      "x-shipengine-rsa-sha256-key-id": "key-1",
      "x-shipengine-rsa-sha256-signature": signature,
      ...changes,
    };
    const headers = Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    return { news: await shipengine.readWebhook!(call, { headers, body: sent, secret: "" }), requests };
  };

  test("a signed event is a report; the keys are fetched without our key", async () => {
    const { news, requests } = await receive();
    expect(news).toMatchObject({ voids: [], adjustments: [], trackings: [{ trackingNumber }] });
    expect(requests).toMatchObject([{ url: "https://api.shipengine.com/jwks" }]);
    expect(requests[0]!.headers).toEqual({});
  });

  test.each<[string, Record<string, string | undefined>]>([
    ["without a signature", { "x-shipengine-rsa-sha256-signature": undefined }],
    ["with another signature", { "x-shipengine-rsa-sha256-signature": Buffer.alloc(256, 1).toString("base64") }],
    ["without a key ID", { "x-shipengine-rsa-sha256-key-id": undefined }],
    ["of a key that does not exist", { "x-shipengine-rsa-sha256-key-id": "key-2" }],
    ["without a timestamp", { "x-shipengine-timestamp": undefined }],
    ["whose timestamp was changed", { "x-shipengine-timestamp": "2026-03-02T15:02:00Z" }],
  ])("an event %s is refused", async (_name, changes) => {
    await expect(receive(changes)).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("an event whose bytes were changed is refused", async () => {
    await expect(receive({}, Buffer.from(JSON.stringify(event)))).rejects.toMatchObject({ code: "unauthorized" });
  });

  test.each(["2026-03-02T14:00:00Z", "2026-03-02T15:06:00Z", "", "soon"])(
    "an event that was signed at '%s' is refused",
    async (signedAt) => {
      await expect(receive({}, body, signedAt)).rejects.toMatchObject({
        code: "unauthorized",
        message: expect.stringContaining("timestamp"),
      });
    },
  );

  test("a second subscription is the first", async () => {
    const url = "https://hub.example/in/1";
    const subscribing = async (hooks: object[]) => {
      const { call, requests } = scriptedCall({
        answers: ({ method }) => ({ status: 200, body: method === "GET" ? hooks : { webhook_id: "se-h2" } }),
      });
      return { data: await shipengine.subscribe!(call, { url, secret: "s" }), requests };
    };
    const first = await subscribing([{ webhook_id: "se-h1", url, event: "rate" }]);
    expect(first.requests[1]).toMatchObject({
      method: "POST",
      path: "/v1/environment/webhooks",
      json: { url, event: "track" },
    });
    expect(first.data).toEqual({ carrierData: { webhookId: "se-h2" } });
    const second = await subscribing([{ webhook_id: "se-h1", url, event: "track" }]);
    expect(second.requests).toHaveLength(1);
    expect(second.data).toEqual({ carrierData: { webhookId: "se-h1" } });
  });
});

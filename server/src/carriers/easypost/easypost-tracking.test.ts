import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { easypost } from "./easypost.ts";
import { statusOf } from "./easypost-tracking.ts";
import { signatureOf } from "./easypost-webhooks.ts";

const fixture = fixtureIn(import.meta.dirname);
const trackingNumber = "9400100000000000000017";
const parcel = { trackingNumber, shippedAt: "2026-03-02T15:00:00Z" };

async function tracking(answers: (request: SentRequest) => ScriptedAnswer, parcels = [parcel]) {
  const { call, requests } = scriptedCall({ credentials: { apiKey: "EZTK" }, answers });
  return { reports: await easypost.track!(call, parcels), requests };
}

describe("tracking", () => {
  test("reads all parcels with one request; times without a place stay local", async () => {
    const { reports, requests } = await tracking(() => ({ status: 200, body: { trackers: [fixture("tracker")] } }));
    expect(requests).toMatchObject([{ path: "/v2/trackers/batch", json: { tracking_codes: [trackingNumber] } }]);
    expect(reports).toEqual([
      {
        trackingNumber,
        estimatedDelivery: "2026-03-05",
        events: [
          { at: "2026-03-02T15:00:02", status: "pre_transit", description: "Shipping label created" },
          {
            at: "2026-03-02T22:10:00Z",
            status: "picked_up",
            description: "Accepted at facility",
            city: "EDISON",
            state: "NJ",
            zip: "08817",
            countryCode: "US",
          },
          {
            at: "2026-03-04T09:00:00Z",
            status: "delayed",
            description: "Delayed by weather",
            city: "CHICAGO",
            state: "IL",
            countryCode: "US",
          },
          {
            at: "2026-03-05T13:20:00Z",
            status: "out_for_delivery",
            description: "Out for delivery",
            zip: "60614",
            countryCode: "US",
          },
        ],
      },
    ]);
  });

  test.each([
    ["pre_transit", "label_created", "pre_transit"],
    ["in_transit", "arrived_at_facility", "in_transit"],
    ["in_transit", "picked_up", "picked_up"],
    ["in_transit", "held", "on_hold"],
    ["in_transit", "address_correction", "exception"],
    ["out_for_delivery", "out_for_delivery", "out_for_delivery"],
    ["available_for_pickup", null, "ready_for_pickup"],
    ["return_to_sender", "delayed", "returned"],
    ["failure", null, "delivery_failed"],
    ["cancelled", null, "cancelled"],
    ["delivered", "held", "delivered"],
    ["error", null, "exception"],
    ["unknown", "unknown", "unknown"],
    ["teleported", null, "unknown"],
    [undefined, undefined, "unknown"],
    ["constructor", "toString", "unknown"],
  ])("%s / %s is %s", (status, detail, expected) => {
    expect(statusOf(status, detail)).toBe(expected);
  });

  test("a number without a tracker gets one; a number that EasyPost refuses is left out", async () => {
    const other = { ...parcel, trackingNumber: "1Z999", carrierData: { carrier: "UPS" } };
    const { reports, requests } = await tracking(
      ({ path, json }) => {
        if (path.endsWith("/batch")) return { status: 200, body: { trackers: [] } };
        const { tracker } = json as { tracker: { tracking_code: string } };
        return tracker.tracking_code === "1Z999"
          ? { status: 200, body: fixture("tracker", { tracking_code: "1Z999" }) }
          : { status: 422, body: { error: { code: "TRACKER.CREATE.ERROR", message: "No such number." } } };
      },
      [parcel, other],
    );
    expect(requests[2]!.json).toEqual({ tracker: { tracking_code: "1Z999", carrier: "UPS" } });
    expect(reports.map((report) => report.trackingNumber)).toEqual(["1Z999"]);
  });

  test("a wrong key is an error for all", async () => {
    await expect(tracking(() => ({ status: 401 }))).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("of a number that was used before, the newer tracker counts, without events of the older parcel", async () => {
    const old = fixture("tracker", { created_at: "2025-01-01T00:00:00Z", tracking_details: [] });
    const details = [{ status: "delivered", datetime: "2025-10-01T10:00:00Z", tracking_location: null }];
    const { tracking_details } = fixture("tracker");
    const recent = fixture("tracker", { tracking_details: [...details, ...(tracking_details as object[])] });
    const { reports } = await tracking(() => ({ status: 200, body: { trackers: [recent, old] } }));
    expect(reports[0]!.events).toHaveLength(4);
  });

  test("a status without scans is an event at the time of the update", async () => {
    const tracker = fixture("tracker", { tracking_details: [], status: "delivered", status_detail: null });
    const { reports } = await tracking(() => ({ status: 200, body: { trackers: tracker } }));
    expect(reports[0]!.events).toMatchObject([{ at: "2026-03-05T13:20:00Z", status: "delivered" }]);
  });
});

describe("webhooks", () => {
  const secret = "sécret";
  const receive = async (
    event: object,
    signature?: string,
    answers: () => ScriptedAnswer = () => ({ status: 500 }),
  ) => {
    const body = Buffer.from(JSON.stringify(event).replace('"weight":15.4', '"weight":15.0'));
    const { call } = scriptedCall({ answers });
    const headers = { "x-hmac-signature": signature ?? signatureOf(body, secret) };
    return await easypost.readWebhook!(call, { headers, body, secret });
  };
  const updated = { description: "tracker.updated", result: fixture("tracker") };

  test("the signature is that of the bytes, with the secret in NFKD", () => {
    const body = Buffer.from('{"weight":14.0}');
    // As `openssl dgst -sha256 -hmac` computes it with the decomposed secret.
    const expected = "hmac-sha256-hex=a016eb20c832d9bbcfcc9f932a4908cd0811b226fac36b18fcb3e918ab28b6c9";
    expect(signatureOf(body, secret)).toBe(expected);
    expect(signatureOf(body, "se\u0301cret")).toBe(expected);
    expect(signatureOf(Buffer.from('{"weight":14}'), secret)).not.toBe(expected);
  });

  test("a tracker becomes a report", async () => {
    const news = await receive(updated);
    expect(news).toMatchObject({ voids: [], adjustments: [], trackings: [{ trackingNumber }] });
    expect(news.trackings[0]!.events).toHaveLength(4);
  });

  test.each([
    ["wrong", `hmac-sha256-hex=${"0".repeat(64)}`],
    ["missing", ""],
    ["of another length", "hmac-sha256-hex=00"],
  ])("a signature that is %s is refused", async (_name, signature) => {
    await expect(receive(updated, signature)).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("a refund is found by number or by shipment", async () => {
    const refund = { object: "Refund", status: "refunded", tracking_code: trackingNumber, shipment_id: "shp_7d1" };
    expect(await receive({ description: "refund.successful", result: refund })).toMatchObject({
      voids: [{ trackingNumber, answer: { state: "voided" } }],
    });
    const shipment = { object: "Shipment", id: "shp_7d1", refund_status: "refunded" };
    const answers = () => ({ status: 200, body: fixture("shipment-bought") });
    expect(await receive({ description: "refund.successful", result: shipment }, undefined, answers)).toMatchObject({
      voids: [{ trackingNumber, answer: { state: "voided" } }],
    });
  });

  test("an invoice is an adjustment of the price", async () => {
    const result = {
      id: "si_1",
      object: "ShipmentInvoice",
      shipment_id: "shp_7d1",
      adjustment_amount: "-1.25",
      adjustment_reason: "reweigh",
      claimed_details: { billed_weight_oz: "32" },
    };
    const answers = () => ({ status: 200, body: fixture("shipment-bought") });
    const news = await receive({ description: "shipment.invoice.created", result }, undefined, answers);
    expect(news.adjustments).toEqual([
      {
        id: "si_1",
        trackingNumber,
        charge: { cents: -125, currency: "USD" },
        reason: "reweigh",
        weight: { value: 32, unit: "oz" },
      },
    ]);
  });

  test("other events have no news", async () => {
    const none = { trackings: [], voids: [], adjustments: [] };
    expect(await receive({ description: "batch.updated", result: {} })).toEqual(none);
    expect(await receive({ description: "tracker.updated" })).toEqual(none);
  });

  test("a second subscription changes the first", async () => {
    const url = "https://hub.example/in/1";
    const subscribing = async (webhooks: object[]) => {
      const { call, requests } = scriptedCall({
        answers: ({ method }) => ({ status: 200, body: method === "GET" ? { webhooks } : { id: "hook_new" } }),
      });
      return { data: await easypost.subscribe!(call, { url, secret: "s" }), requests };
    };
    const first = await subscribing([{ id: "hook_x", url: "https://other.example" }]);
    expect(first.requests[1]).toMatchObject({ method: "POST", json: { webhook: { url, webhook_secret: "s" } } });
    expect(first.data).toEqual({ carrierData: { webhookId: "hook_new" } });
    const second = await subscribing([{ id: "hook_1", url }]);
    expect(second.requests[1]).toMatchObject({
      method: "PATCH",
      path: "/v2/webhooks/hook_1",
      json: { webhook_secret: "s" },
    });
    expect(second.data).toEqual({ carrierData: { webhookId: "hook_1" } });
  });
});

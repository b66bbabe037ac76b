import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { karrio } from "./karrio.ts";
import { statusOf } from "./karrio-tracking.ts";

const fixture = fixtureIn(import.meta.dirname);
const settings = { baseUrl: "https://karrio.example" };
const trackingNumber = "1Z0000000000000001";
const carrierData = { shipmentId: "shp_7d1", carrierName: "ups" };

describe("tracking", () => {
  const tracking = async (answers: (request: SentRequest) => ScriptedAnswer, more: object = {}) => {
    const { call, requests } = scriptedCall({ settings, answers });
    const parcel = { trackingNumber, shippedAt: "2026-03-02T15:00:00Z", ...more };
    return { reports: await karrio.track!(call, [parcel]), requests };
  };

  test("events in local time, with the place, and the status of the parcel where no event has it", async () => {
    const { reports, requests } = await tracking(() => ({ status: 200, body: fixture("tracker") }));
    expect(requests.map(({ path }) => path)).toEqual([`/v1/trackers/${trackingNumber}`]);
    expect(reports).toEqual([
      {
        trackingNumber,
        estimatedDelivery: "2026-03-05",
        events: [
          {
            at: "2026-03-05T07:20:00",
            status: "out_for_delivery",
            description: "Out for delivery",
            city: "CHICAGO",
            state: "IL",
            countryCode: "US",
          },
          { at: "2026-03-03T21:05:00", status: "in_transit", description: "Arrived", city: "HODGKINS" },
          { at: "2026-03-02T12:15:00", status: "unknown", description: "Origin scan" },
          { at: "2026-03-05T07:20:00", status: "delivered", description: "delivered" },
        ],
      },
    ]);
  });

  test.each([
    ["pending", "pre_transit"],
    ["picked_up", "picked_up"],
    ["in_transit", "in_transit"],
    ["out_for_delivery", "out_for_delivery"],
    ["ready_for_pickup", "ready_for_pickup"],
    ["delivered", "delivered"],
    ["delivery_failed", "delivery_failed"],
    ["delivery_delayed", "delayed"],
    ["on_hold", "on_hold"],
    ["incident", "exception"],
    ["return_to_sender", "returned"],
    ["cancelled", "cancelled"],
    ["unknown", "unknown"],
    ["teleported", "unknown"],
    [null, "unknown"],
  ])("%s is %s", (status, expected) => {
    expect(statusOf(status)).toBe(expected);
  });

  test.each([
    ["12:05 AM", "00:05:00"],
    ["12:05 PM", "12:05:00"],
    ["7:20 pm", "19:20:00"],
    ["19:20:33", "19:20:00"],
    [undefined, "00:00:00"],
  ])("the time %s is %s", async (time, expected) => {
    const body = { tracking_number: trackingNumber, events: { date: "2026-03-04", time, status: "in_transit" } };
    const { reports } = await tracking(() => ({ status: 200, body }));
    expect(reports[0]!.events[0]!.at).toBe(`2026-03-04T${expected}`);
  });

  test("a tracker is created for a number without one, if its carrier is known", async () => {
    const answers = ({ method }: SentRequest) =>
      method === "GET" ? { status: 404 } : { status: 200, body: fixture("tracker") };
    const { reports, requests } = await tracking(answers, { carrierData });
    expect(requests[1]).toMatchObject({
      path: "/v1/trackers",
      json: { tracking_number: trackingNumber, carrier_name: "ups" },
    });
    expect(reports).toHaveLength(1);
    expect((await tracking(answers)).reports).toEqual([]);
    expect(
      (await tracking(({ method }) => ({ status: method === "GET" ? 404 : 424 }), { carrierData })).reports,
    ).toEqual([]);
  });

  test("a wrong token is an error for all", async () => {
    await expect(tracking(() => ({ status: 401 }))).rejects.toMatchObject({ code: "unauthorized" });
  });
});

describe("webhooks", () => {
  const body = Buffer.from(JSON.stringify({ event: "tracker_updated", data: fixture("tracker") }));
  const receive = async (secret: string | undefined, sent = body) => {
    const { call, requests } = scriptedCall({ settings, answers: () => ({ status: 500 }) });
    const headers: Record<string, string> = secret === undefined ? {} : { "x-event-id": secret };
    return { news: await karrio.readWebhook!(call, { headers, body: sent, secret: "s-1" }), requests };
  };

  test("an event with the secret of karrio is a report, without a request to karrio", async () => {
    const { news, requests } = await receive("s-1");
    expect(requests).toEqual([]);
    expect(news).toMatchObject({ trackings: [{ trackingNumber }], voids: [], adjustments: [] });
  });

  test.each(["s-3", "", undefined])("the secret %s is refused", async (secret) => {
    await expect(receive(secret)).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("other events have no news", async () => {
    const { news } = await receive("s-1", Buffer.from(JSON.stringify({ event: "shipment_purchased", data: {} })));
    expect(news.trackings).toEqual([]);
  });

  test("a second subscription is the first, enabled again", async () => {
    const url = "https://hub.example/in/1";
    const subscribing = async (results: object[]) => {
      const { call, requests } = scriptedCall({
        settings,
        answers: ({ method }) => ({
          status: 200,
          body: method === "GET" ? { results } : { id: "whk_2", secret: "s-2" },
        }),
      });
      return { data: await karrio.subscribe!(call, { url, secret: "s" }), requests };
    };
    const first = await subscribing([]);
    expect(first.requests[1]!.json).toEqual({ url, enabled_events: ["tracker_created", "tracker_updated"] });
    expect(first.data).toEqual({ carrierData: { webhookId: "whk_2" }, secret: "s-2" });
    const second = await subscribing([{ id: "whk_1", url, disabled: true, secret: "s-1" }]);
    expect(second.data).toEqual({ carrierData: { webhookId: "whk_1" }, secret: "s-1" });
    expect(second.requests[1]).toMatchObject({
      method: "PATCH",
      path: "/v1/webhooks/whk_1",
      json: { disabled: false },
    });
    expect((await subscribing([{ id: "whk_1", url, disabled: false }])).requests).toHaveLength(1);
  });
});

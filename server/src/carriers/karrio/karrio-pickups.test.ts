import { describe, expect, test } from "vitest";
import { shortKey } from "../seam/keys.ts";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { files, pickupRequest, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { karrio } from "./karrio.ts";

const fixture = fixtureIn(import.meta.dirname);
const settings = { baseUrl: "https://karrio.example" };
const trackingNumber = "1Z0000000000000001";
const carrierData = { shipmentId: "shp_7d1", carrierName: "ups" };

describe("pickups and manifests", () => {
  const weight = { value: 1, unit: "lb" as const };
  const parcels = [{ trackingNumber, service: "ups_ground", countryCode: "US", weight, carrierData }];
  const key = shortKey("pickup:1", 40);
  const calling = (answers: (request: SentRequest) => ScriptedAnswer, attempt = 1) => {
    const noted = attempt === 1 ? null : { sentAt: "2026-03-02T14:58:00.000Z" };
    return scriptedCall({ settings, effectKey: "pickup:1", attempt, noted, credentials: { token: "t" }, answers });
  };

  test("a pickup is booked with the labels, in local time", async () => {
    const { call, requests, notes } = calling(() => ({ status: 201, body: fixture("pickup") }));
    expect(await karrio.schedulePickup!(call, pickupRequest({ parcels }))).toEqual({
      confirmationNumber: "2929602E9CP",
      charge: { cents: 650, currency: "USD" },
      messages: [],
      carrierData: { pickupId: "pck_1" },
    });
    expect(requests[0]).toMatchObject({
      path: "/v1/pickups",
      json: {
        carrier_code: "ups",
        pickup_date: "2026-03-03",
        ready_time: "10:00",
        closing_time: "16:00",
        parcels_count: 1,
        instruction: "Dock 2",
        tracking_numbers: [trackingNumber],
        metadata: { hub_key: key },
        address: { city: "Edison" },
      },
    });
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }]);
  });

  test("older versions have the carrier in the path", async () => {
    const { call, requests } = calling(({ path }) =>
      path === "/v1/pickups" ? { status: 405 } : { status: 201, body: fixture("pickup") },
    );
    await karrio.schedulePickup!(call, pickupRequest({ parcels }));
    expect(requests[1]!.path).toBe("/v1/pickups/ups/schedule");
  });

  test("a repeat finds the pickup by our key, and books where there is none", async () => {
    const repeat = async (metadata: object) => {
      const results = [fixture("pickup", { metadata })];
      const { call, requests } = calling(
        ({ method }) => ({ status: 200, body: method === "GET" ? { results } : fixture("pickup") }),
        2,
      );
      await karrio.schedulePickup!(call, pickupRequest({ parcels }));
      return requests.map(({ method, path }) => `${method} ${path}`);
    };
    const look = "GET /v1/pickups?created_after=2026-03-02T14%3A58%3A00.000Z";
    expect(await repeat({ hub_key: key })).toEqual([look]);
    expect(await repeat({ hub_key: "other" })).toEqual([look, "POST /v1/pickups"]);
  });

  test("labels are needed, of one carrier", async () => {
    const { call } = calling(() => ({ status: 500 }));
    const other = { ...parcels[0]!, carrierData: { carrierName: "usps" } };
    await expect(karrio.schedulePickup!(call, pickupRequest())).rejects.toMatchObject({ code: "labels_required" });
    await expect(karrio.schedulePickup!(call, pickupRequest({ parcels: [...parcels, other] }))).rejects.toMatchObject({
      code: "one_carrier_required",
    });
  });

  const booked = { confirmationNumber: "C1", readyTime: "", closeTime: "", carrierData: { pickupId: "pck_1" } };

  test("a second cancellation succeeds, one that is refused does not", async () => {
    const cancelling = async (status: string) => {
      const { call } = calling(({ method }) =>
        method === "GET" ? { status: 200, body: { status } } : { status: 409 },
      );
      await karrio.cancelPickup!(call, booked);
    };
    await expect(cancelling("cancelled")).resolves.toBeUndefined();
    await expect(cancelling("picked_up")).rejects.toMatchObject({ code: "conflict" });
  });

  test.each([
    ["scheduled", { status: "scheduled" }],
    ["picked_up", { status: "completed" }],
    ["closed", { status: "completed" }],
    ["cancelled", { status: "cancelled" }],
    ["lost", undefined],
  ])("the state %s", async (status, expected) => {
    const { call } = calling(() => ({ status: 200, body: { status } }));
    expect(await karrio.findPickup!(call, booked)).toEqual(expected);
  });

  test("a manifest is made of the labels and found by a repeat", async () => {
    const request = { from: warehouse, shipDate: "2026-03-02", parcels };
    const making = async (attempt: number, results: object[]) => {
      const { call, requests } = calling(({ method, path }) => {
        if (path.endsWith(".pdf")) return { status: 200, body: files.pdf };
        return { status: 200, body: method === "GET" ? { results } : fixture("manifest") };
      }, attempt);
      return { manifest: await karrio.createManifest!(call, request), requests };
    };
    const { manifest, requests } = await making(1, []);
    expect(requests[0]!.json).toMatchObject({ carrier_name: "ups", shipment_ids: ["shp_7d1"], reference: key });
    expect(manifest).toMatchObject({
      number: "9475711899564878915476",
      file: { contentType: "application/pdf" },
      carrierData: { manifestId: "manf_1" },
    });
    const again = await making(2, [fixture("manifest", { reference: key })]);
    expect(again.requests.some(({ method }) => method === "POST")).toBe(false);
  });
});

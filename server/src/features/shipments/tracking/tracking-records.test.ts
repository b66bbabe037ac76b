import { describe, expect, test } from "vitest";
import { change, systemContext } from "../../../context.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { TrackingRecord } from "../shipments.ts";
import { applyTrackingRecords } from "../shipments.ts";

const hub = await startTestHub();
const org = await hub.org();
const ctx = systemContext(hub.world, org.id, "tracking test");
const apply = (records: TrackingRecord[]) => change(ctx, (tx) => applyTrackingRecords(tx, ctx, records));
const destination = { zip: "60601", countryCode: "US" };

describe("what a carrier says when it is asked", () => {
  test("is applied to all parcels at once; what cannot be read is left out and reported", async () => {
    for (const trackingNumber of ["R1", "R2"])
      await org.post("/shipments", { trackingNumber, carrier: "ups", destination });
    const records: TrackingRecord[] = [
      {
        carrier: "UPS",
        trackingNumber: "r1",
        events: [
          { at: "2026-03-03T10:00:00Z", status: "OutForDelivery" },
          { at: "2026-03-01T10:00:00Z", status: "PICKED_UP", location: "Newark" },
          { at: "soon", status: "delivered" },
        ],
        promisedAt: "2026-03-04T03:00:00Z",
      },
      { trackingNumber: "R2", events: [{ at: "2026-03-02T00:00:00Z", status: "abducted\0" }] },
      { trackingNumber: "R3", events: [] },
    ];
    expect(await apply(records)).toEqual({
      records: 3,
      matched: 2,
      unmatched: ["R3"],
      added: 3,
      corrected: 0,
      duplicates: 0,
      invalid: [{ index: 0, message: "An event has no readable time." }],
    });
    expect(await apply(records)).toMatchObject({ added: 0, duplicates: 3 });
    const [one] = (await org.get("/shipments?trackingNumber=R1")).body.data;
    // The carrier's first word is the promise: 03:00 UTC is still the evening before in Chicago.
    expect(one).toMatchObject({ status: "out_for_delivery", promisedDate: "2026-03-03", promiseSource: "carrier" });
    const [two] = (await org.get("/shipments?trackingNumber=R2")).body.data;
    expect((await org.get(`/shipments/${two.id}`)).body).toMatchObject({
      status: "unknown",
      events: [{ status: "unknown", carrierStatus: "abducted" }],
    });
  });

  test("is not believed about the future: a delivery years ahead leaves the parcel open", async () => {
    await org.post("/shipments", { trackingNumber: "R9", destination });
    const events = [
      { at: "2026-03-01T10:00:00Z", status: "picked_up" },
      { at: "2199-03-01T10:00:00Z", status: "delivered" },
    ];
    const { added, invalid } = await apply([{ trackingNumber: "R9", events }]);
    expect({ added, invalid }).toEqual({
      added: 1,
      invalid: [{ index: 0, message: "An event is in the future." }],
    });
    expect((await org.get("/shipments?trackingNumber=R9")).body.data).toMatchObject([{ status: "in_transit" }]);
  });

  test("is reported as too much when a parcel has no room for it, not as known", async () => {
    await org.post("/shipments", { trackingNumber: "R10", destination });
    const first = Date.parse("2026-03-01T00:00:00Z");
    const scan = (minute: number) => ({ at: new Date(first + minute * 60_000).toISOString(), status: "in_transit" });
    const events = Array.from({ length: 501 }, (_, index) => scan(index));
    const { added, duplicates, invalid } = await apply([{ trackingNumber: "R10", events }]);
    expect({ added, duplicates, invalid }).toEqual({
      added: 0,
      duplicates: 0,
      invalid: [{ index: 0, message: "A shipment has at most 500 events." }],
    });
  });

  test("a later estimate leaves the promise as it is and says that it will be missed", async () => {
    await org.post("/shipments", { trackingNumber: "R4", destination, promisedDate: "2199-03-05" });
    await apply([{ trackingNumber: "R4", events: [], promisedAt: "2199-03-07T12:00:00Z" }]);
    const [four] = (await org.get("/shipments?riskReason=predicted_late")).body.data;
    expect(four).toMatchObject({
      trackingNumber: "R4",
      promisedDate: "2199-03-05",
      promiseSource: "request",
      estimatedAt: "2199-03-07T12:00:00.000Z",
      riskReasons: ["predicted_late"],
    });
  });

  test("without any word a parcel is promised by its service, until the carrier says something", async () => {
    // Accepted on the Friday evening before Memorial Day: two business days on is Wednesday.
    const accepted = [{ at: "2026-05-23T01:30:00Z", status: "picked_up" }];
    const { body } = await org.post("/shipments", { trackingNumber: "R5", destination, service: "UPS 2nd Day Air" });
    expect(body).toMatchObject({ promisedDate: null, promiseSource: null });
    await apply([{ trackingNumber: "R5", events: accepted }]);
    const read = async () => (await org.get(`/shipments/${body.id}`)).body;
    expect(await read()).toMatchObject({
      promisedAt: null,
      promisedDate: "2026-05-27",
      promiseSource: "service_level",
    });
    await org.patch(`/shipments/${body.id}`, { service: "Ground" });
    expect(await read()).toMatchObject({ promisedDate: "2026-06-01", promiseSource: "service_level" });
    await apply([{ trackingNumber: "R5", events: [], promisedAt: "2026-05-29T17:00:00Z" }]);
    expect(await read()).toMatchObject({ promisedDate: "2026-05-29", promiseSource: "carrier" });
    await apply([{ trackingNumber: "R5", events: [], promisedAt: "2026-05-30T17:00:00Z" }]);
    expect(await read()).toMatchObject({ promisedDate: "2026-05-29", riskReasons: expect.arrayContaining(["late"]) });
  });

  test.each([
    ["an unknown service", { service: "Carrier pigeon" }],
    ["no service", {}],
    ["a parcel that goes abroad", { service: "Ground", destination: { countryCode: "CA", zip: "M5V 2T6" } }],
    ["one that comes from abroad", { service: "Ground", origin: { countryCode: "MX" } }],
  ])("nothing is promised by %s", async (_, more) => {
    const events = [{ at: "2026-05-22T12:00:00Z", status: "picked_up" }];
    const { body } = await org.post("/shipments", { destination, events, ...more });
    expect(body).toMatchObject({ status: "in_transit", promisedDate: null, promiseSource: null });
  });
});

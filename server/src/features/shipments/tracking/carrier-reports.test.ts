import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { TrackingEvent, TrackingReport } from "../../../carriers/seam/tracking.ts";
import { systemContext } from "../../../context.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { applyCarrierReports } from "./carrier-reports.ts";

const hub = await startTestHub();
const org = await hub.org();
const ctx = systemContext(hub.world, org.id, "test");
const shipmentOf = async (id: string) => (await org.get(`/shipments/${id}`)).body;
const apply = async (report: TrackingReport, isPull = false) =>
  await hub.world.db.transaction((tx) => applyCarrierReports(tx, ctx, "ups", [report], { isPull }));

async function shipped(more: object = {}) {
  const trackingNumber = `1Z${randomUUID().replaceAll("-", "").slice(0, 16).toUpperCase()}`;
  const { status, body, text } = await org.post("/shipments", { trackingNumber, carrier: "ups", ...more });
  expect(status, text).toBe(201);
  return { id: body.id as string, trackingNumber };
}

describe("a time without an offset", () => {
  beforeEach(() => hub.world.clock.set({ mode: "frozen", at: "2026-11-10T12:00:00Z" }));
  afterAll(() => hub.world.clock.set({ mode: "real" }));
  const shippedAt = "2026-01-01T00:00:00Z";
  const albany = { address1: "12 Way", city: "Albany", provinceCode: "NY", zip: "12207", countryCode: "US" };

  async function readAt(event: Partial<TrackingEvent> & { at: string }, destination: object | null = albany) {
    const { id, trackingNumber } = await shipped({ shippedAt, ...(destination && { destination }) });
    await apply({ trackingNumber, events: [{ status: "in_transit", description: "Scan", ...event }] });
    return (await shipmentOf(id)).events[0].at;
  }

  test.each([
    ["the ZIP of a state with two zones", { city: "Pensacola", state: "FL", zip: "32501" }, "15:00"],
    ["the state", { city: "Miami", state: "FL" }, "14:00"],
    ["the ZIP before the state", { state: "NY", zip: "90210" }, "17:00"],
    ["a state that keeps its clocks", { state: "AZ", countryCode: "US" }, "17:00"],
    ["a province of Canada", { city: "Vancouver", state: "BC", countryCode: "CA" }, "17:00"],
    ["a postal code of Canada", { zip: "B3J 1A1", countryCode: "CA" }, "13:00"],
    ["the country alone", { city: "Berlin", countryCode: "DE" }, "08:00"],
    ["the destination, for a place without a known zone", { city: "Somewhere" }, "14:00"],
    ["the destination, for a country with many zones", { city: "Moscow", countryCode: "RU" }, "14:00"],
  ])("is read at the place of the event: %s", async (_name, place, expected) => {
    expect(await readAt({ at: "2026-07-01T10:00:00", ...place })).toBe(`2026-07-01T${expected}:00.000Z`);
  });

  test("of a shipment without a destination is read in the organization's zone", async () => {
    const { status } = await org.patch(`/organizations/${org.id}`, { timezone: "America/Denver" });
    expect(status).toBe(200);
    expect(await readAt({ at: "2026-07-01T10:00:00" }, null)).toBe("2026-07-01T16:00:00.000Z");
  });

  test.each([
    // 2:30 does not exist on 8 March in New York: the clock goes from 2:00 to 3:00.
    ["in the gap of spring is an hour later", "2026-03-08T02:30:00", "2026-03-08T07:30:00.000Z"],
    ["after the gap", "2026-03-08T03:30:00", "2026-03-08T07:30:00.000Z"],
    ["before the gap", "2026-03-08T01:30:00", "2026-03-08T06:30:00.000Z"],
    // 1:30 happens twice on 1 November.
    ["that happens twice in autumn is the first one", "2026-11-01T01:30:00", "2026-11-01T05:30:00.000Z"],
    ["after both", "2026-11-01T02:30:00", "2026-11-01T07:30:00.000Z"],
  ])("%s", async (_name, at, expected) => {
    expect(await readAt({ at, state: "NY", zip: "12207" })).toBe(expected);
  });

  test("with an offset is that instant, wherever it happened", async () => {
    expect(await readAt({ at: "2026-07-01T10:00:00-05:00", state: "CA" })).toBe("2026-07-01T15:00:00.000Z");
  });

  test("of a delivery estimate is one at the destination, and a day lasts until its end there", async () => {
    const { id, trackingNumber } = await shipped({ shippedAt, destination: albany });
    await apply({ trackingNumber, estimatedDelivery: "2026-11-12", events: [] });
    expect(await shipmentOf(id)).toMatchObject({
      estimatedAt: "2026-11-13T04:59:59.000Z",
      promisedDate: "2026-11-12",
      promiseSource: "carrier",
    });
    await apply({ trackingNumber, estimatedDelivery: "2026-11-13T17:00:00", events: [] });
    expect(await shipmentOf(id)).toMatchObject({ estimatedAt: "2026-11-13T22:00:00.000Z", promisedDate: "2026-11-12" });
  });
});

describe("a report of a carrier", () => {
  const event = (at: string, status: string, description = status): TrackingEvent => ({
    at,
    status: status as TrackingEvent["status"],
    description,
  });
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

  test("with a status that is not known keeps the earlier state", async () => {
    const { id, trackingNumber } = await shipped();
    const statusAfter = async (...events: TrackingEvent[]) => {
      await apply({ trackingNumber, events });
      return (await shipmentOf(id)).status;
    };
    expect(await statusAfter(event(hoursAgo(9), "pre_transit"), event(hoursAgo(8), "quantum_leap"))).toBe(
      "pre_transit",
    );
    expect(await statusAfter(event(hoursAgo(7), "in_transit"), event(hoursAgo(6), "unknown"))).toBe("in_transit");
    expect(await statusAfter(event(hoursAgo(5), "delivered"), event(hoursAgo(4), "beamed"))).toBe("delivered");
    const { events } = await shipmentOf(id);
    expect(events.at(-1)).toMatchObject({ status: "unknown", carrierStatus: "beamed" });
  });

  test("of a delivery is not undone by a scan that is older or arrives later, but by a return", async () => {
    const { id, trackingNumber } = await shipped();
    await apply({ trackingNumber, events: [event(hoursAgo(3), "delivered")] });
    await apply({ trackingNumber, events: [event(hoursAgo(5), "in_transit")] });
    await apply({ trackingNumber, events: [event(hoursAgo(2), "in_transit")] });
    expect(await shipmentOf(id)).toMatchObject({ status: "delivered", acceptedAt: hoursAgoAbout(5) });
    await apply({ trackingNumber, events: [event(hoursAgo(1), "returned")] });
    expect((await shipmentOf(id)).status).toBe("returned");
  });

  const hoursAgoAbout = (hours: number) => expect.stringMatching(new RegExp(`^${hoursAgo(hours).slice(0, 13)}`));

  test("leaves out events of an earlier parcel with the same number", async () => {
    const { id, trackingNumber } = await shipped();
    const old = [event(hoursAgo(24 * 150), "delivered"), event(hoursAgo(24 * 70), "in_transit", "Old")];
    await apply({ trackingNumber, events: [...old, event(hoursAgo(2), "picked_up")] });
    expect(await shipmentOf(id)).toMatchObject({ status: "in_transit", events: [{ status: "picked_up" }] });
  });

  test("by a poll and by a webhook ends in the same events; only the poll counts as one", async () => {
    const { id, trackingNumber } = await shipped();
    const report = { trackingNumber, events: [{ ...event(hoursAgo(2), "in_transit"), city: "Albany", state: "NY" }] };
    expect(await apply(report, false)).toEqual({ unmatched: [], added: 1 });
    const after = await shipmentOf(id);
    expect(after.lastPolledAt).toBeNull();
    expect(await apply(report, true)).toEqual({ unmatched: [], added: 0 });
    expect(await shipmentOf(id)).toMatchObject({ version: after.version, lastPolledAt: expect.any(String) });
    expect(await apply({ trackingNumber: "1ZUNKNOWN", events: [] })).toEqual({ unmatched: ["1ZUNKNOWN"], added: 0 });
  });
});

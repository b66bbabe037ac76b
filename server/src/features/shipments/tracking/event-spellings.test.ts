import { describe, expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import { toEventStatus } from "../shipments.states.ts";
import { readEventTime, zoneOfLocation } from "./event-time.ts";

const hub = await startTestHub();
const org = await hub.org();
const newYork = { city: "New York", provinceCode: "NY", zip: "10001", countryCode: "US" };
const aShipment = async (trackingNumber: string, more: object = {}) =>
  (await org.post("/shipments", { trackingNumber, shippedAt: "2026-03-02T00:00:00Z", ...more })).body;

test.each([
  ["D", "delivered"],
  ["DL", "delivered"],
  ["OD", "out_for_delivery"],
  ["Delivered, Front Door", "delivered"],
  ["Delivered, In/At Mailbox", "delivered"],
  ["Out for Delivery, Expected Delivery by 9:00pm", "out_for_delivery"],
  ["Delivered, To Original Sender", "returned"],
  ["Delivered, To Agent for Final Delivery", undefined],
  ["I", "in_transit"],
  ["X", "exception"],
  ["Delivered!", undefined],
  ["constructor", undefined],
])("N18: a carrier's %s is %s", (written, status) => {
  expect(toEventStatus(written)).toBe(status);
});

test.each([
  ["Newark, NJ", "America/New_York"],
  ["Beverly Hills, CA 90210, US", "America/Los_Angeles"],
  ["Toronto, ON, CA", "America/Toronto"],
  ["Denver, CO, USA", "America/Denver"],
  ["somewhere", undefined],
  [null, undefined],
])("N18: the zone of %s is %s", (location, zone) => {
  expect(zoneOfLocation(location)).toBe(zone);
});

test.each([
  ["2026-11-06T10:00:00", "America/New_York", "2026-11-06T15:00:00.000Z"],
  ["2026-11-06 10:00", "UTC", "2026-11-06T10:00:00.000Z"],
  ["2026-11-06T10:00:00Z", "America/New_York", "2026-11-06T10:00:00.000Z"],
  ["2026-11-06T10:00:00-08:00", "UTC", "2026-11-06T18:00:00.000Z"],
  ["2026-02-30T10:00:00", "UTC", undefined],
  ["2026-02-30T10:00:00Z", "UTC", undefined],
  ["2026-11-06", "UTC", undefined],
  ["1803-11-06T10:00:00", "UTC", undefined],
  ["soon", "UTC", undefined],
])("N18: %s in %s is %s", (text, zone, moment) => {
  expect(readEventTime(text, zone)).toBe(moment);
});

describe("N18: local times and codes of carriers", () => {
  test("are taken: the place of the scan tells the zone, else the destination, else UTC", async () => {
    await aShipment("LOCAL", { destination: newYork });
    await aShipment("NOWHERE");
    const event = { status: "D", at: "2026-03-05T10:00:00" };
    const { body } = await org.post("/shipments/events", {
      events: [
        { trackingNumber: "LOCAL", status: "I", at: "2026-03-03T10:00:00", location: "Reno, NV" },
        { trackingNumber: "LOCAL", ...event },
        { trackingNumber: "NOWHERE", ...event },
        { trackingNumber: "LOCAL", status: "D", at: "yesterday" },
      ],
    });
    expect(body.summary).toMatchObject({ added: 3, failed: 1 });
    expect(body.results[3].error.errors).toMatchObject([{ pointer: "/events/3/at", code: "format" }]);
    const [other, local] = (await org.get("/shipments?status=delivered")).body.data.toSorted(
      (a: { trackingNumber: string }, b: { trackingNumber: string }) => (a.trackingNumber < b.trackingNumber ? 1 : -1),
    );
    expect([local.acceptedAt, local.deliveredAt]).toEqual(["2026-03-03T18:00:00.000Z", "2026-03-05T15:00:00.000Z"]);
    expect(other.deliveredAt).toBe("2026-03-05T10:00:00.000Z");
  });

  test("are taken with the shipment and one by one as well", async () => {
    const events = [{ status: "OD", at: "2026-03-05T08:00:00" }];
    const { id, lastEventAt } = await aShipment("WITH", { destination: newYork, events });
    expect(lastEventAt).toBe("2026-03-05T13:00:00.000Z");
    const { body } = await org.post(`/shipments/${id}/events`, {
      status: "Delivered, Front Door",
      at: "2026-03-05T09:00:00",
    });
    expect(body).toMatchObject({ status: "delivered", deliveredAt: "2026-03-05T14:00:00.000Z" });
    expect(body.events.at(-1).carrierStatus).toBe("Delivered, Front Door");
  });
});

test("N11: a correction is told apart from a repetition", async () => {
  await aShipment("FIX");
  const event = { trackingNumber: "FIX", key: "a", status: "delivered", at: "2026-03-05T10:00:00Z" };
  const send = async (...events: object[]) => {
    const { body } = await org.post("/shipments/events", { events });
    return [body.results.map(({ status }: { status: string }) => status), body.summary.corrected];
  };
  const later = { ...event, at: "2026-03-05T14:00:00Z" };
  expect(await send(event)).toEqual([["added"], 0]);
  expect(await send(event)).toEqual([["duplicate"], 0]);
  expect(await send(later)).toEqual([["corrected"], 1]);
  // Within one call as well, in the order of the rows.
  expect(await send({ ...later, key: "b" }, { ...event, key: "b" }, { ...event, key: "b" })).toEqual([
    ["added", "corrected", "duplicate"],
    1,
  ]);
});

test("N10: the promise and the silence of a parcel of the postal service count Saturdays", async () => {
  // Friday, 6 March 2026, at noon in New York.
  const events = [{ status: "picked_up", at: "2026-03-06T17:00:00Z" }];
  const sent = async (carrier: string, service: string) =>
    (await aShipment(crypto.randomUUID(), { carrier, service, origin: newYork, destination: newYork, events }))
      .promisedDate;
  expect(await sent("USPS", "Priority Mail")).toBe("2026-03-10");
  expect(await sent("UPS", "3 Day Select")).toBe("2026-03-11");
  expect(await sent("FedEx", "Home Delivery")).toBe("2026-03-11");
  expect(await sent("FedEx", "FedEx Ground")).toBe("2026-03-13");
});

import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import type { CarrierName } from "../../testing/handover-fixture.ts";
import { handoverCarrier, handoverServices } from "../../testing/handover-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { pickupWork } from "./pickups.ts";

const hub = await startTestHub();
const org = await hub.org();
const monday = "2026-03-02T15:00:00.000Z";
const setClock = (at: string): void => hub.world.clock.set({ mode: "frozen", at });
beforeEach(() => setClock(monday));
afterAll(() => hub.world.clock.set({ mode: "real" }));

const day = "2026-03-04";
const window = { readyTime: "13:00", closeTime: "17:00" };

/** The request that sends a driver, its entry in the journal, and whether the carrier can be asked about it later. */
const bookings: Record<CarrierName, { operation: string; journal: string; cancel: string; isFound: boolean }> = {
  easypost: { operation: "buy_pickup", journal: "book_pickup", cancel: "cancel_pickup", isFound: true },
  shipengine: { operation: "book_pickup", journal: "book_pickup", cancel: "cancel_pickup", isFound: true },
  karrio: { operation: "book_pickup", journal: "book_pickup", cancel: "cancel_pickup", isFound: true },
  ups: { operation: "pickup", journal: "pickup", cancel: "pickup_cancel", isFound: true },
  fedex: { operation: "pickup", journal: "pickup", cancel: "pickup_cancel", isFound: false },
  usps: { operation: "pickup", journal: "pickup", cancel: "pickup_cancel", isFound: false },
};
const names = Object.keys(bookings) as CarrierName[];

async function aCarrier(name: CarrierName) {
  const carrier = await handoverCarrier(hub, org, name);
  const { carrierAccountId, locationId } = carrier;
  const request = { carrierAccountId, locationId, pickupDate: day, fromLabels: true, ...window };
  return {
    ...carrier,
    ...bookings[name],
    book: async (more: object = {}) => await org.post("/pickups", { ...request, ...more }),
    async buyTwo() {
      const [first, second] = handoverServices[name].together;
      return [await carrier.buy(first, day), await carrier.buy(second, day)];
    },
  };
}
const read = async (id: string) => (await org.get(`/pickups/${id}`)).body;
const countLabels = async (id: string): Promise<number> =>
  (await org.get(`/shipments/labels?pickupId=${id}`)).body.data.length;

describe.each(names)("%s", (name) => {
  test("collects the labels of the day, and cancels with what the carrier needs", async () => {
    const { book, buyTwo, standIn, journal, cancel } = await aCarrier(name);
    await buyTwo();
    const { status, body } = await book();
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({ status: "scheduled", packageCount: 2, labelCount: 2, isCarrierConfirmed: true });
    expect(standIn.journal(journal)).toHaveLength(1);
    const cancelled = await org.delete(`/pickups/${body.id}`);
    expect(cancelled.body.status, JSON.stringify(cancelled.body)).toBe("cancelled");
    expect(standIn.journal(cancel)).toHaveLength(1);
    expect(await countLabels(body.id)).toBe(0);
  });

  test("never sends a second driver when the response to the booking was lost", async () => {
    const { book, buyTwo, standIn, operation, journal, isFound } = await aCarrier(name);
    await buyTwo();
    standIn.inject("cut_after", { operation });
    const { status, body } = await book();
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.status).toBe("requested");
    for (const at of ["15:05:00", "15:20:00", "16:00:00"]) {
      setClock(`2026-03-02T${at}Z`);
      await workOff(hub.world, pickupWork);
    }
    expect(standIn.journal(journal)).toHaveLength(1);
    const settled = await read(body.id);
    if (isFound) expect(settled).toMatchObject({ status: "scheduled", isCarrierConfirmed: true });
    else expect(settled.isCarrierConfirmed).toBe(false);
    expect(await countLabels(body.id)).toBe(2);
  });

  test("is assumed to have come when the carrier reports nothing after the window", async () => {
    const { book, buyTwo } = await aCarrier(name);
    await buyTwo();
    const { body } = await book();
    // The stand-in of UPS keeps its last state, which is a report.
    if (name === "ups") return;
    for (const at of ["04T20:00:00", "04T23:30:00", "05T03:30:00"]) {
      setClock(`2026-03-${at}Z`);
      await workOff(hub.world, pickupWork);
    }
    expect(await read(body.id)).toMatchObject({ status: "completed", isCompletionAssumed: true });
    expect(await countLabels(body.id)).toBe(2);
  });
});

describe.each(names.filter((name) => handoverServices[name].apart))("%s with parcels for two drivers", (name) => {
  test("names both groups, and books a pickup for each", async () => {
    const { book, buyTwo, buy, standIn, journal } = await aCarrier(name);
    const { service, groups } = handoverServices[name].apart!;
    await buyTwo();
    await buy(service, day);
    const refused = await book();
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([{ pointer: "/group", code: "several_groups" }]);
    for (const group of groups) expect(refused.body.errors[0].message).toContain(group);
    expect(standIn.journal(journal)).toHaveLength(0);
    const booked = [await book({ group: groups[0] }), await book({ group: groups[1] })];
    expect(booked.map(({ status, body }) => [status, body.group])).toEqual(groups.map((group) => [201, group]));
    expect(booked.reduce((sum, { body }) => sum + body.packageCount, 0)).toBe(3);
    expect(standIn.journal(journal)).toHaveLength(2);
    const again = await book({ group: groups[0] });
    expect(again.body.errors).toMatchObject([{ code: "no_labels" }]);
  });
});

describe("rules of the carriers", () => {
  test("UPS gets the service and country of each parcel, and its weight", async () => {
    const { book, buyTwo, asked } = await aCarrier("ups");
    await buyTwo();
    await book();
    const { PickupCreationRequest: sent } = JSON.parse(asked("pickup")[0]!.body);
    expect(sent.PickupPiece).toEqual([
      { ServiceCode: "003", Quantity: "1", DestinationCountryCode: "US", ContainerCode: "01" },
      { ServiceCode: "002", Quantity: "1", DestinationCountryCode: "US", ContainerCode: "01" },
    ]);
    expect(sent.TotalWeight).toEqual({ Weight: "4.0", UnitOfMeasurement: "LBS" });
  });

  test("USPS changes a booking in place, with its version, because it comes once a day", async () => {
    const { book, buyTwo, standIn } = await aCarrier("usps");
    await buyTwo();
    const { body } = await book();
    const changed = await org.patch(`/pickups/${body.id}`, { packageCount: 5, instructions: "Ring twice" });
    expect(changed.body, JSON.stringify(changed.body)).toMatchObject({
      status: "scheduled",
      packageCount: 5,
      confirmationNumber: body.confirmationNumber,
      hasPendingChange: false,
    });
    expect(standIn.journal("pickup")).toHaveLength(1);
    expect(standIn.journal("pickup_change")).toHaveLength(1);
    expect(standIn.journal("pickup_cancel")).toHaveLength(0);
  });

  test("a change at USPS whose response was lost is sent again, and is one change of one booking", async () => {
    const { book, buyTwo, standIn } = await aCarrier("usps");
    await buyTwo();
    const { body } = await book();
    standIn.inject("cut_after", { operation: "pickup_change", times: 3 });
    expect((await org.patch(`/pickups/${body.id}`, { packageCount: 5 })).body.status).toBe("requested");
    standIn.calm();
    setClock("2026-03-02T15:05:00Z");
    await workOff(hub.world, pickupWork);
    expect(await read(body.id)).toMatchObject({ status: "scheduled", packageCount: 5, hasPendingChange: false });
    expect(standIn.journal("pickup")).toHaveLength(1);
    expect((await org.delete(`/pickups/${body.id}`)).body.status).toBe("cancelled");
  });

  test.each(["fedex", "ups", "easypost"] as const)(
    "%s books the new window, then cancels the old one",
    async (name) => {
      const { book, buyTwo, standIn, journal, cancel } = await aCarrier(name);
      await buyTwo();
      const { body } = await book();
      const moved = await org.patch(`/pickups/${body.id}`, { pickupDate: "2026-03-05" });
      expect(moved.body, JSON.stringify(moved.body)).toMatchObject({ status: "scheduled", labelCount: 2 });
      expect(await read(body.id)).toMatchObject({ hasPendingChange: false });
      expect(standIn.journal(journal)).toHaveLength(2);
      expect(standIn.journal(cancel)).toHaveLength(1);
    },
  );

  test("USPS is asked the day before: the same day is refused with the next one", async () => {
    const { book, buy } = await aCarrier("usps");
    await buy("PRIORITY_MAIL", "2026-03-02");
    const { body } = await book({ pickupDate: "2026-03-02" });
    expect(body.errors).toMatchObject([{ code: "same_day_not_available" }]);
    expect(body.nextAvailable.pickupDate).toBe("2026-03-03");
  });

  test.each([
    ["easypost", "pickup_refused", "buy_pickup"],
    ["shipengine", "pickup_refused", "book_pickup"],
    ["karrio", "pickup_refused", "book_pickup"],
  ] as const)("a refusal of %s is shown in its words, and frees the labels", async (name, fault, operation) => {
    const { book, buyTwo, standIn } = await aCarrier(name);
    await buyTwo();
    standIn.inject(fault, { operation });
    const { status, body } = await book();
    expect(status, JSON.stringify(body)).toBe(502);
    expect(body.detail).toContain("no driver");
    const { body: next } = await book();
    expect(next).toMatchObject({ status: "scheduled", packageCount: 2 });
  });

  test.each(["easypost", "shipengine", "karrio"] as const)(
    "%s refuses to cancel when the driver is on the way: the pickup and its labels stay",
    async (name) => {
      const { book, buyTwo, standIn } = await aCarrier(name);
      await buyTwo();
      const { body } = await book();
      standIn.inject("pickup_dispatched", { operation: "cancel_pickup" });
      const refused = await org.delete(`/pickups/${body.id}`);
      expect(refused.status).toBe(502);
      expect(refused.body.detail).toContain("on the way");
      expect(await read(body.id)).toMatchObject({ status: "scheduled" });
      expect(await countLabels(body.id)).toBe(2);
    },
  );

  test("a pickup with an unknown outcome keeps its labels until another one is booked", async () => {
    const { book, buyTwo, standIn } = await aCarrier("fedex");
    await buyTwo();
    standIn.inject("cut_after", { operation: "pickup" });
    const first = (await book()).body;
    for (let hour = 15; hour < 24; hour++) {
      for (const minute of ["05", "20", "35", "50"]) {
        setClock(`2026-03-02T${hour}:${minute}:00Z`);
        await workOff(hub.world, pickupWork);
      }
    }
    expect(await read(first.id)).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(await countLabels(first.id)).toBe(2);
    const second = await book();
    expect(second.status, JSON.stringify(second.body)).toBe(201);
    expect(await countLabels(second.body.id)).toBe(2);
    const retried = await org.post(`/pickups/${first.id}/retry`);
    expect(retried.status).toBe(409);
    expect(retried.body.detail).toContain("Another pickup");
    expect(standIn.journal("pickup")).toHaveLength(2);
  });
});

import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import type { Easypost } from "../../testing/carriers/easypost/stand-in-easypost.ts";
import type { UpsStandIn } from "../../testing/carriers/ups/stand-in-ups.ts";
import type { CarrierName } from "../../testing/handover-fixture.ts";
import { dock, handoverCarrier, handoverServices } from "../../testing/handover-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { labelWork, voidCancelledLabels } from "./labels.ts";

const hub = await startTestHub({ settings: { outbound: { allowPrivate: true, allowFromPreview: false } } });
const monday = "2026-03-02T15:00:00.000Z";
const day = "2026-03-04";
const setClock = (at: string): void => hub.world.clock.set({ mode: "frozen", at });
beforeEach(() => setClock(monday));
afterAll(() => hub.world.clock.set({ mode: "real" }));

/** Each test has an organization: parcels are tracked through the oldest account of a carrier. */
async function aShop(name: CarrierName) {
  const org = await hub.org();
  const carrier = await handoverCarrier(hub, org, name);
  const { carrierAccountId, locationId } = carrier;
  const read = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
  const buy = async () => await read((await carrier.buy(handoverServices[name].together[0], day)).id);
  const pickup = { carrierAccountId, locationId, pickupDate: day, fromLabels: true };
  return {
    ...carrier,
    org,
    read,
    buy,
    subscribe: () => org.post(`/carrier-accounts/${carrierAccountId}/webhook`, { publicUrl: hub.url }),
    track: (shipmentId: string) => org.post(`/shipments/${shipmentId}/track`),
    shipment: async (id: string) => (await org.get(`/shipments/${id}`)).body,
    events: async (objectId: string) => (await org.get(`/audit?objectId=${objectId}`)).body.data,
    exceptions: async () => (await org.get("/exceptions?kind=label")).body.data,
    /** Labels that a driver would collect, and a manifest would list. */
    waiting: async (): Promise<string[]> => {
      const { body } = await org.post("/pickups/check", { ...pickup, readyTime: "13:00", closeTime: "17:00" });
      return body.labels.labelIds;
    },
    buyTwoParcels: async () => {
      const parcel = { weight: { value: 2, unit: "lb" }, dimensions: { length: 10, width: 8, height: 4, unit: "in" } };
      const [service] = handoverServices[name].together;
      const request = { carrierAccountId, service, shipDate: day, from: dock, to: { ...dock, zip: "07102" } };
      const { status, text, body } = await org.post("/shipments/labels", { ...request, parcels: [parcel, parcel] });
      expect(status, text).toBe(201);
      return body.label;
    },
  };
}
type Shop = Awaited<ReturnType<typeof aShop>>;

async function expectVoided(shop: Shop, label: { id: string; shipmentId: string }, state: string): Promise<void> {
  expect(await shop.read(label.id)).toMatchObject({
    status: "voided",
    refund: { state, message: "Voided at the carrier." },
    isVoidPending: false,
    contentBytes: null,
  });
  const events = await shop.events(label.id);
  expect(events[0]).toMatchObject({ type: "label.voided", data: { reason: "voided_at_carrier", status: "voided" } });
  expect(events.map(({ type }: { type: string }) => type)).not.toContain("label.void_requested");
  expect((await shop.shipment(label.shipmentId)).voidedAt).not.toBeNull();
  expect(shop.asked("void")).toEqual([]);
  expect(shop.standIn.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
  expect(await shop.waiting()).toEqual([]);
}

/** Voids the label as the carrier's own site does: the hub is not asked. */
const atSite: Partial<Record<CarrierName, (shop: Shop, trackingNumber: string) => unknown>> = {
  easypost: ({ standIn }, trackingNumber) =>
    (standIn as Easypost).scan(trackingNumber, { status: "cancelled", place: { city: "", state: "", zip: "" } }),
  ups: ({ standIn }, trackingNumber) => standIn.record({ kind: "void", trackingNumbers: [trackingNumber], at: monday }),
  fedex: ({ standIn }, trackingNumber) => standIn.record({ kind: "void", masterNumber: trackingNumber, at: monday }),
};

describe("tracking that says cancelled", () => {
  test.each([
    ["easypost", "submitted"],
    ["ups", "voided"],
    ["fedex", "voided"],
  ] as const)("voids the label of %s, whose refund is %s", async (name, state) => {
    const shop = await aShop(name);
    const label = await shop.buy();
    expect(await shop.waiting()).toHaveLength(1);
    setClock("2026-03-02T15:10:00Z");
    await atSite[name]!(shop, label.trackingNumber);
    expect((await shop.track(label.shipmentId)).body.shipment.status).toBe("cancelled");
    await voidCancelledLabels(hub.world);
    await expectVoided(shop, label, state);
    expect((await shop.events(label.id))[0].actor).toMatchObject({ name: "tracking" });
    const { version } = await shop.read(label.id);
    await voidCancelledLabels(hub.world);
    expect((await shop.read(label.id)).version).toBe(version);
    expect(await shop.exceptions()).toEqual([]);
  });

  test("about a parcel that the carrier has leaves the label purchased, and opens an exception once", async () => {
    const shop = await aShop("ups");
    const label = await shop.buy();
    const scan = { type: "I", code: "OR", description: "Origin Scan", city: "Newark", state: "NJ" };
    (shop.standIn as UpsStandIn).scan(label.trackingNumber, { at: "2026-03-02T15:05:00+00:00", ...scan });
    setClock("2026-03-02T15:10:00Z");
    (shop.standIn as UpsStandIn).record({
      kind: "void",
      trackingNumbers: [label.trackingNumber],
      at: "2026-03-02T15:08:00.000Z",
    });
    expect((await shop.track(label.shipmentId)).body.shipment.status).toBe("cancelled");
    await voidCancelledLabels(hub.world);
    await voidCancelledLabels(hub.world);
    expect(await shop.read(label.id)).toMatchObject({ status: "purchased" });
    expect(await shop.exceptions()).toMatchObject([
      { code: "void_contradicted", timesSeen: 1, subject: { id: label.id }, availableActions: [{ action: "dismiss" }] },
    ]);
    expect((await shop.events(label.id))[0].type).toBe("label.void_contradicted");
    expect((await shop.shipment(label.shipmentId)).voidedAt).toBeNull();
  });

  test("about one of several parcels opens an exception, which ends with the others", async () => {
    const shop = await aShop("ups");
    const label = await shop.buyTwoParcels();
    const void_ = (number: string): void =>
      (shop.standIn as UpsStandIn).record({ kind: "void", trackingNumbers: [number], at: monday });
    const [first, second] = label.parcels;
    setClock("2026-03-02T15:10:00Z");
    for (const { trackingNumber, shipmentId } of [second, first]) {
      void_(trackingNumber);
      await shop.track(shipmentId);
      await voidCancelledLabels(hub.world);
      if (trackingNumber === first.trackingNumber) break;
      expect(await shop.read(label.id)).toMatchObject({ status: "purchased" });
      expect(await shop.exceptions()).toMatchObject([
        { code: "void_contradicted", reason: expect.stringContaining("only some of its parcels") },
      ]);
    }
    expect(await shop.exceptions()).toEqual([]);
    await expectVoided(shop, label, "voided");
  });
});

describe("a refund that a webhook reports", () => {
  test("voids the label that the hub did not void", async () => {
    const shop = await aShop("easypost");
    const standIn = shop.standIn as Easypost;
    await shop.subscribe();
    const label = await shop.buy();
    expect(await standIn.settleRefund(label.trackingNumber, "refunded")).toEqual([200]);
    await expectVoided(shop, label, "voided");
    expect((await shop.events(label.id))[0].actor).toMatchObject({ name: "carrier webhook" });
    const answer = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect([answer.status, answer.body.status, shop.asked("void")]).toEqual([200, "voided", []]);
  });

  test("about a parcel that the carrier has opens an exception", async () => {
    const shop = await aShop("easypost");
    const standIn = shop.standIn as Easypost;
    await shop.subscribe();
    const label = await shop.buy();
    const place = { city: "NEWARK", state: "NJ", zip: "07114" };
    await standIn.scan(label.trackingNumber, { status: "in_transit", place });
    await standIn.settleRefund(label.trackingNumber, "refunded");
    expect(await shop.read(label.id)).toMatchObject({ status: "purchased", refund: { state: "voided" } });
    expect(await shop.exceptions()).toMatchObject([
      { code: "void_contradicted", reason: expect.stringContaining("in_transit") },
    ]);
    expect((await shop.shipment(label.shipmentId)).status).toBe("in_transit");
  });

  test("about one of several parcels lets the hub ask EasyPost about all of them", async () => {
    const shop = await aShop("easypost");
    const standIn = shop.standIn as Easypost;
    await shop.subscribe();
    const label = await shop.buyTwoParcels();
    const [first, second] = label.parcels;
    await standIn.settleRefund(first.trackingNumber, "refunded");
    await workOff(hub.world, labelWork);
    expect(await shop.read(label.id)).toMatchObject({ status: "purchased" });
    expect(await shop.exceptions()).toMatchObject([{ code: "void_contradicted" }]);
    await standIn.settleRefund(second.trackingNumber, "refunded");
    standIn.inject("error_before", { operation: "find", times: 9 });
    await workOff(hub.world, labelWork);
    expect((await shop.read(label.id)).status).toBe("purchased");
    standIn.calm();
    setClock("2026-03-02T15:10:00Z");
    await workOff(hub.world, labelWork);
    await expectVoided(shop, label, "voided");
    expect(await shop.exceptions()).toEqual([]);
  });
});

import { afterEach, describe, expect, test } from "vitest";
import { connectionFaults, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { ups } from "./ups.ts";

const { standIn, open, setClock } = await hubBeside(startWithAccount.ups, ups, "03");
afterEach(() => standIn.calm());

const scan = { type: "I", code: "AR", description: "Arrived at Facility", city: "Newark", state: "NJ" };

describe("a purchase with a fault", () => {
  test.each(connectionFaults.refused)("%s: nothing was bought, and the next attempt buys once", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 0]);
    expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
    expect([shop.journal("buy").length, shop.requests("recover").length]).toEqual([1, 0]);
  });

  test.each(connectionFaults.lostBefore)("%s: the label is looked up, then bought once", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    if (fault.startsWith("hang")) ups.timeouts = { createLabel: 500 };
    const { status, body } = await shop.buy();
    expect([status, body.label.status]).toEqual([202, "requested"]);
    expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
    expect(shop.journal("buy")).toHaveLength(1);
    expect(shop.requests("recover").length).toBeGreaterThan(0);
    expect(await shop.exceptions()).toEqual([]);
  });

  test.each(connectionFaults.lostAfter)("%s: the label that was bought is found, with its file", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    if (fault.startsWith("hang")) ups.timeouts = { createLabel: 500 };
    const { status, body } = await shop.buy();
    expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 1]);
    const label = await shop.settle(body.label.id);
    // UPS tells no price of a label that it finds again, and makes no PNG of it.
    expect(label).toMatchObject({ status: "purchased", cost: null, contentType: "application/pdf", failure: null });
    const [sale] = shop.journal("buy");
    expect([shop.journal("buy").length, sale!.trackingNumbers]).toEqual([1, [label.trackingNumber]]);
    expect(await shop.print(label.id)).toMatchObject({ status: 200, begin: "%PDF-" });
  });

  test("a look-up that is late or fails is repeated, and never taken for a label that was not bought", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("recovery_late", { operation: "recover" });
    const { id } = (await shop.buy()).body.label;
    setClock(1.6);
    await shop.tendLabels();
    expect([(await shop.read(id)).status, shop.requests("recover").length]).toEqual(["requested", 1]);
    standIn.inject("error_before", { operation: "recover", times: 3 });
    expect(await shop.settle(id, [6, 14, 30])).toMatchObject({ status: "purchased" });
    expect(shop.journal("buy")).toHaveLength(1);
  });

  test("the label is found as GIF whatever was asked for", async () => {
    const shop = await open((account) => ({ ...account, settings: { ...account.settings, labelFormat: "zpl" } }));
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("recovery_gif", { operation: "recover" });
    const { id } = (await shop.buy()).body.label;
    expect(await shop.settle(id)).toMatchObject({ status: "purchased", contentType: "image/gif" });
  });

  test("a look-up that UPS refuses ends as an unknown outcome that a person resolves", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("expired_token", { operation: "recover", times: 1000 });
    const { id } = (await shop.buy()).body.label;
    const label = await shop.giveUp(id);
    expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(label.failure.message).toContain("UPS may have carried out an earlier attempt at this label");
    const [exception] = await shop.exceptions();
    expect(exception).toMatchObject({ code: "outcome_unknown", kind: "label" });
    const actions = exception.availableActions.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(["retry", "mark_purchased", "mark_not_purchased"]));
    expect(shop.journal("buy")).toHaveLength(1);
    standIn.calm();
    expect((await shop.org.post(`/shipments/labels/${id}/retry`)).body.label.status).toBe("purchased");
    expect(shop.journal("buy")).toHaveLength(1);
  });
});

describe("tracking", () => {
  test("follows a parcel by polls until it is delivered", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    const { trackingNumber } = label;
    await shop.poll(31);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "pre_transit" });
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    await shop.poll(8 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "in_transit" });
    standIn.scan(trackingNumber, {
      ...scan,
      type: "D",
      code: "FS",
      description: "DELIVERED ",
      at: "2026-03-03T11:00:00-05:00",
    });
    await shop.poll(26 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment).toMatchObject({ status: "delivered", deliveredAt: "2026-03-03T16:00:00.000Z" });
    const events = await shop.eventsOf(trackingNumber);
    expect(events.map(({ at }: { at: string }) => at)).toEqual([
      "2026-03-02T15:00:00.000Z",
      "2026-03-02T22:15:00.000Z",
      "2026-03-03T16:00:00.000Z",
    ]);
  });

  test.each([
    ["events_without_zone", "in_transit", "2026-03-02T22:15:00.000Z"],
    ["gmt_time_without_colons", "in_transit", "2026-03-02T22:15:00.000Z"],
    ["tracking_number_reused", "in_transit", "2026-03-02T22:15:00.000Z"],
    ["unknown_status", "pre_transit", "2026-03-02T22:15:00.000Z"],
  ])("with the fault %s ends as %s", async (fault, status, at) => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    standIn.inject(fault, { operation: "track" });
    await shop.poll(8 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment.status).toBe(status);
    const events = await shop.eventsOf(trackingNumber);
    expect(events.at(-1)).toMatchObject({ at, description: "Arrived at Facility" });
    expect(events).toHaveLength(2);
  });

  test.each([undefined, "not_found_404"])("a number that UPS does not know yet waits (%s)", async (fault) => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    const other = await shop.org.post("/shipments", { trackingNumber: "1ZA1B2C30399999999", carrier: "ups" });
    if (fault) standIn.inject(fault, { operation: "track" });
    await shop.poll(31);
    expect((await shop.shipment(trackingNumber)).lastPolledAt).not.toBeNull();
    expect(await shop.shipment(other.body.trackingNumber)).toMatchObject({ status: "pre_transit" });
  });

  test("a poll that UPS does not answer is repeated", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T10:20:00-05:00" });
    standIn.inject("html", { operation: "track", times: 3 });
    await shop.poll(31);
    expect((await shop.shipment(trackingNumber)).status).toBe("pre_transit");
    await shop.poll(65);
    expect((await shop.shipment(trackingNumber)).status).toBe("in_transit");
  });
});

describe("a pickup", () => {
  test("is booked with its price, followed and cancelled", async () => {
    const shop = await open();
    const { status, body } = await shop.book();
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "scheduled", fee: { amount: 6.5, currency: "USD" } });
    expect(shop.journal("pickup")).toMatchObject([{ prn: body.confirmationNumber, date: "20260303" }]);
    standIn.setPickupStatus(body.confirmationNumber, "002");
    await shop.tendPickups(27 * 60 + 5);
    expect((await shop.org.get(`/pickups/${body.id}`)).body.status).toBe("dispatched");
    setClock(0);
    const second = (await shop.book({ pickupDate: "2026-03-04" })).body;
    const cancelled = await shop.org.delete(`/pickups/${second.id}`);
    expect(cancelled.body.status).toBe("cancelled");
    expect(shop.journal("pickup_cancel")).toMatchObject([{ prn: second.confirmationNumber }]);
  });

  test.each([...connectionFaults.refused, ...connectionFaults.lostBefore, ...connectionFaults.lostAfter])(
    "with the fault %s is booked once",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "pickup" });
      if (fault.startsWith("hang")) ups.timeouts = { schedulePickup: 500 };
      const { body } = await shop.book();
      expect(body.status).toBe("requested");
      for (const minutes of [2, 6, 14]) await shop.tendPickups(minutes);
      const pickup = (await shop.org.get(`/pickups/${body.id}`)).body;
      expect([pickup.status, shop.journal("pickup").length]).toEqual(["scheduled", 1]);
      expect(shop.journal("pickup")).toMatchObject([{ prn: pickup.confirmationNumber }]);
    },
  );

  test("without a phone number is refused with the reason", async () => {
    const shop = await open();
    const { phone: _phone, ...address } = dock;
    const { status, body } = await shop.book({ pickupAddress: address });
    expect(status).toBe(502);
    expect(body.detail).toBe("The phone number of the pickup's address is missing. UPS requires one.");
    expect(shop.journal("pickup")).toEqual([]);
  });
});

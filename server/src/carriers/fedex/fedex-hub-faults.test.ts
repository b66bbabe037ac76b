import { afterEach, describe, expect, test } from "vitest";
import { connectionFaults, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { fedex } from "./fedex.ts";

const { standIn, open, setClock } = await hubBeside(startWithAccount.fedex, fedex, "FEDEX_GROUND");
afterEach(() => standIn.calm());

const scan = { eventType: "AR", description: "Arrived at FedEx location", city: "NEWARK", state: "NJ" };

describe("a purchase with a fault", () => {
  test.each(connectionFaults.refused)("%s: nothing was bought, and the next attempt buys once", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 0]);
    expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
    expect([shop.journal("buy").length, shop.requests("track_reference").length]).toEqual([1, 0]);
  });

  test("a block after too many requests is a refusal with the reason", async () => {
    const shop = await open();
    standIn.inject("blocked", { operation: "buy" });
    const { status, body } = await shop.buy();
    expect([status, body.code]).toEqual([409, "label_rejected"]);
    expect(body.detail).toContain("FedEx also refuses requests for ten minutes after too many of them.");
    expect(shop.journal("buy")).toEqual([]);
  });

  test.each(connectionFaults.lostBefore)("%s: nothing is bought twice, and a person is asked", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "buy" });
    if (fault.startsWith("hang")) fedex.timeouts = { createLabel: 500 };
    const { status, body } = await shop.buy();
    expect([status, body.label.status]).toEqual([202, "requested"]);
    const label = await shop.giveUp(body.label.id);
    expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    // With the reference by which a person finds it at FedEx.
    expect(label.failure.message).toMatch(/Check it at FedEx. \(reference \S+\)$/);
    expect(await shop.exceptions()).toMatchObject([{ code: "outcome_unknown", reason: label.failure.message }]);
    expect(shop.journal("buy")).toEqual([]);
    const [exception] = await shop.exceptions();
    const marked = await shop.org.post(`/exceptions/${exception.id}/resolve`, { action: "mark_not_purchased" });
    expect(marked.status).toBe(200);
  });

  test.each(connectionFaults.lostAfter)(
    "%s: the shipment that is found is cancelled, since FedEx prints no label twice, and bought again",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "buy" });
      if (fault.startsWith("hang")) fedex.timeouts = { createLabel: 500 };
      const { status, body } = await shop.buy();
      expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 1]);
      const label = await shop.settle(body.label.id);
      expect(label).toMatchObject({ status: "purchased", failure: null, contentType: "application/pdf" });
      const [first, second] = shop.journal("buy");
      expect([shop.journal("buy").length, shop.journal("void").length]).toEqual([2, 1]);
      expect(shop.journal("void")[0]!.trackingNumbers).toEqual(first!.trackingNumbers);
      expect(second!.trackingNumbers).toEqual([label.trackingNumber]);
      expect(await shop.exceptions()).toEqual([]);
    },
  );

  test("a shipment that FedEx reports late is waited for", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    standIn.inject("reference_late", { operation: "track_reference", times: 2 });
    const { id } = (await shop.buy()).body.label;
    expect(await shop.settle(id, [2, 6, 14, 30, 60])).toMatchObject({ status: "purchased" });
    expect([shop.journal("buy").length, shop.journal("void").length]).toEqual([2, 1]);
  });

  test("a repeat that is lost again cancels again, so that one label stays", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy", times: 2 });
    const { id } = (await shop.buy()).body.label;
    expect(await shop.settle(id, [2, 6, 14, 30, 60])).toMatchObject({ status: "purchased" });
    expect([shop.journal("buy").length, shop.journal("void").length]).toEqual([3, 2]);
  });
});

describe("tracking", () => {
  test("follows a parcel by polls until it is delivered", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    await shop.poll(31);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "pre_transit" });
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    await shop.poll(8 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "in_transit" });
    standIn.scan(trackingNumber, {
      ...scan,
      eventType: "DL",
      description: "Delivered",
      at: "2026-03-03T11:00:00-05:00",
    });
    await shop.poll(26 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment).toMatchObject({ status: "delivered", deliveredAt: "2026-03-03T16:00:00.000Z" });
  });

  test.each([
    ["events_without_zone", "in_transit", 2],
    ["tracking_number_reused", "in_transit", 2],
    ["duplicate_answer", "in_transit", 2],
    ["unknown_status", "in_transit", 2],
    ["track_late", "pre_transit", 0],
  ])("with the fault %s ends as %s", async (fault, status, count) => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    standIn.inject(fault, { operation: "track" });
    await shop.poll(8 * 60);
    const shipment = await shop.shipment(trackingNumber);
    expect(shipment.status).toBe(status);
    const events = await shop.eventsOf(trackingNumber);
    expect(events).toHaveLength(count);
    if (count > 0) expect(events.at(-1)).toMatchObject({ at: "2026-03-02T22:15:00.000Z" });
  });
});

describe("a pickup", () => {
  test("is booked, and cancelled with its location, day and network", async () => {
    const shop = await open();
    const { status, body } = await shop.book();
    expect([status, body.status, body.confirmationNumber]).toEqual([201, "scheduled", "1"]);
    expect(body.messages).toContain("Courier on the way");
    expect(shop.journal("pickup")).toMatchObject([{ carrierCode: "FDXE", date: "2026-03-03", location: "NJRA" }]);
    expect((await shop.org.delete(`/pickups/${body.id}`)).body.status).toBe("cancelled");
    expect(shop.journal("pickup_cancel")).toHaveLength(1);
  });

  test("that the courier has cannot be cancelled, and says why", async () => {
    const shop = await open();
    const { body } = await shop.book({ pickupDate: "2026-03-05" });
    standIn.dispatchPickup({ code: body.confirmationNumber, date: "2026-03-05", carrierCode: "FDXE" });
    const refused = await shop.org.delete(`/pickups/${body.id}`);
    expect(refused.text).toContain("The courier is on the way: the pickup cannot be cancelled.");
  });

  test.each(connectionFaults.refused)("with the fault %s is booked once, later", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "pickup" });
    const { body } = await shop.book();
    expect(body.status).toBe("requested");
    await shop.tendPickups(2);
    expect((await shop.org.get(`/pickups/${body.id}`)).body.status).toBe("scheduled");
    expect(shop.journal("pickup")).toHaveLength(1);
  });

  test.each(["cut_before", "cut_after", "error_after"])(
    "with the fault %s is not booked a second time: FedEx cannot be asked for it",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "pickup" });
      const { body } = await shop.book();
      for (let minutes = 2; minutes < 330; minutes += 11) await shop.tendPickups(minutes);
      const pickup = (await shop.org.get(`/pickups/${body.id}`)).body;
      expect(pickup).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
      expect(pickup.failure.message).toContain("Check it at FedEx.");
      expect(shop.journal("pickup")).toHaveLength(fault === "cut_before" ? 0 : 1);
      expect(await shop.exceptions()).toMatchObject([{ kind: "pickup", code: "outcome_unknown" }]);
      setClock(0);
    },
  );
});

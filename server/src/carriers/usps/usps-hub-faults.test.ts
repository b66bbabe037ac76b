import { afterEach, describe, expect, test } from "vitest";
import { connectionFaults, dock, hubBeside } from "../../testing/carriers/direct-carriers-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startUsps } from "../../testing/carriers/usps/stand-in-usps.ts";
import { usps } from "./usps.ts";

const { hub, standIn, open } = await hubBeside(startWithAccount.usps, usps, "USPS_GROUND_ADVANTAGE");
afterEach(() => standIn.calm());

const scan = { eventCode: "10", eventType: "Processed Through Facility", city: "NEWARK", state: "NJ", zip: "07114" };

describe("the quota of 60 calls an hour", () => {
  test("leaves a label waiting until a call is free again, and it is bought once", async () => {
    const shop = await open();
    const strict = await startUsps({ callsPerHour: 60, now: () => hub.world.clock.now() });
    try {
      await shop.org.patch(`/carrier-accounts/${shop.accountId}`, {
        settings: { ...shop.settings, baseUrl: strict.url },
        credentials: { clientId: strict.clientId, clientSecret: strict.clientSecret },
      });
      // The first label takes three calls: access token, payment token, label.
      expect((await shop.buy()).status).toBe(201);
      for (let calls = strict.requests.length; calls < 60; calls++) expect((await shop.quote()).status).toBe(200);
      const refused = await shop.quote();
      expect([refused.status, refused.body.detail]).toEqual([
        502,
        "USPS: The quota of calls an hour is used up (00000XX)",
      ]);
      const { status, body } = await shop.buy();
      expect([status, body.label.status]).toEqual([202, "requested"]);
      expect(await shop.settle(body.label.id, [2, 30, 59])).toMatchObject({ status: "requested" });
      expect(await shop.settle(body.label.id, [61, 62, 75, 90, 130])).toMatchObject({ status: "purchased" });
      expect(strict.journal("buy")).toHaveLength(2);
      // Waiting takes no calls: the carrier named the time.
      expect(strict.requests.filter(({ operation }) => operation === "buy").length).toBeLessThanOrEqual(4);
    } finally {
      await strict.close();
    }
  });
});

describe("a purchase with a fault", () => {
  test.each([...connectionFaults.refused, ...connectionFaults.lostBefore])(
    "%s: the next attempt buys once under the same key",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "buy" });
      if (fault.startsWith("hang")) usps.timeouts = { createLabel: 500 };
      const { status, body } = await shop.buy();
      expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 0]);
      expect(await shop.settle(body.label.id)).toMatchObject({ status: "purchased", failure: null });
      expect(shop.journal("buy")).toHaveLength(1);
      expect(await shop.exceptions()).toEqual([]);
    },
  );

  test.each(connectionFaults.lostAfter)(
    "%s: the same key returns the same label, with price and file",
    async (fault) => {
      const shop = await open();
      standIn.inject(fault, { operation: "buy" });
      if (fault.startsWith("hang")) usps.timeouts = { createLabel: 500 };
      const { status, body } = await shop.buy();
      expect([status, body.label.status, shop.journal("buy").length]).toEqual([202, "requested", 1]);
      const label = await shop.settle(body.label.id);
      const [sale] = shop.journal("buy");
      expect(label).toMatchObject({
        status: "purchased",
        failure: null,
        contentType: "application/pdf",
        trackingNumber: sale!.trackingNumber,
        cost: Number(sale!.totalCents) / 100,
      });
      expect(shop.journal("buy")).toHaveLength(1);
    },
  );

  test("a repeat on the next day finds the label by its key, since the mailing date has changed", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    const { id } = (await shop.buy({ shipDate: "2026-03-03" })).body.label;
    await shop.org.patch(`/carrier-accounts/${shop.accountId}`, { settings: { ...shop.settings, labelFormat: "png" } });
    const label = await shop.settle(id);
    expect(label).toMatchObject({ status: "purchased", contentType: "image/png" });
    expect([shop.journal("buy").length, shop.journal("reprint").length]).toEqual([1, 1]);
  });

  test("a label that USPS does not reprint any more ends as an unknown outcome with the reason", async () => {
    const shop = await open();
    standIn.inject("cut_after", { operation: "buy" });
    const { id } = (await shop.buy()).body.label;
    const nextDay = 24 * 60;
    const label = await shop.settle(
      id,
      Array.from({ length: 30 }, (_, index) => nextDay + 11 * index),
    );
    expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(label.failure.message).toContain("Label is unavailable for reprint past its mailingDate of 2026-03-02");
    expect(shop.journal("buy")).toHaveLength(1);
  });
});

describe("a void", () => {
  test("after the manifest is a refund that USPS decides about later", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    shop.setClock(2 * 24 * 60);
    const voided = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect(voided.body).toMatchObject({ status: "voided", refund: { state: "submitted" } });
    expect(shop.journal("refund")).toHaveLength(1);
  });

  test("that USPS refuses leaves the label as it is, with the reason", async () => {
    const shop = await open();
    const { label } = (await shop.buy()).body;
    shop.setClock(2 * 24 * 60);
    standIn.inject("refund_refused", { operation: "void" });
    const { status, body } = await shop.org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.code]).toEqual([409, "label_not_voidable"]);
    expect(body.detail).toContain("USPS: A refund request for this order cannot be submitted");
    expect(await shop.read(label.id)).toMatchObject({ status: "purchased", refund: { state: "rejected" } });
  });

  test.each(connectionFaults.lostAfter)(
    "with a response lost by %s is repeated later, and counts as voided",
    async (fault) => {
      const shop = await open();
      const { label } = (await shop.buy()).body;
      standIn.inject(fault, { operation: "void" });
      usps.timeouts = { voidLabel: 500 };
      const lost = await shop.org.delete(`/shipments/labels/${label.id}`);
      expect([lost.status, lost.body.code]).toEqual([502, "carrier_failed"]);
      shop.setClock(3);
      await shop.tendLabels();
      expect(await shop.read(label.id)).toMatchObject({ status: "voided", refund: { state: "voided" } });
      expect(shop.journal("void")).toHaveLength(1);
    },
  );
});

describe("tracking", () => {
  test("follows a parcel by polls until it is delivered", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.inject("track_late", { operation: "track" });
    await shop.poll(31);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "pre_transit" });
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    await shop.poll(8 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({ status: "in_transit" });
    const delivered = { eventCode: "01", eventType: "Delivered, In/At Mailbox", at: "2026-03-03T11:00:00-05:00" };
    standIn.scan(trackingNumber, { ...scan, ...delivered });
    await shop.poll(26 * 60);
    expect(await shop.shipment(trackingNumber)).toMatchObject({
      status: "delivered",
      deliveredAt: "2026-03-03T16:00:00.000Z",
    });
  });

  test.each(["events_without_zone", "tracking_number_reused", "unknown_status", "duplicate_events"])(
    "with the fault %s has the events of this parcel at the right time",
    async (fault) => {
      const shop = await open();
      const { trackingNumber } = (await shop.buy()).body.label;
      standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
      standIn.inject(fault, { operation: "track" });
      await shop.poll(8 * 60);
      const shipment = await shop.shipment(trackingNumber);
      expect(shipment.status).toBe("in_transit");
      const events = await shop.eventsOf(trackingNumber);
      expect(events).toHaveLength(2);
      expect(events.at(-1)).toMatchObject({ at: "2026-03-02T22:15:00.000Z", description: scan.eventType });
    },
  );

  test("with one object instead of a list has the event", async () => {
    const shop = await open();
    const { trackingNumber } = (await shop.buy()).body.label;
    standIn.scan(trackingNumber, { ...scan, at: "2026-03-02T17:15:00-05:00" });
    standIn.inject("one_object", { operation: "track" });
    await shop.poll(8 * 60);
    expect(await shop.eventsOf(trackingNumber)).toMatchObject([
      { at: "2026-03-02T22:15:00.000Z", description: scan.eventType },
    ]);
  });
});

describe("a pickup", () => {
  test("is booked for a day, and cancelled with the version of its booking", async () => {
    const shop = await open();
    const { status, body } = await shop.book({ readyTime: undefined, closeTime: undefined });
    expect([status, body.status]).toEqual([201, "scheduled"]);
    expect(shop.journal("pickup")).toMatchObject([{ number: body.confirmationNumber }]);
    expect((await shop.org.delete(`/pickups/${body.id}`)).body.status).toBe("cancelled");
    expect(shop.journal("pickup_cancel")).toMatchObject([{ number: body.confirmationNumber }]);
  });

  test.each([
    [
      "a way to confirm it",
      { email: undefined, phone: undefined },
      "The pickup's address has neither an email address nor a phone number of ten digits. USPS requires one.",
    ],
    [
      "a name",
      { name: undefined, company: undefined },
      "The name of the pickup's address is missing. USPS requires one.",
    ],
  ])("without %s is refused with the reason", async (_, without, message) => {
    const shop = await open();
    const { status, body } = await shop.book({ pickupAddress: { ...dock, ...without } });
    expect([status, body.detail]).toEqual([502, message]);
    expect(shop.journal("pickup")).toEqual([]);
  });

  test.each(["rate_limit", "cut_before", "cut_after"])("with the fault %s is booked once or unknown", async (fault) => {
    const shop = await open();
    standIn.inject(fault, { operation: "pickup" });
    const { body } = await shop.book({ pickupDate: "2026-03-04" });
    expect(body.status).toBe("requested");
    for (let minutes = 2; minutes < 330; minutes += 11) await shop.tendPickups(minutes);
    const pickup = (await shop.org.get(`/pickups/${body.id}`)).body;
    const isKnown = fault === "rate_limit";
    expect(pickup.status).toBe(isKnown ? "scheduled" : "failed");
    if (!isKnown) expect(pickup.failure).toMatchObject({ code: "outcome_unknown" });
    expect(shop.journal("pickup")).toHaveLength(fault === "cut_before" ? 0 : 1);
    if (isKnown) await shop.org.delete(`/pickups/${body.id}`);
  });
});

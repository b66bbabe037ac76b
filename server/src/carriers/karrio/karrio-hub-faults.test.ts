import { beforeEach, describe, expect, test } from "vitest";
import {
  connectionFaults,
  customer,
  dock,
  hubWithCarrier,
  withShortTimeouts,
} from "../../testing/carriers/hub-with-carrier.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.karrio);
const { org, standIn, accountId } = shop;
beforeEach(() => shop.reset());

const ground = "usps_ground_advantage";
const bought = async (more: object = {}, service = ground) => {
  const { status, text, body } = await shop.buy(service, more);
  expect(status, text).toBe(201);
  return body;
};

describe.each(["draft", "buy"])("a connection that fails in the step %s", (operation) => {
  test.each(connectionFaults)("%s: the label is bought once", async (kind) => {
    standIn.inject(kind, { operation });
    const label = await withShortTimeouts(() => shop.buyToTheEnd(ground));
    expect(label).toMatchObject({ status: "purchased", failure: null });
    expect(shop.sales()).toMatchObject([{ trackingNumber: label.trackingNumber, cents: Math.round(label.cost * 100) }]);
    expect((await shop.fileOf(label.id)).status).toBe(200);
  });
});

test("a purchase that the carrier did not answer is asked about, and taken if karrio has it", async () => {
  standIn.inject("carrier_timed_out_after", { operation: "buy" });
  const { status, body } = await shop.buy(ground);
  expect([status, body.label?.status]).toEqual([202, "requested"]);
  shop.setClock(3);
  await shop.work();
  const label = await shop.readLabel(body.label.id);
  expect(label).toMatchObject({ status: "purchased", failure: null });
  expect(shop.sales()).toMatchObject([{ trackingNumber: label.trackingNumber }]);
});

test("a purchase that the carrier did not answer and karrio does not have is not repeated: the carrier may have sold it", async () => {
  standIn.inject("carrier_timed_out_before", { operation: "buy" });
  const label = await shop.buyToTheEnd(ground);
  expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
  expect(label.failure.message).toContain("usps");
  expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code: "outcome_unknown" }]);
  expect([shop.sent("buy").length, shop.sales()]).toEqual([1, []]);
});

test("a look-up that fails leaves the outcome open: nothing is bought again", async () => {
  standIn.inject("cut_after", { operation: "buy" });
  const { body } = await shop.buy(ground);
  standIn.inject("error_before", { operation: "find", times: 3 });
  shop.setClock(3);
  await shop.work();
  expect((await shop.readLabel(body.label.id)).status).toBe("requested");
  shop.setClock(11);
  await shop.work();
  expect((await shop.readLabel(body.label.id)).status).toBe("purchased");
  expect(shop.sales()).toHaveLength(1);
});

test("a refused purchase has failed with the carrier's words, and an exception", async () => {
  standIn.inject("carrier_refused", { operation: "buy" });
  const { status, body } = await shop.buy(ground);
  expect([status, body.code, body.carrierCode]).toEqual([409, "label_rejected", "rejected"]);
  expect(body.detail).toContain("The address of the recipient is not valid.");
  expect(await shop.exceptionsOf(body.labelId)).toMatchObject([{ code: "rejected" }]);
  expect(shop.sales()).toEqual([]);
  const missing = (await shop.buy("ups_balloon")).body;
  expect([missing.carrierCode, missing.detail]).toEqual([
    "service_not_offered",
    expect.stringContaining("ups_balloon"),
  ]);
});

test("a carrier that stays down ends as an unknown outcome, and a retry buys the label once", async () => {
  const id = await shop.connect();
  standIn.inject("error_before", { operation: "buy", times: 100 });
  const label = await shop.buyToTheEnd(ground, { carrierAccountId: id });
  expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
  standIn.calm();
  shop.setClock(500);
  const { body } = await org.post(`/shipments/labels/${label.id}/retry`);
  expect(body.label).toMatchObject({ id: label.id, status: "purchased" });
  expect(shop.sales()).toHaveLength(1);
});

test("warnings and fields that no document describes do not hide a label", async () => {
  standIn.inject("warning_beside_label", { operation: "buy" });
  standIn.inject("unknown_fields", { operation: "buy" });
  expect((await shop.buy(ground)).body.label.status).toBe("purchased");
});

test("a tracking number that was used before is that of the new label, whose order gets a parcel of its own", async () => {
  const first = await bought({ orderId: (await shop.order()).id });
  standIn.inject("tracking_number_reused", { operation: "buy" });
  const { label, shipment } = await bought({ orderId: (await shop.order()).id });
  expect(label.trackingNumber).toBe(first.label.trackingNumber);
  expect(shipment.id).not.toBe(first.shipment.id);
});

describe("tracking", () => {
  const track = async (id: string) => (await org.post(`/shipments/${id}/track`)).body.shipment;

  test("is polled by the hub; times without a zone are read at the place, and a delivery ends it", async () => {
    const { shipment } = await bought();
    const there = { location: "NEWARK, NJ, US", date: "2026-03-02" };
    await standIn.scan(shipment.trackingNumber, {
      ...there,
      status: "in_transit",
      description: "Arrived",
      time: "09:30",
    });
    await shop.pollTracking(0);
    expect((await org.get(`/shipments/${shipment.id}`)).body).toMatchObject({
      status: "in_transit",
      events: [
        {
          status: "in_transit",
          description: "Arrived",
          at: "2026-03-02T14:30:00.000Z",
          location: expect.stringContaining("NEWARK"),
        },
      ],
    });
    await standIn.scan(shipment.trackingNumber, { ...there, status: "delivered", time: "10:45" });
    await shop.pollTracking(60);
    const { status, deliveredAt } = (await org.get(`/shipments/${shipment.id}`)).body;
    expect([status, deliveredAt]).toEqual(["delivered", "2026-03-02T15:45:00.000Z"]);
  });

  test("of one event that is no list keeps the event", async () => {
    const { shipment } = await bought();
    await standIn.scan(shipment.trackingNumber, {
      status: "in_transit",
      description: "Left",
      location: "NEWARK, NJ, US",
    });
    standIn.inject("one_object", { operation: "track" });
    expect((await track(shipment.id)).events).toMatchObject([{ status: "in_transit", description: "Left" }]);
  });

  test("of a status that no document names keeps the event", async () => {
    const { shipment } = await bought();
    standIn.inject("unknown_status", { operation: "scan" });
    await standIn.scan(shipment.trackingNumber, {
      status: "in_transit",
      description: "Held",
      location: "NEWARK, NJ, US",
    });
    expect((await track(shipment.id)).events).toMatchObject([{ status: "unknown", description: "Held" }]);
  });
});

describe("options reach karrio:", () => {
  test("those that every carrier has, and those of one by their names", async () => {
    await bought({
      shipDate: "2026-03-03",
      reference: "SHOP-17",
      options: {
        residential: true,
        signature: "signature",
        saturdayDelivery: true,
        insuredValue: { amount: 120.5, currency: "USD" },
        references: ["PO 7"],
        billTo: { party: "third_party", account: "A1B2C3", countryCode: "US", zip: "10001" },
        extra: { options: { usps_hold_for_pickup: true } },
      },
    });
    expect(shop.sent("draft")[0]).toMatchObject({
      reference: "SHOP-17 / PO 7",
      recipient: { address_line1: customer.address1, residential: true },
      payment: { paid_by: "third_party", account_number: "A1B2C3" },
      billing_address: { country_code: "US", postal_code: "10001" },
      options: {
        shipping_date: "2026-03-03T12:00",
        signature_confirmation: true,
        saturday_delivery: true,
        insurance: 120.5,
        usps_hold_for_pickup: true,
      },
    });
  });

  test("a return, whose addresses karrio turns around", async () => {
    await bought({ from: customer, to: dock, options: { isReturn: true } });
    expect(shop.sent("draft")[0]).toMatchObject({ is_return: true, shipper: { address_line1: dock.address1 } });
  });

  test.each([
    [{ label: { size: "a4" } }, "label.size", "connection"],
    [{ signature: "adult_signature" }, "signature", "extra.options"],
  ])("%o is refused before anything is bought", async (options, option, allowed) => {
    const { status, body } = await shop.buy(ground, { options });
    expect([status, body.carrierCode]).toEqual([409, "option_not_supported"]);
    expect(body.detail).toContain(option);
    expect(body.detail).toContain(allowed);
    expect(shop.sent("draft")).toEqual([]);
  });
});

test("a pickup needs labels of the account", async () => {
  const wanted = {
    carrierAccountId: accountId,
    pickupAddress: dock,
    pickupDate: "2026-03-03",
    readyTime: "13:00",
    closeTime: "17:00",
    packageCount: 1,
  };
  const { status, body } = await org.post("/pickups", wanted);
  expect([status, body.carrierCode]).toEqual([502, "labels_required"]);
});

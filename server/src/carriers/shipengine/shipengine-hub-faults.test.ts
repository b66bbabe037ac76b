import { beforeEach, describe, expect, test } from "vitest";
import { connectionFaults, hubWithCarrier, withShortTimeouts } from "../../testing/carriers/hub-with-carrier.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.shipengine);
const { org, standIn } = shop;
beforeEach(() => shop.reset());

const ground = "usps_ground_advantage";

describe.each(["account", "buy"])("a connection that fails in the step %s", (operation) => {
  test.each(connectionFaults)("%s: the label is bought once", async (kind) => {
    standIn.inject(kind, { operation });
    const label = await withShortTimeouts(() => shop.buyToTheEnd(ground));
    expect(label).toMatchObject({ status: "purchased", failure: null });
    expect(shop.sales()).toMatchObject([{ trackingNumber: label.trackingNumber, cents: Math.round(label.cost * 100) }]);
    expect((await shop.fileOf(label.id)).status).toBe(200);
  });
});

test.each(["carrier_timed_out_before", "carrier_timed_out_after"])(
  "a purchase whose outcome the carrier did not report (%s) is asked about, and bought once",
  async (kind) => {
    standIn.inject(kind, { operation: "buy" });
    const { status, body } = await shop.buy(ground);
    expect([status, body.label?.status]).toEqual([202, "requested"]);
    shop.setClock(3);
    await shop.work();
    const label = await shop.readLabel(body.label.id);
    expect(label).toMatchObject({ status: "purchased", failure: null });
    expect(shop.sales()).toMatchObject([{ trackingNumber: label.trackingNumber }]);
  },
);

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

test("a label that the carrier is still making is purchased with its file", async () => {
  standIn.inject("label_processing", { operation: "buy" });
  const label = await shop.buyToTheEnd(ground);
  expect(label).toMatchObject({ status: "purchased", failure: null, contentType: "application/pdf" });
  expect(shop.sales()).toHaveLength(1);
});

describe("a refused purchase", () => {
  test.each([
    ["carrier_refused", "rejected", "Invalid ship to address."],
    ["insufficient_funds", "payment_required", "There are not enough funds to buy the label."],
    ["label_error", "rejected", "the carrier made no label"],
  ])("(%s) has failed with the carrier's words, and an exception", async (kind, code, words) => {
    standIn.inject(kind, { operation: "buy" });
    const { status, body } = await shop.buy(ground);
    expect([status, body.code, body.carrierCode]).toEqual([409, "label_rejected", code]);
    expect(body.detail).toContain(words);
    const label = await shop.readLabel(body.labelId);
    expect(label).toMatchObject({ status: "failed", failure: { code, message: expect.stringContaining(words) } });
    expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code, reason: expect.stringContaining(words) }]);
    expect(shop.sales()).toEqual([]);
  });

  test("because of a service that does not exist names it", async () => {
    const { body } = await shop.buy("ups_balloon");
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "service_not_offered" });
    expect(body.detail).toContain("ups_balloon");
  });

  test("because the sender has no phone number says so", async () => {
    const from = {
      name: "Dock",
      address1: "1 Port Street",
      city: "Newark",
      provinceCode: "NJ",
      zip: "07114",
      countryCode: "US",
    };
    const { body } = await shop.buy(ground, { from });
    expect(body).toMatchObject({
      code: "label_rejected",
      detail: expect.stringContaining("The address of the sender has no phone."),
    });
    expect(shop.sales()).toEqual([]);
  });
});

test("a carrier that stays down ends as an unknown outcome, and a retry buys the label once", async () => {
  const id = await shop.connect();
  standIn.inject("error_before", { operation: "buy", times: 100 });
  const label = await shop.buyToTheEnd(ground, { carrierAccountId: id });
  expect(label).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
  expect(await shop.exceptionsOf(label.id)).toMatchObject([{ code: "outcome_unknown" }]);
  standIn.calm();
  const { body } = await org.post(`/shipments/labels/${label.id}/retry`);
  expect(body.label).toMatchObject({ id: label.id, status: "purchased" });
  expect(shop.sales()).toHaveLength(1);
});

test("fields that no document describes are ignored", async () => {
  standIn.inject("unknown_fields", { operation: "buy" });
  expect((await shop.buy(ground)).body.label.status).toBe("purchased");
});

test("a tracking number that was used before is that of the new label, whose order gets a parcel of its own", async () => {
  const first = (await shop.buy(ground, { orderId: (await shop.order()).id })).body;
  standIn.inject("tracking_number_reused", { operation: "buy" });
  const { status, body } = await shop.buy(ground, { orderId: (await shop.order()).id });
  expect([status, body.label.trackingNumber]).toEqual([201, first.label.trackingNumber]);
  expect(body.shipment.id).not.toBe(first.shipment.id);
});

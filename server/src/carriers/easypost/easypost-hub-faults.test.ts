import { beforeEach, describe, expect, test } from "vitest";
import { connectionFaults, hubWithCarrier, withShortTimeouts } from "../../testing/carriers/hub-with-carrier.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.easypost);
const { org, standIn } = shop;
beforeEach(() => shop.reset());

const ground = "USPS/GroundAdvantage";
const pounds = (value: number) => ({ weight: { value, unit: "lb" } });
const twoParcels = { parcels: [pounds(2), pounds(3)] };

describe.each(["rate", "buy", "label_file"])("a connection that fails in the step %s", (operation) => {
  test.each(connectionFaults)("%s: the label is bought once", async (kind) => {
    standIn.inject(kind, { operation });
    const label = await withShortTimeouts(() => shop.buyToTheEnd(ground));
    expect(label).toMatchObject({ status: "purchased" });
    expect(shop.sales()).toMatchObject([{ trackingNumber: label.trackingNumber, cents: Math.round(label.cost * 100) }]);
  });
});

describe.each(["rate_order", "buy_order"])("a connection that fails in the step %s of several parcels", (operation) => {
  test.each(connectionFaults)("%s: each label is bought once", async (kind) => {
    standIn.inject(kind, { operation });
    const label = await withShortTimeouts(() => shop.buyToTheEnd(ground, twoParcels));
    expect(label).toMatchObject({ status: "purchased", failure: null });
    expect(shop.sales().map(({ trackingNumber }) => trackingNumber)).toEqual(
      label.parcels.map((parcel: { trackingNumber: string }) => parcel.trackingNumber),
    );
  });
});

test.each(["timed_out_before", "timed_out_after", "no_response_before", "no_response_after", "purchase_in_progress"])(
  "a purchase whose outcome EasyPost does not report (%s) is asked about, and bought once",
  async (kind) => {
    standIn.inject(kind, { operation: "buy" });
    const { status, body } = await shop.buy(ground);
    expect([status, body.label.status]).toEqual([202, "requested"]);
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

describe("a refused purchase", () => {
  test.each([
    ["postage_failure", "rejected", "the weight is above the limit of the service"],
    ["errors_as_strings", "rejected", "The phone number of the recipient is missing."],
    ["payment_required", "payment_required", "The balance of the account is too low."],
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

  test("because of a rate that is too old is repeated with a new rate of the same shipment", async () => {
    standIn.inject("stale_rate", { operation: "buy" });
    const { status, body } = await shop.buy(ground);
    expect([status, body.label?.status]).toEqual([201, "purchased"]);
    expect(shop.sales()).toMatchObject([{ trackingNumber: body.label.trackingNumber }]);
    expect(shop.sent("rate")).toHaveLength(1);
  });

  test("because of a service that does not exist says what the carrier said", async () => {
    const { body } = await shop.buy("UPS/Balloon");
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "service_not_offered" });
    expect(body.detail).toContain("UPS/Balloon");
    standIn.inject("no_rates", { operation: "rate" });
    expect((await shop.buy("UPS/Ground")).body.detail).toContain("UPS: The carrier did not answer in time.");
  });

  test("of an account with a wrong key names the key", async () => {
    const id = await shop.connect({ credentials: { apiKey: "EZAKwrong" } });
    const { body } = await shop.buy(ground, { carrierAccountId: id });
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "unauthorized" });
    expect(body.detail).toContain("api key");
  });
});

describe("a purchase of several parcels", () => {
  test("that is refused for one of them does not hide the label that was sold", async () => {
    standIn.inject("second_piece_refused", { operation: "buy_order" });
    const { status, body } = await shop.buy(ground, twoParcels);
    const [sale] = shop.sales();
    expect([status, body.carrierCode, shop.sales().length]).toEqual([409, "outcome_unknown", 1]);
    expect(body.detail).toContain(`only the labels ${String(sale!.trackingNumber)} of several parcels`);
    expect(body.detail).toContain("The carrier refused the second parcel.");
    expect(await shop.exceptionsOf(body.labelId)).toMatchObject([{ code: "outcome_unknown" }]);
    await org.post(`/shipments/labels/${body.labelId}/retry`);
    expect(shop.sales()).toHaveLength(1);
    expect((await shop.readLabel(body.labelId)).failure.code).toBe("outcome_unknown");
  });

  test("that is refused for all of them has failed", async () => {
    standIn.inject("stale_rate", { operation: "buy" });
    const { body } = await shop.buy(ground, twoParcels);
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "rate_expired" });
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

test("a label whose file cannot be fetched is purchased, and an exception says where to get the file", async () => {
  standIn.inject("label_unavailable", { operation: "label_file" });
  const { status, body } = await shop.buy(ground);
  expect([status, body.label.status, body.label.failure.code]).toEqual([201, "purchased", "content_missing"]);
  expect((await shop.exceptionsOf(body.label.id))[0].reason).toContain(body.label.trackingNumber);
  expect((await shop.fileOf(body.label.id)).status).toBe(409);
  expect(shop.sales()).toHaveLength(1);
});

test("fields that no document describes are ignored", async () => {
  standIn.inject("unknown_fields", { operation: "rate" });
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

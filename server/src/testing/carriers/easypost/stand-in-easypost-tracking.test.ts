import { beforeEach, expect, test } from "vitest";
import { startReceiver } from "../../stand-in-receiver.ts";
import { carrierClient } from "../ask-stand-in.ts";
import { basic, easypostFixture, from, parcel, to } from "./easypost-fixture.ts";
import { startEasypost } from "./stand-in-easypost.ts";

const { easypost, call, create, bought } = await easypostFixture();
beforeEach(() => easypost.calm());

test("trackers follow the scans; statuses, zones and numbers may surprise", async () => {
  const { tracking_code } = await bought();
  const place = { city: "DENVER", state: "CO", zip: "80202" };
  await easypost.scan(tracking_code, { status: "in_transit", statusDetail: "arrived_at_facility", place });
  const track = async (code: string) => (await call("POST", "/v2/trackers", { tracker: { tracking_code: code } })).body;
  expect(await track(tracking_code)).toMatchObject({
    status: "in_transit",
    tracking_details: [{ status_detail: "arrived_at_facility", tracking_location: { city: "DENVER" } }],
  });
  expect((await track(tracking_code)).id).toBe((await track(tracking_code)).id);
  easypost.inject("unknown_status");
  easypost.inject("events_without_zone");
  await easypost.scan(tracking_code, { status: "delivered", datetime: "2026-11-18T09:30:00Z" });
  const odd = await track(tracking_code);
  expect([odd.status, odd.tracking_details[1].datetime]).toEqual(["held_at_border", "2026-11-18T09:30:00"]);
  easypost.inject("local_time_as_utc");
  await easypost.scan(tracking_code, { status: "in_transit", datetime: "2026-11-18T15:00:00Z", place });
  expect((await track(tracking_code)).tracking_details[2]).toMatchObject({
    datetime: "2026-11-18T09:00:00Z",
    tracking_location: { zip: null },
  });
  easypost.inject("tracking_number_reused");
  expect((await bought()).tracking_code).toBe(tracking_code);
  expect((await call("GET", `/v2/trackers?tracking_code=${tracking_code}`)).body.trackers).toHaveLength(2);
  const batch = await call("POST", "/v2/trackers/batch", { tracking_codes: ["EZ4000000004"] });
  expect(batch.body.trackers).toMatchObject([{ status: "delivered", finalized: true }]);
});

test("in test mode only known tracking codes can be tracked", async () => {
  const other = await startEasypost();
  const inTest = carrierClient(other.url, basic(other.testKey));
  const refused = await inTest("POST", "/v2/trackers", { tracker: { tracking_code: "9400111899223197428490" } });
  expect(refused.body.error.code).toBe("TRACKER.CREATE.ERROR");
  await other.close();
});

test("webhooks are signed over their raw body, in which 14 ounces are 14.0", async () => {
  const receiver = await startReceiver();
  const webhook = {
    url: `${receiver.url}/easypost`,
    webhook_secret: "s\u00e9cret",
    custom_headers: [{ name: "x-site", value: "1" }],
  };
  const hook = (await call("POST", "/v2/webhooks", { webhook })).body;
  expect(hook).not.toHaveProperty("webhook_secret");
  const { tracking_code } = await bought();
  expect(await easypost.scan(tracking_code, { status: "in_transit", weight: 14 })).toEqual([204]);
  const { body, headers, event } = receiver.received[0]!;
  expect(event).toMatchObject({ description: "tracker.updated", previous_attributes: { status: "unknown" } });
  expect(body).toContain('"weight":14.0,');
  expect(headers["x-site"]).toBe("1");
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode("s\u00e9cret".normalize("NFKD")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const isSigned = (text: string) =>
    crypto.subtle.verify(
      "HMAC",
      key,
      Buffer.from(headers["x-hmac-signature"]!.replace("hmac-sha256-hex=", ""), "hex"),
      new TextEncoder().encode(text),
    );
  expect(await isSigned(body)).toBe(true);
  expect(await isSigned(JSON.stringify(JSON.parse(body)))).toBe(false);

  easypost.inject("duplicate_event");
  await easypost.scan(tracking_code, { status: "delivered" });
  expect(receiver.received[1]!.body).toBe(receiver.received[2]!.body);

  const { invoiceId } = await easypost.adjust(tracking_code, { amount: "1.25", reason: "reweigh", billedOunces: 32 });
  await easypost.adjust(tracking_code, { amount: "1.75", reason: "reweigh", billedOunces: 33 }, invoiceId);
  expect(receiver.received.slice(3, 5).map((one) => one.event)).toMatchObject([
    { description: "shipment.invoice.created", result: { id: invoiceId, adjustment_amount: "1.25" } },
    { description: "shipment.invoice.updated", result: { id: invoiceId, adjustment_amount: "1.75" } },
  ]);

  const refunded = await bought();
  await easypost.settleRefund(refunded.tracking_code, "refunded");
  expect(receiver.received.at(-1)!.event).toMatchObject({
    description: "refund.successful",
    result: { object: "Refund", tracking_code: refunded.tracking_code, status: "refunded", carrier: "USPS" },
  });

  easypost.disableWebhook(hook.id);
  expect(await easypost.scan(tracking_code, { status: "delivered" })).toEqual([]);
  await call("PATCH", `/v2/webhooks/${hook.id}`, {});
  const tracker = (await call("GET", `/v2/trackers?tracking_code=${tracking_code}`)).body.trackers[0];
  expect(await easypost.sendSigned(receiver.url, easypost.trackerEvent(tracker), "other")).toBe(204);
  expect((await call("GET", "/v2/webhooks")).body.webhooks).toMatchObject([{ id: hook.id, disabled_at: null }]);
  await call("DELETE", `/v2/webhooks/${hook.id}`);
  expect((await call("GET", "/v2/webhooks")).body.webhooks).toEqual([]);
  await expect(easypost.sendSigned("https://example.com/hook", "{}", "x")).rejects.toThrow("loopback only");
});

test("addresses are verified on request", async () => {
  const check = async (address: object, more: object = {}) =>
    (await call("POST", "/v2/addresses", { address, ...more })).body;
  expect((await check(to)).verifications).toEqual({});
  const verified = await check(to, { verify: true });
  expect(verified).toMatchObject({ street1: "14 ELM STREET", verifications: { delivery: { success: true } } });
  const unknown = { ...to, street1: "Nowhere" };
  expect((await check(unknown, { verify: true })).verifications.delivery.errors).toMatchObject([
    { code: "E.ADDRESS.NOT_FOUND" },
    { code: "E.HOUSE_NUMBER.MISSING" },
  ]);
  expect((await check(unknown, { verify_strict: true })).error.code).toBe("ADDRESS.VERIFY.FAILURE");
  const created = await call("POST", "/v2/addresses/create_and_verify", { address: to });
  expect([created.status, created.body.address.zip]).toEqual([200, "97201-2506"]);
  expect((await call("GET", `/v2/addresses/${verified.id}/verify`)).body.address.id).toBe(verified.id);
  const shipment = await create({ to_address: { id: verified.id } });
  expect(shipment.to_address.id).toBe(verified.id);
});

test("a pickup needs a bought shipment, is bought in a second step and cancelled once", async () => {
  const label = await bought();
  const given = { address: from, min_datetime: "2026-11-20T10:00:00Z", max_datetime: "2026-11-20T16:00:00Z" };
  const pickup = async (more: object) => call("POST", "/v2/pickups", { pickup: { ...given, ...more } });
  expect((await pickup({})).body.error.code).toBe("PICKUP.BATCH.REQUIRED");
  expect((await pickup({ shipment: { id: (await create()).id } })).body.error.code).toBe("PICKUP.REQUEST.INVALID");
  const made = (await pickup({ shipment: { id: label.id }, reference: "dock-1" })).body;
  expect(made).toMatchObject({
    status: "unknown",
    confirmation: null,
    pickup_rates: [{ carrier: "USPS", rate: "0.00" }],
  });
  const buyPickup = (service: string) => call("POST", `/v2/pickups/${made.id}/buy`, { carrier: "USPS", service });
  expect((await buyPickup("SameDay")).body.error.code).toBe("PICKUP.BUY.NO_MATCHING_RATES");
  easypost.inject("pickup_refused");
  expect((await buyPickup("NextDay")).body.error.code).toBe("PICKUP.BUY.FAILED");
  const booked = (await buyPickup("NextDay")).body;
  expect(booked).toMatchObject({ status: "scheduled", confirmation: expect.stringMatching(/^WTC\d{8}$/) });
  expect((await buyPickup("NextDay")).status).toBe(422);
  expect((await call("GET", "/v2/pickups/dock-1")).body.confirmation).toBe(booked.confirmation);
  easypost.inject("pickup_dispatched");
  expect((await call("POST", `/v2/pickups/${made.id}/cancel`, {})).status).toBe(422);
  expect((await call("POST", `/v2/pickups/${made.id}/cancel`, {})).body.status).toBe("canceled");
  expect((await call("POST", `/v2/pickups/${made.id}/cancel`, {})).status).toBe(422);
  expect(easypost.journal("book_pickup").filter(({ id }) => id === made.id)).toHaveLength(1);
});

test("a scan form takes unrefunded USPS labels of one origin, each once", async () => {
  const form = async (...ids: string[]) =>
    (await call("POST", "/v2/scan_forms", { scan_form: { shipments: ids.map((id) => ({ id })) } })).body;
  const [first, second] = [await bought(), await bought()];
  const ups = await bought({}, "UPS/Ground");
  expect((await form(first.id, ups.id)).error.code).toBe("SCAN_FORM.CREATE.CARRIER_NOT_SUPPORTED");
  const elsewhere = await bought({ from_address: { ...from, street1: "9 Other Road" } });
  expect((await form(first.id, elsewhere.id)).error.message).toContain("same origin");
  const made = await form(first.id, second.id);
  expect(made.tracking_codes).toEqual([first.tracking_code, second.tracking_code]);
  expect((await (await fetch(made.form_url)).text()).startsWith("%PDF-")).toBe(true);
  expect((await form(first.id)).error.code).toBe("SCAN_FORM.SHIPMENTS.INVALID");
});

test("an order has one shipment for each piece, priced together and bought together", async () => {
  const shipments = [{ parcel }, { parcel: { ...parcel, weight: 20 } }];
  const order = (
    await call("POST", "/v2/orders", { order: { to_address: to, from_address: from, shipments, reference: "two" } })
  ).body;
  const cents = (amount: string) => Math.round(Number(amount) * 100);
  const ground = ({ service }: { service: string }) => service === "GroundAdvantage";
  const pieces = order.shipments.map((one: { rates: { service: string; rate: string }[] }) =>
    cents(one.rates.find(ground)!.rate),
  );
  expect(cents(order.rates.find(ground).rate)).toBe(pieces[0] + pieces[1]);
  const paid = await call("POST", `/v2/orders/${order.id}/buy`, { carrier: "USPS", service: "GroundAdvantage" });
  const codes = paid.body.shipments.map((one: { tracking_code: string }) => one.tracking_code);
  expect(new Set(codes).size).toBe(2);
  expect(easypost.journal("buy").filter(({ reference }) => reference === "two")).toHaveLength(2);
  const again = await call("POST", `/v2/orders/${order.id}/buy`, { carrier: "USPS", service: "GroundAdvantage" });
  expect(again.body.error.code).toBe("SHIPMENT.POSTAGE.EXISTS");
  expect((await call("GET", "/v2/orders/two")).body.id).toBe(order.id);
});

import { beforeEach, expect, test } from "vitest";
import { startReceiver } from "../../stand-in-receiver.ts";
import { carrierClient } from "../ask-stand-in.ts";
import { karrioFixture, shipper } from "./karrio-fixture.ts";

const { karrio, call, buy, bought } = await karrioFixture();
beforeEach(() => karrio.calm());

const cancel = (id: string) => call("POST", `/v1/shipments/${id}/cancel`);

test("a cancel that is repeated is 202; a parcel on its way stays", async () => {
  const label = await bought();
  karrio.inject("void_refused");
  expect((await cancel(label.id)).status).toBe(424);
  const cancelled = await cancel(label.id);
  expect([cancelled.status, cancelled.body.status, cancelled.body.shipping_documents]).toEqual([200, "cancelled", []]);
  expect((await cancel(label.id)).status).toBe(202);
  expect(karrio.journal("void").filter(({ id }) => id === label.id)).toHaveLength(1);
  expect((await buy(label)).status).toBe(409);
  const moving = await bought();
  await karrio.scan(moving.tracking_number, { status: "in_transit" });
  expect((await cancel(moving.id)).body.errors[0].code).toBe("state_error");
});

test("trackers are created once, are public, and their events have no zone", async () => {
  const { tracking_number } = await bought();
  const track = async () => call("POST", "/v1/trackers", { tracking_number, carrier_name: "usps" });
  const first = await track();
  expect([first.status, first.body.status]).toEqual([202, "pending"]);
  await karrio.scan(tracking_number, {
    status: "in_transit",
    date: "2026-11-18",
    time: "09:30",
    location: "DENVER, CO",
  });
  await karrio.scan(tracking_number, { status: null, code: "KB" });
  const tracker = (await track()).body;
  expect(tracker).toMatchObject({
    id: first.body.id,
    events: [
      { code: "KB", status: null },
      { date: "2026-11-18", time: "09:30", timestamp: null, location: "DENVER, CO" },
    ],
  });
  karrio.inject("unknown_status");
  await karrio.scan(tracking_number, { status: "delivered", timestamp: "2026-11-19T10:00:00.000Z" });
  const seen = await carrierClient(karrio.url)("GET", `/v1/trackers/${tracking_number}`);
  expect([seen.status, seen.body.status, seen.body.delivered]).toEqual([200, "held_at_border", false]);
  const fresh = await call("POST", "/v1/trackers", { tracking_number: "1Z1", carrier_name: "ups" });
  expect(fresh.body.status).toBe("unknown");
  expect((await call("POST", "/v1/trackers", { tracking_number: "1Z1", carrier_name: "pigeon" })).status).toBe(400);
});

test("webhooks carry their secret in a header and are disabled after six failures", async () => {
  const receiver = await startReceiver();
  const hook = (await call("POST", "/v1/webhooks", { url: receiver.url, enabled_events: ["tracker_updated"] })).body;
  expect(hook.secret).toMatch(/^whsec_/);
  const { tracking_number } = await bought();
  karrio.inject("duplicate_event");
  expect(await karrio.scan(tracking_number, { status: "in_transit" })).toEqual([204, 204]);
  expect(receiver.received[0]!.headers["x-event-id"]).toBe(hook.secret);
  expect(receiver.received[0]!.event).toMatchObject({
    event: "tracker_updated",
    data: { tracking_number, status: "in_transit" },
  });
  expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body);
  receiver.always = { status: 500 };
  for (let count = 0; count < 6; count++) await karrio.scan(tracking_number, { status: "in_transit" });
  expect(await karrio.scan(tracking_number, { status: "delivered" })).toEqual([]);
  const listed = async () => (await call("GET", "/v1/webhooks")).body.results;
  expect(await listed()).toMatchObject([{ id: hook.id, disabled: true }]);
  await call("PATCH", `/v1/webhooks/${hook.id}`, { disabled: false });
  expect(await karrio.scan(tracking_number, { status: "delivered" })).toEqual([500]);
  await call("DELETE", `/v1/webhooks/${hook.id}`);
  expect(await listed()).toEqual([]);
});

test("a pickup holds its shipments, and a second cancel is 409 with the pickup", async () => {
  const label = await bought();
  const times = { pickup_date: "2026-11-20", ready_time: "10:00", closing_time: "16:00" };
  const book = (more: object) => call("POST", "/v1/pickups", { ...times, ...more });
  expect((await book({})).status).toBe(400);
  expect((await book({ parcels_count: 3 })).body.errors[0].message).toContain("address");
  expect((await book({ tracking_numbers: ["1Z0"] })).status).toBe(400);
  expect((await book({ tracking_numbers: [label.tracking_number], ready_time: "10 am" })).status).toBe(400);
  karrio.inject("pickup_refused");
  expect((await book({ tracking_numbers: [label.tracking_number] })).status).toBe(424);
  const pickup = (await book({ tracking_numbers: [label.tracking_number] })).body;
  expect(pickup).toMatchObject({
    status: "scheduled",
    confirmation_number: expect.stringMatching(/^\d{8}$/),
    carrier_name: "usps",
  });
  expect((await cancel(label.id)).body.errors[0].message).toContain(pickup.id);
  const cancelPickup = () => call("POST", `/v1/pickups/${pickup.id}/cancel`, { reason: "closed" });
  karrio.inject("pickup_dispatched");
  expect((await cancelPickup()).status).toBe(424);
  expect((await cancelPickup()).body.status).toBe("cancelled");
  expect(await cancelPickup()).toMatchObject({ status: 409, body: { id: pickup.id, status: "cancelled" } });
  const standalone = await call("POST", "/v1/pickups/ups/schedule", { ...times, address: shipper, parcels_count: 3 });
  expect([standalone.status, standalone.headers.get("deprecation")]).toEqual([201, "true"]);
  expect(standalone.body.pickup_charge.amount).toBe(6.5);
  expect((await call("GET", "/v1/pickups")).body.count).toBe(2);
});

test("a manifest leaves out shipments that do not fit, and takes none twice", async () => {
  const [label, other] = [
    await bought(),
    await bought({ service: undefined, carrier_ids: [karrio.connectionIds.ups] }),
  ];
  const close = (...shipment_ids: string[]) =>
    call("POST", "/v1/manifests", { carrier_name: "usps", address: shipper, shipment_ids });
  karrio.inject("manifest_refused");
  expect((await close(label.id)).status).toBe(424);
  const manifest = await close(label.id, other.id);
  expect([manifest.status, manifest.body.shipment_identifiers]).toEqual([201, [label.tracking_number]]);
  const document = (await call("POST", `/v1/manifests/${manifest.body.id}/document`)).body;
  expect(Buffer.from(document.base64, "base64").toString()).toContain("%PDF-1.4");
  expect((await call("GET", `/v1/manifests/${manifest.body.id}`)).body.id).toBe(manifest.body.id);
  expect((await close(label.id)).status).toBe(400);
});

import { createPublicKey, verify } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { startReceiver } from "../../stand-in-receiver.ts";
import { carrierClient } from "../ask-stand-in.ts";
import { from, shipengineFixture, to } from "./shipengine-fixture.ts";

const { shipengine, call, bought } = await shipengineFixture();
beforeEach(() => shipengine.calm());
const { ups } = shipengine.carrierIds;

test("a void that is not approved is 200", async () => {
  const voidLabel = async (id: string) => call("PUT", `/v1/labels/${id}/void`);
  const label = await bought();
  shipengine.inject("void_refused");
  expect(await voidLabel(label.label_id)).toMatchObject({ status: 200, body: { approved: false } });
  expect(await voidLabel(label.label_id)).toMatchObject({ status: 200, body: { approved: true } });
  expect((await voidLabel(label.label_id)).body.reason_code).toBe("label_already_voided");
  expect((await call("GET", `/v1/labels/${label.label_id}`)).body).toMatchObject({ status: "voided", voided: true });
  const used = await bought();
  await shipengine.scan(used.tracking_number, { statusCode: "IT" });
  expect((await voidLabel(used.label_id)).body.reason_code).toBe("label_already_used");
  expect((await voidLabel("se-1")).status).toBe(404);
});

test("tracking follows the scans, newest first, with local times without a zone beside UTC", async () => {
  const { label_id, tracking_number } = await bought();
  const track = async () => (await call("GET", `/v1/labels/${label_id}/track`)).body;
  expect(await track()).toMatchObject({ status_code: "NY", events: [] });
  const place = { city: "MCKINNEY", state: "TX", zip: "75071" };
  await shipengine.scan(tracking_number, {
    statusCode: "IT",
    statusDetailCode: "OUT_FOR_DELIVERY",
    place,
    occurredAt: "2026-11-18T12:42:00Z",
    carrierOccurredAt: "2026-11-18T06:42:00",
  });
  shipengine.inject("blank_event_status");
  shipengine.inject("events_without_zone");
  await shipengine.scan(tracking_number, { statusCode: "DE", occurredAt: "2026-11-18T18:00:00Z" });
  expect(await track()).toMatchObject({
    status_code: "DE",
    events: [
      { status_code: "", occurred_at: "2026-11-18T18:00:00" },
      { status_detail_code: "OUT_FOR_DELIVERY", carrier_occurred_at: "2026-11-18T06:42:00" },
    ],
  });
  shipengine.inject("unknown_status");
  await shipengine.scan(tracking_number, { statusCode: "EX" });
  const byNumber = (query: string) => call("GET", `/v1/tracking?${query}`);
  expect((await byNumber(`carrier_code=stamps_com&tracking_number=${tracking_number}`)).body.status_code).toBe("XX");
  expect((await byNumber("carrier_code=stamps_com&tracking_number=1")).body.status_code).toBe("UN");
  expect((await byNumber("carrier_code=pigeon&tracking_number=1")).status).toBe(400);
  expect((await call("POST", `/v1/tracking/start?carrier_code=ups&tracking_number=1`)).status).toBe(204);
});

test("webhooks are signed by a key of the published list, over time and raw body", async () => {
  const receiver = await startReceiver();
  const webhook = { event: "track", url: `${receiver.url}/se`, headers: [{ key: "x-site", value: "1" }] };
  const made = (await call("POST", "/v1/environment/webhooks", webhook)).body;
  expect((await call("POST", "/v1/environment/webhooks", webhook)).status).toBe(409);
  const { tracking_number } = await bought();
  expect(await shipengine.scan(tracking_number, { statusCode: "AC" })).toEqual([204]);
  shipengine.rotateSigningKey();
  shipengine.inject("duplicate_event");
  await shipengine.scan(tracking_number, { statusCode: "DE" });
  const { keys } = (await carrierClient(shipengine.url)("GET", "/jwks")).body;
  expect(keys).toHaveLength(2);
  for (const { headers, body } of receiver.received) {
    const jwk = keys.find((one: { kid: string }) => one.kid === headers["x-shipengine-rsa-sha256-key-id"]);
    const signature = Buffer.from(headers["x-shipengine-rsa-sha256-signature"]!, "base64");
    const isSigned = (text: string) =>
      verify("sha256", Buffer.from(text), createPublicKey({ key: jwk, format: "jwk" }), signature);
    expect(isSigned(`${headers["x-shipengine-timestamp"]}.${body}`)).toBe(true);
    expect(isSigned(body)).toBe(false);
  }
  expect(receiver.received.map(({ headers }) => headers["x-site"])).toEqual(["1", "1", "1"]);
  expect(receiver.received[2]!.event).toMatchObject({
    resource_type: "API_TRACK",
    data: { tracking_number, status_code: "DE" },
  });
  expect(receiver.received[1]!.body).toBe(receiver.received[2]!.body);
  expect(await shipengine.sendSigned(receiver.url, "{}", new Date(0))).toBe(204);
  expect(receiver.received[3]!.headers["x-shipengine-timestamp"]).toBe("1970-01-01T00:00:00.000Z");
  expect((await call("DELETE", `/v1/environment/webhooks/${made.webhook_id}`)).status).toBe(204);
  expect((await call("GET", "/v1/environment/webhooks")).body).toEqual([]);
});

test("a pickup takes labels of one carrier and place, in local time whatever offset is sent", async () => {
  const label = await bought();
  const contact_details = { name: "Dock", email: "dock@example.com", phone: "5125550100" };
  const pickup_window = { start_at: "2026-11-20T10:00:00-06:00", end_at: "2026-11-20T16:00:00Z" };
  const book = (...label_ids: string[]) => call("POST", "/v1/pickups", { label_ids, contact_details, pickup_window });
  const other = await bought({ carrier_id: ups, service_code: "ups_ground" });
  expect((await book(label.label_id, other.label_id)).body.errors[0].error_code).toBe("carrier_conflict");
  const elsewhere = await bought({ ship_from: { ...from, address_line1: "9 Other Road" } });
  expect((await book(label.label_id, elsewhere.label_id)).body.errors[0].error_code).toBe("warehouse_conflict");
  expect((await call("POST", "/v1/pickups", { label_ids: [label.label_id], pickup_window })).status).toBe(400);
  shipengine.inject("pickup_refused");
  expect(await book(label.label_id)).toMatchObject({
    status: 200,
    body: { confirmation_number: null, errors: [{ error_source: "carrier" }] },
  });
  const pickup = (await book(label.label_id)).body;
  expect(pickup).toMatchObject({
    confirmation_number: expect.stringMatching(/^PKP\d{8}$/),
    pickup_window: { start_at: "2026-11-20T10:00:00Z", end_at: "2026-11-20T16:00:00Z" },
    errors: [],
  });
  expect(shipengine.journal("book_pickup")).toHaveLength(1);
  const cancel = () => call("DELETE", `/v1/pickups/${pickup.pickup_id}`);
  shipengine.inject("pickup_dispatched");
  expect(await cancel()).toMatchObject({ status: 200, body: { errors: [{}] } });
  expect(await cancel()).toMatchObject({ status: 200, body: { errors: [] } });
  expect((await cancel()).status).toBe(400);
  expect((await call("GET", `/v1/pickups/${pickup.pickup_id}`)).body.cancelled_at).toEqual(expect.any(String));
});

test("a manifest is requested, and ready some time later", async () => {
  const labels = [await bought(), await bought()];
  const label_ids = labels.map(({ label_id }) => label_id);
  const request = (ids: string[]) => call("POST", "/v1/manifests", { label_ids: ids });
  const other = await bought({ carrier_id: ups, service_code: "ups_ground" });
  expect((await request([other.label_id])).body.errors[0].error_code).toBe("carrier_not_supported");
  shipengine.inject("manifest_refused");
  expect(await request(label_ids)).toMatchObject({ status: 200, body: { manifest_requests: [], errors: [{}] } });
  const { manifests, manifest_requests } = (await request(label_ids)).body;
  expect([manifests, manifest_requests[0].status]).toEqual([[], "in_progress"]);
  const poll = async () =>
    (await call("GET", `/v1/manifests/requests/${manifest_requests[0].manifest_request_id}`)).body;
  expect((await poll()).manifests).toEqual([]);
  const ready = await poll();
  expect(ready).toMatchObject({
    manifest_requests: [{ status: "completed" }],
    manifests: [{ label_ids, shipments: 2 }],
  });
  const { manifest_id, manifest_download } = ready.manifests[0];
  expect((await call("GET", `/v1/manifests/${manifest_id}`)).body.label_ids).toEqual(label_ids);
  expect((await (await fetch(manifest_download.href)).text()).startsWith("%PDF")).toBe(true);
  expect((await request(label_ids)).body.errors[0].error_code).toBe("invalid_status");
});

test("addresses are checked in the order in which they were sent", async () => {
  const check = (...addresses: object[]) => call("POST", "/v1/addresses/validate", addresses);
  const { body } = await check(
    { ...to, postal_code: "97201" },
    { ...to, address_line1: "Nowhere" },
    { ...to, country_code: "DE" },
  );
  expect(body).toMatchObject([
    { status: "verified", matched_address: { address_line1: "14 ELM STREET", postal_code: "97201-0007" } },
    { status: "error", matched_address: null, messages: [{ detail_code: "missing_house_number" }] },
    { status: "unverified", messages: [{ code: "a1001" }] },
  ]);
  shipengine.inject("one_object");
  expect((await check(to)).body).toMatchObject({ status: "verified" });
  expect((await check({ ...to, postal_code: 97201 })).status).toBe(400);
});

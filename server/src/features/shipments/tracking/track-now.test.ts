import { describe, expect, test } from "vitest";
import { RemoteError } from "../../../core/remote-error.ts";
import { afterFile } from "../../../testing/after-file.ts";
import { reportEach, scriptTracking } from "../../../testing/scripted-tracking.ts";
import type { TestClient } from "../../../testing/test-client.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { startWork, workOff } from "../../../queue/work.ts";
import { trackingWork } from "../shipments.ts";

const hub = await startTestHub();
const org = await hub.org();
const hourMs = 3_600_000;
const start = Date.parse("2026-03-02T15:00:00.000Z");
const iso = (ms: number): string => new Date(ms).toISOString();
const setClock = (ms: number): void => hub.world.clock.set({ mode: "frozen", at: iso(ms) });
afterFile(() => hub.world.clock.set({ mode: "real" }));

let count = 0;
async function parcel(client: TestClient, more: object = {}): Promise<string> {
  setClock(start);
  const request = { trackingNumber: `T${++count}`, carrier: "demo", destination: { zip: "60601" }, ...more };
  return (await client.post("/shipments", request)).body.id;
}

describe("asking now", () => {
  test("is refused with the reason when no carrier can be asked", async () => {
    const refused = async (id: string) => {
      const { status, body } = await org.post(`/shipments/${id}/track`);
      return { status, code: body.code, detail: body.detail, trackingCarriers: body.trackingCarriers };
    };
    const id = await parcel(org);
    expect(await refused(id)).toMatchObject({
      status: 409,
      code: "no_tracking_carrier",
      detail: expect.stringMatching(/Carriers with tracking: .*demo\./),
      trackingCarriers: expect.arrayContaining(["demo", "ups"]),
    });
    const account = (await org.post("/carrier-accounts", { name: "Trial", carrier: "demo" })).body;
    expect((await org.post(`/shipments/${id}/track`)).status).toBe(200);
    await org.patch(`/carrier-accounts/${account.id}`, { isActive: false });
    expect(await refused(id)).toMatchObject({ status: 409, code: "no_tracking_carrier" });
    await org.patch(`/carrier-accounts/${account.id}`, { isActive: true });
    expect((await refused(await parcel(org, { carrier: "ups" }))).code).toBe("no_tracking_carrier");
    const nameless = (await org.post("/shipments", { trackingNumber: "T-no-carrier" })).body.id;
    expect((await refused(nameless)).detail).toContain("has no carrier");
    const numberless = (await org.post("/shipments", { carrier: "demo" })).body.id;
    expect(await refused(numberless)).toMatchObject({ status: 409, code: "no_tracking_number" });
    const closed = await parcel(org, { deliveredAt: iso(start) });
    expect(await refused(closed)).toMatchObject({ status: 409, code: "invalid_state" });
    const voided = await parcel(org);
    await org.post(`/shipments/${voided}/void`);
    expect(await refused(voided)).toMatchObject({ status: 409, code: "invalid_state" });
  });

  test("a demo parcel sets out when it was shipped, arrives after days, and the overview counts it", async () => {
    const id = await parcel(org);
    const ask = async () => (await org.post(`/shipments/${id}/track`)).body;
    setClock(start + 60_000);
    const first = await ask();
    expect(first).toMatchObject({ wasPolled: true, hasUpdates: true, shipment: { id, status: "pre_transit" } });
    expect(first.shipment.events).toMatchObject([{ at: iso(start), description: "Label created" }]);
    setClock(start + 2 * 60_000);
    expect(await ask()).toMatchObject({ wasPolled: true, hasUpdates: false, shipment: { version: 2 } });
    setClock(start + 16 * hourMs);
    expect(await ask()).toMatchObject({ hasUpdates: true, shipment: { status: "in_transit" } });
    const delivered = async () => (await org.get("/v1/overview")).body.data.delivered;
    const before = await delivered();
    setClock(start + 10 * 24 * hourMs);
    const last = await ask();
    expect(last).toMatchObject({ hasUpdates: true, shipment: { status: "delivered", promiseSource: "carrier" } });
    expect(last.shipment.deliveredAt > iso(start)).toBe(true);
    expect(await delivered()).toBe(before + 1);
  });

  test("at the same moment, the carrier is asked once", async () => {
    const id = await parcel(org);
    setClock(start + hourMs);
    const answer = Promise.withResolvers<void>();
    const isMeant = (one: { trackingNumber: string }): boolean => one.trackingNumber === `T${count}`;
    const { asked, undo } = scriptTracking("demo", async (_call, given) => {
      if (given.some(isMeant)) await answer.promise;
      return reportEach(given, { at: iso(start), status: "in_transit" });
    });
    const first = org.post(`/shipments/${id}/track`);
    await expect.poll(() => asked.length).toBe(1);
    const others = await Promise.all([1, 2, 3].map(() => org.post(`/shipments/${id}/track`)));
    await workOff(hub.world, trackingWork);
    for (const { status, body } of others) expect({ status, ...body }).toMatchObject({ status: 200, wasPolled: false });
    answer.resolve();
    expect((await first).body).toMatchObject({ wasPolled: true, hasUpdates: true, shipment: { status: "in_transit" } });
    expect(asked.filter(({ parcels }) => parcels.some(isMeant)).length).toBe(1);
    undo();
  });

  test.each([
    [new RemoteError("bad_key", "The key is not known."), "The key is not known.", "bad_key"],
    [new RemoteError("busy", "Come back later.", { retryable: true }), "Come back later.", undefined],
    [new TypeError("defect"), "The carrier could not be called.", undefined],
  ])("%s is answered with 502, and one may ask again at once", async (error, detail, carrierCode) => {
    const id = await parcel(org);
    const { asked, undo } = scriptTracking("demo", () => Promise.reject(error));
    for (const times of [1, 2]) {
      const { status, body } = await org.post(`/shipments/${id}/track`);
      expect({ status, ...body }).toMatchObject({ status: 502, code: "carrier_failed", detail });
      expect(body.carrierCode).toBe(carrierCode);
      expect(asked.length).toBe(times);
    }
    undo();
    expect((await org.post(`/shipments/${id}/track`)).body).toMatchObject({ wasPolled: true, hasUpdates: true });
  });

  test("the same request again under one Idempotency-Key has the same answer", async () => {
    const id = await parcel(org);
    const headers = { "idempotency-key": "track-once" };
    const first = await org.post(`/shipments/${id}/track`, undefined, { headers });
    setClock(start + 100 * hourMs);
    const again = await org.post(`/shipments/${id}/track`, undefined, { headers });
    expect(again.text).toBe(first.text);
    expect(first.body.hasUpdates).toBe(true);
  });
});

test("the preview asks no carrier outside, unless that is allowed", async () => {
  const preview = await startTestHub({ environment: "preview" });
  const own = await preview.org();
  await own.post("/carrier-accounts", { name: "Real", carrier: "demo" });
  const id = await parcel(own);
  const { asked, undo } = scriptTracking("demo", async () => [], { isLocal: false });
  const { status, body } = await own.post(`/shipments/${id}/track`);
  expect({ status, code: body.code }).toEqual({ status: 409, code: "outbound_disabled_in_preview" });
  preview.advance(hourMs);
  await workOff(preview.world, trackingWork);
  expect(asked).toEqual([]);
  preview.world.settings.outbound.allowFromPreview = true;
  expect((await own.post(`/shipments/${id}/track`)).status).toBe(200);
  expect(asked.length).toBe(1);
  undo();
});

test("in the preview a demo parcel arrives when the clock is advanced, without a tracking request", async () => {
  const preview = await startTestHub({ environment: "preview" });
  const own = await preview.org();
  await own.post("/carrier-accounts", { name: "Trial", carrier: "demo" });
  const { body: made } = await own.post("/shipments", { trackingNumber: "P1", carrier: "demo" });
  const worker = startWork(preview.world, trackingWork, { slots: 2 });
  const status = async () => (await own.get(`/shipments/${made.id}`)).body.status;
  await preview.operator.post("/preview/clock", { advanceSeconds: 20 * 3_600 });
  await expect.poll(status, { timeout: 40_000 }).toBe("in_transit");
  await preview.operator.post("/preview/clock", { advanceSeconds: 10 * 24 * 3_600 });
  await expect.poll(status, { timeout: 40_000 }).toBe("delivered");
  // A clock that is set back does not keep the hub from looking.
  await preview.operator.post("/preview/clock", { reset: true });
  const { body: next } = await own.post("/shipments", { trackingNumber: "P2", carrier: "demo" });
  await preview.operator.post("/preview/clock", { advanceSeconds: 3_600 });
  await expect
    .poll(async () => (await own.get(`/shipments/${next.id}`)).body.lastPolledAt, { timeout: 40_000 })
    .not.toBeNull();
  await worker.stop();
});

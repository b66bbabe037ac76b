import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { VoidAnswer } from "../../carriers/seam/labels.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { workOff } from "../../queue/work.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";
import { labelWork } from "./labels.ts";

const hub = await startTestHub();
const org = await hub.org();
const desk = scriptLabels();

const monday = Date.parse("2026-03-02T15:00:00Z");
const setDay = (days: number): void =>
  hub.world.clock.set({ mode: "frozen", at: new Date(monday + days * 86_400_000).toISOString() });
beforeEach(() => {
  setDay(0);
  desk.refundChecks.length = 0;
});
afterAll(() => hub.world.clock.set({ mode: "real" }));

let carrierAccountId: string = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
const read = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
const typesOf = async (objectId: string): Promise<string[]> =>
  (await org.get(`/audit?objectId=${objectId}`)).body.data.map(({ type }: { type: string }) => type).toReversed();
const exceptionsOf = async (labelId: string) =>
  (await org.get("/exceptions?kind=label")).body.data.filter(
    ({ subject }: { subject: { id: string } }) => subject.id === labelId,
  );

/** A label that was voided with this answer. */
async function voided(answer: VoidAnswer) {
  const wanted = { ...aParcel, carrierAccountId, reference: `R-${randomUUID()}` };
  const { label, shipment } = (await org.post("/shipments/labels", wanted)).body;
  desk.nextVoids.push(() => answer);
  const { status, body } = await org.delete(`/shipments/labels/${label.id}`);
  return { id: label.id as string, shipmentId: shipment.id as string, status, body };
}

test("a label that was never voided has no refund", async () => {
  const { label } = (await org.post("/shipments/labels", { ...aParcel, carrierAccountId })).body;
  expect(label.refund).toEqual({ state: "none", message: null, checkedAt: null });
});

test.each(["voided", "not_applicable"] as const)("a void that is answered with %s is settled", async (state) => {
  const { id, status, body } = await voided({ state, message: "As you wish" });
  expect([status, body.status]).toEqual([200, "voided"]);
  expect(body.refund).toEqual({ state, message: "As you wish", checkedAt: "2026-03-02T15:00:00.000Z" });
  setDay(2);
  await workOff(hub.world, labelWork);
  expect([desk.refundChecks, (await typesOf(id)).at(-1)]).toEqual([[], "label.voided"]);
});

describe("a submitted refund", () => {
  test("counts as voided, and is asked about once a day until it is settled", async () => {
    const { id, shipmentId, status, body } = await voided({ state: "submitted", carrierData: { refund: "rfnd_1" } });
    expect([status, body.status, body.refund.state]).toEqual([200, "voided", "submitted"]);
    expect((await org.get(`/shipments/${shipmentId}`)).body.voidedAt).not.toBeNull();
    setDay(0.9);
    await workOff(hub.world, labelWork);
    expect(desk.refundChecks).toEqual([]);
    const { version } = await read(id);
    desk.nextRefunds.push(
      () => ({ state: "submitted" }),
      () => Promise.reject(new RemoteError("down", "The carrier is down.", { retryable: true })),
      () => Promise.reject(new RemoteError("not_found", "Unknown refund.")),
      () => ({ state: "voided", message: "Refunded" }),
    );
    for (let day = 1; day <= 4; day++) {
      setDay(day);
      await workOff(hub.world, labelWork);
      await workOff(hub.world, labelWork);
      expect(desk.refundChecks).toHaveLength(day);
      // Polls without news are no changes.
      if (day < 4) expect(await read(id)).toMatchObject({ version, refund: { state: "submitted" } });
    }
    expect(desk.refundChecks[0]).toMatchObject({
      carrierData: { refund: "rfnd_1" },
      trackingNumbers: [expect.any(String)],
    });
    expect((await read(id)).refund).toMatchObject({ state: "voided", message: "Refunded" });
    expect((await typesOf(id)).slice(-2)).toEqual(["label.voided", "label.refunded"]);
    setDay(6);
    await workOff(hub.world, labelWork);
    expect(desk.refundChecks).toHaveLength(4);
  });

  test("that is rejected later opens an exception; the label stays void", async () => {
    const { id } = await voided({ state: "submitted" });
    desk.nextRefunds.push(() => ({ state: "rejected", message: "The parcel was scanned" }));
    setDay(1);
    await workOff(hub.world, labelWork);
    expect(await read(id)).toMatchObject({ status: "voided", refund: { state: "rejected" } });
    expect(await exceptionsOf(id)).toMatchObject([
      { code: "refund_rejected", reason: "The parcel was scanned", availableActions: [{ action: "dismiss" }] },
    ]);
    const clerk = await org.withScopes(["shipments:read"]);
    expect((await clerk.get(`/shipments/labels/${id}`)).body.refund).toMatchObject({
      state: "rejected",
      message: null,
    });
  });

  test("is no longer asked about after 60 days; an exception asks the user to do so", async () => {
    const { id } = await voided({ state: "submitted" });
    for (let day = 1; day <= 65; day++) {
      if (day === 60) expect(await exceptionsOf(id)).toEqual([]);
      setDay(day);
      await workOff(hub.world, labelWork);
    }
    expect(desk.refundChecks).toHaveLength(60);
    expect(await read(id)).toMatchObject({ status: "voided", refund: { state: "submitted" } });
    expect(await exceptionsOf(id)).toMatchObject([
      { code: "refund_undecided", timesSeen: 1, availableActions: [{ action: "dismiss" }] },
    ]);
    expect((await typesOf(id)).at(-1)).toBe("label.refund_undecided");
  });

  test("of a carrier that cannot be asked is one for the user after 60 days, too", async () => {
    const { id } = await voided({ state: "submitted" });
    await org.delete(`/carrier-accounts/${carrierAccountId}`);
    setDay(59);
    await workOff(hub.world, labelWork);
    expect(await exceptionsOf(id)).toEqual([]);
    setDay(61);
    await workOff(hub.world, labelWork);
    expect(await exceptionsOf(id)).toMatchObject([{ code: "refund_undecided" }]);
    carrierAccountId = (await org.post("/carrier-accounts", { name: "Demo again", carrier: "demo" })).body.id;
  });
});

test("a void that is rejected leaves the label purchased", async () => {
  const { id, status, body } = await voided({ state: "rejected", message: "Too late" });
  expect([status, body.code, body.carrierCode]).toEqual([409, "label_not_voidable", "void_rejected"]);
  expect(await read(id)).toMatchObject({ status: "purchased", refund: { state: "rejected", message: "Too late" } });
  expect(await exceptionsOf(id)).toMatchObject([{ code: "void_rejected" }]);
  expect((await org.delete(`/shipments/labels/${id}`)).body).toMatchObject({
    status: "voided",
    refund: { state: "voided" },
  });
});

test("a void that is answered with nonsense is asked for again", async () => {
  const { id, status } = await voided({ state: "perhaps" } as unknown as VoidAnswer);
  expect([status, (await read(id)).isVoidPending]).toEqual([502, true]);
  setDay(1);
  await workOff(hub.world, labelWork);
  expect((await read(id)).status).toBe("voided");
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { pickupWork } from "./pickups.ts";

const hub = await startTestHub();
const org = await hub.org();
const monday = "2026-03-02T15:00:00.000Z";
const setClock = (at: string): void => hub.world.clock.set({ mode: "frozen", at });
beforeEach(() => setClock(monday));
afterAll(() => hub.world.clock.set({ mode: "real" }));

const dock = { ...aParcel.from, phone: "+1 973 555 0100" };
const window = { readyTime: "13:00", closeTime: "17:00" };

async function aCarrier(settings: object = {}) {
  const { body } = await org.post("/carrier-accounts", { name: `Demo ${randomUUID()}`, carrier: "demo", settings });
  const carrierAccountId: string = body.id;
  const request = { carrierAccountId, pickupDate: "2026-03-04", pickupAddress: dock, fromLabels: true, ...window };
  return {
    carrierAccountId,
    request,
    buy: async (more: object = {}): Promise<string> => {
      const bought = await org.post("/shipments/labels", {
        ...aParcel,
        carrierAccountId,
        shipDate: "2026-03-04",
        ...more,
      });
      expect(bought.status, JSON.stringify(bought.body)).toBe(201);
      return bought.body.label.id;
    },
    book: async (more: object = {}) => await org.post("/pickups", { ...request, ...more }),
    check: async (more: object = {}) => (await org.post("/pickups/check", { ...request, ...more })).body,
  };
}

async function labelsOf(pickupId: string): Promise<string[]> {
  const { body } = await org.get(`/shipments/labels?pickupId=${pickupId}`);
  return body.data.map(({ id }: { id: string }) => id).toSorted();
}

describe("a pickup from labels", () => {
  test("has their packages, weight and services, in the preview as in the booking", async () => {
    const { buy, book, check } = await aCarrier();
    const ids = [
      await buy(),
      await buy({ service: "NAT_2DAY" }),
      await buy({
        weight: undefined,
        parcels: [{ weight: { value: 1, unit: "lb" } }, { weight: { value: 8, unit: "oz" } }],
      }),
    ];
    const preview = await check();
    expect(preview).toMatchObject({ ok: true, errors: [], labels: { packageCount: 4, group: null } });
    expect(preview.labels.labelIds.toSorted()).toEqual(ids.toSorted());
    expect(preview.labels.totalWeight).toEqual({ value: 6.5, unit: "lb" });
    expect(preview.labels.services).toEqual(
      expect.arrayContaining([
        { service: "NAT_GROUND", packageCount: 3 },
        { service: "NAT_2DAY", packageCount: 1 },
      ]),
    );
    const { status, body } = await book();
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "scheduled", packageCount: 4, labelCount: 3, group: null });
    expect(body.totalWeight).toEqual({ value: 6.5, unit: "lb" });
    expect(await labelsOf(body.id)).toEqual(ids.toSorted());
    expect((await org.get(`/shipments/labels/${ids[0]}`)).body.pickupId).toBe(body.id);
  });

  test("leaves out labels of other days, places and accounts, voided ones, and parcels the carrier has", async () => {
    const { buy, check } = await aCarrier();
    const other = await aCarrier();
    const wanted = await buy();
    await buy({ shipDate: "2026-03-05" });
    await buy({ from: { ...aParcel.from, address1: "2 Port Street" } });
    await other.buy();
    const voided = await buy();
    expect((await org.delete(`/shipments/labels/${voided}`)).status).toBe(200);
    const scanned = (await org.get(`/shipments/labels/${await buy()}`)).body;
    const scan = { status: "picked_up", at: "2026-03-02T15:00:00Z" };
    expect((await org.post(`/shipments/${scanned.shipmentId}/events`, scan)).status).toBeLessThan(300);
    expect((await check()).labels).toMatchObject({ labelIds: [wanted], packageCount: 1 });
  });

  test("takes labels of earlier ship dates only when asked to", async () => {
    const { buy, check } = await aCarrier();
    const early = await buy({ shipDate: "2026-03-02" });
    expect(await check()).toMatchObject({ ok: false, labels: { packageCount: 0 } });
    expect((await check({ earlierShipDays: 1 })).labels.labelIds).toEqual([]);
    expect((await check({ earlierShipDays: 2 })).labels.labelIds).toEqual([early]);
  });

  test("is refused without labels", async () => {
    const { book } = await aCarrier();
    const { status, body } = await book();
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: "/fromLabels", code: "no_labels" }]);
  });

  test("takes neither a count nor a weight, and only it takes a group", async () => {
    const { book, buy } = await aCarrier();
    await buy();
    for (const field of [{ packageCount: 3 }, { totalWeight: { value: 1, unit: "lb" } }]) {
      const { status, body } = await book(field);
      expect(status).toBe(400);
      expect(body.errors).toMatchObject([{ pointer: `/${Object.keys(field)[0]}`, code: "not_with_labels" }]);
    }
    const grouped = await book({ fromLabels: false, packageCount: 1, group: "Ground" });
    expect(grouped.body.errors).toMatchObject([{ pointer: "/group", code: "only_with_labels" }]);
    const bare = await book({ fromLabels: undefined });
    expect(bare.status).toBe(400);
    expect(bare.body.errors).toMatchObject([{ pointer: "/packageCount", code: "required" }]);
  });

  test("keeps its labels from another pickup until it is cancelled", async () => {
    const { buy, book } = await aCarrier();
    const label = await buy();
    const first = await book();
    const second = await book({ allowDuplicate: true });
    expect(second.body.errors).toMatchObject([{ code: "no_labels" }]);
    expect((await org.delete(`/pickups/${first.body.id}`)).body.status).toBe("cancelled");
    expect(await labelsOf(first.body.id)).toEqual([]);
    const third = await book();
    expect(third.status).toBe(201);
    expect(await labelsOf(third.body.id)).toEqual([label]);
  });

  test("frees its labels when the carrier rejects it, and when no driver comes", async () => {
    const { carrierAccountId, buy, book } = await aCarrier({ refusePickups: true });
    const label = await buy();
    const rejected = await book();
    expect(rejected.status).toBe(502);
    expect(await labelsOf(rejected.body.pickupId)).toEqual([]);
    await org.patch(`/carrier-accounts/${carrierAccountId}`, { settings: { refusePickups: false, missPickups: true } });
    const { body } = await book();
    expect(await labelsOf(body.id)).toEqual([label]);
    setClock("2026-03-04T23:00:00Z");
    await workOff(hub.world, pickupWork);
    expect((await org.get(`/pickups/${body.id}`)).body.status).toBe("missed");
    expect(await labelsOf(body.id)).toEqual([]);
  });

  test("two requests at the same time do not collect one label twice", async () => {
    const { buy, book } = await aCarrier();
    const label = await buy();
    const answers = await Promise.all(Array.from({ length: 4 }, () => book({ allowDuplicate: true })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 201).every(({ status }) => [400, 409].includes(status))).toBe(
      true,
    );
    expect(await labelsOf(answers.find(({ status }) => status === 201)!.body.id)).toEqual([label]);
  });

  test("a reschedule measures the labels again: a voided one is not collected", async () => {
    const { buy, book } = await aCarrier();
    const [kept, voided] = [await buy(), await buy()];
    const { body } = await book();
    expect(body.packageCount).toBe(2);
    await org.delete(`/shipments/labels/${voided}`);
    const moved = await org.patch(`/pickups/${body.id}`, { closeTime: "18:00" });
    expect(moved.body).toMatchObject({ packageCount: 1, labelCount: 1, totalWeight: { value: 2.5, unit: "lb" } });
    expect(await labelsOf(body.id)).toEqual([kept]);
    const fewer = await org.patch(`/pickups/${body.id}`, { packageCount: 3 });
    expect(fewer.body.packageCount).toBe(3);
    await org.delete(`/shipments/labels/${kept}`);
    const empty = await org.patch(`/pickups/${body.id}`, { closeTime: "17:30" });
    expect(empty.body.errors).toMatchObject([{ code: "no_labels" }]);
  });
});

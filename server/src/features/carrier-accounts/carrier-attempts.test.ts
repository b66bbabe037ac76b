import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { CarrierCall } from "../../carriers/seam/carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { workOff } from "../../queue/work.ts";
import { scriptLabels, scriptPickups } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { maxAttempts } from "./carrier-requests.ts";

const hub = await startTestHub();
const org = await hub.org();
const labels = scriptLabels();
const pickups = scriptPickups();

const monday = Date.parse("2026-03-02T15:00:00Z");
const setClock = (minutes: number): void =>
  hub.world.clock.set({ mode: "frozen", at: new Date(monday + minutes * 60_000).toISOString() });
beforeEach(() => setClock(0));
afterAll(() => hub.world.clock.set({ mode: "real" }));

const created = await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
const carrierAccountId: string = created.body.id;
const buy = () => org.post("/shipments/labels", { ...aParcel, carrierAccountId, reference: `R-${randomUUID()}` });
const read = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
const lastCall = (): CarrierCall => labels.asked.at(-1)!;
const storedNote = async (id: string): Promise<unknown> => {
  const [row] = await hub.world.db.query<{ noted: unknown }>(
    "select carrier_request -> 'noted' as noted from shipment_labels where id = $1",
    [id],
  );
  return row!.noted;
};
const lose = (): never => {
  throw new RemoteError("connection_lost", "The connection broke.", { retryable: true, mayHaveHappened: true });
};

describe("attempts at a label", () => {
  test("are numbered from 1, and each gets what an earlier one noted", async () => {
    let duringCall: unknown;
    labels.nextTurns.push({
      async before() {
        const call = lastCall();
        await call.note({ shipmentId: "shp_1" });
        duringCall = await storedNote(call.effectKey.slice("label:".length));
        lose();
      },
    });
    const { status, body } = await buy();
    expect([status, lastCall().attempt, lastCall().noted]).toEqual([202, 1, null]);
    // Committed while the carrier is still being called.
    expect(duringCall).toEqual({ shipmentId: "shp_1" });
    setClock(2);
    await workOff(hub.world, labelWork);
    expect([lastCall().attempt, lastCall().noted]).toEqual([2, { shipmentId: "shp_1" }]);
    const label = await read(body.label.id);
    expect(label.status).toBe("purchased");
    expect(JSON.stringify([label, (await org.get(`/audit?objectId=${label.id}`)).body])).not.toContain("shp_1");
  });

  test("are counted when the process ends in between, and when a user retries", async () => {
    for (let count = 0; count < maxAttempts; count++) labels.nextTurns.push({ before: lose });
    const { body } = await buy();
    // A process that stops gives its claim back uncounted; the carrier was called all the same.
    await hub.world.db.query("update shipment_labels set attempts = 0 where id = $1", [body.label.id]);
    setClock(11);
    await workOff(hub.world, labelWork);
    expect(lastCall().attempt).toBe(2);
    await hub.world.db.query("update shipment_labels set attempts = $2 where id = $1", [
      body.label.id,
      maxAttempts - 1,
    ]);
    setClock(22);
    await workOff(hub.world, labelWork);
    expect((await read(body.label.id)).failure.code).toBe("outcome_unknown");
    labels.nextTurns.length = 0;
    await org.post(`/shipments/labels/${body.label.id}/retry`);
    expect(lastCall().attempt).toBe(4);
  });

  test("of another effect begin at 1 without notes", async () => {
    labels.nextTurns.push({ before: () => lastCall().note({ step: "bought" }) });
    const { body } = await buy();
    const calls: CarrierCall[] = [];
    labels.nextVoids.push((call) => void calls.push(call));
    expect((await org.delete(`/shipments/labels/${body.label.id}`)).status).toBe(200);
    expect(calls).toMatchObject([{ effectKey: `label:${body.label.id}:void`, attempt: 1, noted: null }]);
  });

  test("that were overtaken can neither note nor fail the label", async () => {
    let refusal: unknown;
    labels.nextTurns.push({
      async before() {
        const call = lastCall();
        // Another worker takes over, and buys the label.
        setClock(2);
        await workOff(hub.world, labelWork);
        refusal = await call.note({ late: true }).catch((error: unknown) => error);
        throw new RemoteError("duplicate", "This shipment was bought already.");
      },
    });
    const { status, body } = await buy();
    expect(refusal).toMatchObject({ code: "superseded" });
    expect([status, body.label.status, await storedNote(body.label.id)]).toEqual([201, "purchased", null]);
  });

  test("that were overtaken do not end the one that is under way", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let second: Promise<unknown> | undefined;
    labels.nextTurns.push(
      {
        async before() {
          setClock(2);
          second = workOff(hub.world, labelWork);
          await expect.poll(() => lastCall().attempt).toBe(2);
          throw new RemoteError("duplicate", "This shipment is being bought.");
        },
      },
      { before: () => promise },
    );
    const { status, body } = await buy();
    expect([status, body.label.status]).toEqual([202, "requested"]);
    resolve();
    await second;
    expect((await read(body.label.id)).status).toBe("purchased");
  });

  test("keep notes of up to 16 KiB", async () => {
    labels.nextTurns.push({ before: () => lastCall().note({ text: "x".repeat(16 * 1024) }) });
    const { status, body } = await buy();
    expect([status, await storedNote(body.label.id)]).toEqual([202, null]);
  });

  test("are not joined by a void, which could buy a second label", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    labels.nextTurns.push({ before: () => promise });
    const buying = buy();
    const asked = labels.asked.length;
    await expect.poll(() => labels.asked.length).toBe(asked + 1);
    const id = lastCall().effectKey.slice("label:".length);
    const refused = await org.delete(`/shipments/labels/${id}`);
    expect([refused.status, refused.body.code, labels.asked.length]).toEqual([502, "carrier_failed", asked + 1]);
    resolve();
    expect((await buying).status).toBe(201);
    expect((await org.delete(`/shipments/labels/${id}`)).status).toBe(200);
  });
});

test("a pickup that is changed is another effect; a pickup in flight is not booked a second time by its cancellation", async () => {
  const address = { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
  const wanted = {
    carrierAccountId,
    pickupDate: "2026-03-06",
    pickupAddress: address,
    readyTime: "13:00",
    closeTime: "17:00",
    packageCount: 1,
  };
  const seen: [string, number, unknown][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  pickups.nextBookings.push(
    async (call) => {
      seen.push([call.effectKey, call.attempt, call.noted]);
      await call.note({ pickup: 1 });
      await promise;
    },
    (call) => void seen.push([call.effectKey, call.attempt, call.noted]),
  );
  const booking = org.post("/pickups", wanted);
  await expect.poll(() => seen.length).toBe(1);
  const id = seen[0]![0].split(":")[1]!;
  const refused = await org.delete(`/pickups/${id}`);
  expect([refused.status, refused.body.code, seen.length]).toEqual([502, "carrier_failed", 1]);
  resolve();
  expect((await booking).body.status).toBe("scheduled");
  await org.patch(`/pickups/${id}`, { packageCount: 2 });
  expect(seen).toEqual([
    [`pickup:${id}:1`, 1, null],
    [`pickup:${id}:2`, 1, null],
  ]);
});

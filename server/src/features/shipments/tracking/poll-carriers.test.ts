import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RemoteError } from "../../../core/remote-error.ts";
import { afterFile } from "../../../testing/after-file.ts";
import { reportEach, scriptTracking } from "../../../testing/scripted-tracking.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { startWork, workOff } from "../../../queue/work.ts";
import { trackingWork } from "../shipments.ts";

const hub = await startTestHub();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = Date.parse("2026-03-02T15:00:00.000Z");
let now = start;
function setClock(ms: number): void {
  now = ms;
  hub.world.clock.set({ mode: "frozen", at: new Date(ms).toISOString() });
}
const iso = (ms: number): string => new Date(ms).toISOString();
beforeEach(() => setClock(start));
afterFile(() => hub.world.clock.set({ mode: "real" }));

let script: ReturnType<typeof scriptTracking> | undefined;
const tracks = (...args: Parameters<typeof scriptTracking>) => (script = scriptTracking(...args));
// Parcels of earlier tests are due later on as well: they are not what a test counts.
afterEach(async () => {
  script?.undo();
  script = undefined;
  await hub.world.db.query("update carrier_accounts set is_active = false, due_at = null");
});

let accounts = 0;
async function account(org: TestOrg, apiKey = "key", carrier = "demo"): Promise<string> {
  const credentials = carrier === "demo" ? { credentials: { apiKey } } : {};
  return (await org.post("/carrier-accounts", { name: `Account ${++accounts}`, carrier, ...credentials })).body.id;
}
async function parcels(org: TestOrg, ...numbers: string[]): Promise<string[]> {
  const rows = numbers.map((trackingNumber) => ({ trackingNumber, carrier: "DEMO", destination: { zip: "60601" } }));
  const { body } = await org.post("/shipments/bulk", { shipments: rows });
  return body.results.map(({ id }: { id: string }) => id);
}
const read = async (org: TestOrg, id: string) => (await org.get(`/shipments/${id}`)).body;
const scan = (ms: number, status: "in_transit" | "delivered" = "in_transit") => ({ at: iso(ms), status });

describe("the hub asks by itself", () => {
  test("about open parcels of carriers it has an account with, once per half hour each", async () => {
    const org = await hub.org();
    await account(org);
    const [id, , closed] = await parcels(org, "A1", "A2", "A3");
    await org.post("/shipments", { trackingNumber: "A4", carrier: "ups" });
    await org.post("/shipments", { trackingNumber: "A5" });
    await org.post("/shipments", { carrier: "demo" });
    await org.post(`/shipments/${closed}/events`, { at: iso(start), status: "delivered" });
    const { asked, numbers } = tracks("demo", async () => []);
    await workOff(hub.world, trackingWork);
    expect(asked).toEqual([]);
    setClock(start + 30 * minuteMs);
    await workOff(hub.world, trackingWork);
    expect(asked).toEqual([
      {
        key: "key",
        parcels: expect.arrayContaining([
          { trackingNumber: "A1", shippedAt: iso(start) },
          { trackingNumber: "A2", shippedAt: iso(start) },
        ]),
      },
    ]);
    expect(numbers().length).toBe(2);
    expect(await read(org, id!)).toMatchObject({ lastPolledAt: iso(now), version: 1, events: [] });
    setClock(now + 29 * minuteMs);
    await workOff(hub.world, trackingWork);
    expect(asked.length).toBe(1);
    await org.post(`/shipments/${id}/events`, scan(now));
    setClock(now + minuteMs);
    await workOff(hub.world, trackingWork);
    expect(numbers().toSorted()).toEqual(["A1", "A1", "A2", "A2"]);
  });

  test("and what it hears is applied once, also on two nodes at the same time, with its event and the overview", async () => {
    const org = await hub.org();
    await account(org);
    const ids = await parcels(org, ...Array.from({ length: 250 }, (_, index) => `B${index}`));
    const { body: other } = await org.post("/shipments", { trackingNumber: "NOT-ASKED" });
    const node = await hub.secondNode({ taskSlots: 0 });
    node.world.clock.set({ mode: "frozen", at: iso(start + dayMs) });
    setClock(start + dayMs);
    const { asked, numbers } = tracks("demo", async (_call, given) => [
      ...reportEach(given, scan(start + hourMs)),
      ...reportEach(given, scan(start + 20 * hourMs, "delivered")),
      ...reportEach([{ trackingNumber: "NOT-ASKED", shippedAt: "" }], scan(start)),
    ]);
    const overview = async () => (await org.get("/v1/overview")).body.data;
    expect(await overview()).toMatchObject({ delivered: 0, at_risk_by_reason: { not_accepted: 251 } });
    await Promise.all([
      workOff(hub.world, trackingWork),
      workOff(node.world, trackingWork),
      workOff(node.world, trackingWork),
    ]);
    await Promise.all([workOff(hub.world, trackingWork), workOff(node.world, trackingWork)]);
    expect(numbers().length).toBe(250);
    expect(new Set(numbers()).size).toBe(250);
    for (const { parcels: given } of asked) expect(given.length).toBeLessThanOrEqual(100);
    expect((await org.get("/shipments/counts")).body).toMatchObject({ delivered: 250, total: 251 });
    expect(await read(org, other.id)).toMatchObject({ events: [], lastPolledAt: null });
    const one = await read(org, ids[7]!);
    expect(one).toMatchObject({ status: "delivered", isTrackingActive: false, version: 2, lastPolledAt: iso(now) });
    expect(one.events.map(({ status }: { status: string }) => status)).toEqual(["in_transit", "delivered"]);
    const audit = (await org.get(`/audit?objectId=${ids[7]}&type=shipment.status_changed`)).body;
    expect(audit.data).toMatchObject([{ actor: { type: "system", name: "tracking" } }]);
    expect(await overview()).toMatchObject({ delivered: 250, at_risk: 1, avg_transit_days: 0.8 });
    setClock(now + 60 * dayMs);
    await workOff(hub.world, trackingWork);
    expect(numbers().length).toBe(250);
  });

  test("and agrees with what bridges and callers said: the same event is there once", async () => {
    const org = await hub.org();
    await account(org);
    const [id] = await parcels(org, "C1");
    setClock(start + hourMs);
    const at = iso(start + 30 * minuteMs);
    await org.post(`/shipments/${id}/events`, { at, status: "Attempt Failed", location: "Newark, NJ 07114" });
    const { numbers } = tracks("demo", async (_call, given) =>
      given.map(({ trackingNumber }) => ({
        trackingNumber: trackingNumber.toLowerCase(),
        status: "delivery_failed" as const,
        events: [
          {
            at: at.replace("Z", "+00:00"),
            status: "delivery_failed" as const,
            description: "",
            city: "Newark",
            state: "NJ",
            zip: "07114",
          },
        ],
      })),
    );
    await workOff(hub.world, trackingWork);
    expect(numbers()).toEqual(["C1"]);
    const { events, version } = await read(org, id!);
    expect(events).toMatchObject([{ at, status: "attempt_failed" }]);
    expect(version).toBe(2);
    // What a bridge has just asked for is not asked for again.
    setClock(now + hourMs);
    const bridge = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body;
    await org.post("/shipments", { trackingNumber: "DEMO000100000001", carrier: "demo" });
    setClock(now + hourMs);
    await org.post(`/tasks/execute-sync`, { bridgeId: bridge.id, taskName: "tracking.pull", input: { seed: 1 } });
    await workOff(hub.world, trackingWork);
    expect(numbers()).toEqual(["C1", "C1"]);
  });

  test("through the first active account, each parcel once", async () => {
    const org = await hub.org();
    const [first] = [await account(org, "first"), await account(org, "second")];
    await parcels(org, "D1", "D2");
    const { asked } = tracks("demo", async () => []);
    setClock(start + hourMs);
    await workOff(hub.world, trackingWork);
    expect(asked.map(({ key, parcels: given }) => [key, given.length])).toEqual([["first", 2]]);
    await org.patch(`/carrier-accounts/${first}`, { isActive: false });
    setClock(now + hourMs);
    await workOff(hub.world, trackingWork);
    expect(asked.map(({ key }) => key)).toEqual(["first", "second"]);
  });

  test("once a day about parcels of which nothing was heard for two weeks", async () => {
    const org = await hub.org();
    await account(org);
    await parcels(org, "E1");
    const { asked } = tracks("demo", async () => []);
    const round = async (ms: number): Promise<number> => {
      setClock(ms);
      await workOff(hub.world, trackingWork);
      return asked.length;
    };
    expect(await round(start + 13 * dayMs)).toBe(1);
    expect(await round(start + 13 * dayMs + 30 * minuteMs)).toBe(2);
    expect(await round(start + 15 * dayMs)).toBe(3);
    expect(await round(start + 16 * dayMs - minuteMs)).toBe(3);
    expect(await round(start + 16 * dayMs)).toBe(4);
  });
});

describe("what goes wrong with one account", () => {
  const failures: [string, () => Promise<never>][] = [
    ["refuses", () => Promise.reject(new RemoteError("bad_key", "The key is not known."))],
    ["has an outage", () => Promise.reject(new RemoteError("busy", "Come back later.", { retryable: true }))],
    ["has a defect", () => Promise.reject(new TypeError("cannot read properties of undefined"))],
    [
      "throws at once",
      () => {
        throw new RangeError("out of range");
      },
    ],
    ["answers nonsense", () => Promise.resolve([{ trackingNumber: 7 }] as never)],
  ];
  test.each(failures)("that %s leaves the others as they are, and is asked again later", async (_, fail) => {
    const [bad, good] = [await hub.org(), await hub.org()];
    await account(bad, "bad");
    await account(good, "good");
    const [lost] = await parcels(bad, "F1");
    const [found] = await parcels(good, "F1");
    let isMended = false;
    tracks("demo", (call, given) =>
      call.credentials.apiKey === "bad" && !isMended ? fail() : Promise.resolve(reportEach(given, scan(start))),
    );
    setClock(start + hourMs);
    hub.logs.length = 0;
    await workOff(hub.world, trackingWork);
    expect((await read(good, found!)).status).toBe("in_transit");
    expect(await read(bad, lost!)).toMatchObject({ status: "pre_transit", events: [] });
    expect(hub.logs.filter((line) => line.includes("tracking poll failed")).length).toBe(1);
    isMended = true;
    // It is left alone for a minute, and this parcel until its next turn.
    setClock(now + 59_000);
    expect(await workOff(hub.world, trackingWork)).toBe(0);
    setClock(now + 1_000);
    expect(await workOff(hub.world, trackingWork)).toBe(1);
    expect((await read(bad, lost!)).status).toBe("pre_transit");
    setClock(now + hourMs);
    await workOff(hub.world, trackingWork);
    expect((await read(bad, lost!)).status).toBe("in_transit");
  });

  test("that never responds delays no other carrier and not the stop of the hub", async () => {
    const [bad, good] = [await hub.org(), await hub.org()];
    await account(bad, "bad");
    await account(good, "good");
    const [lost] = await parcels(bad, "G1");
    const [found] = await parcels(good, "G1");
    tracks("demo", (call, given) =>
      call.credentials.apiKey === "bad"
        ? new Promise<never>(() => {})
        : Promise.resolve(reportEach(given, scan(start))),
    );
    setClock(start + hourMs);
    const worker = startWork(hub.world, trackingWork, { slots: 4 });
    worker.wake();
    await expect.poll(async () => (await read(good, found!)).status).toBe("in_transit");
    await worker.stop();
    // Another node may ask at once.
    expect((await read(bad, lost!)).lastPolledAt).toBeNull();
    const { numbers } = tracks("demo", async (_call, given) => reportEach(given, scan(start)));
    await workOff(hub.world, trackingWork);
    expect(numbers()).toEqual(["G1"]);
    expect((await read(bad, lost!)).status).toBe("in_transit");
  });

  test("that has lost its credentials takes no turns", async () => {
    const org = await hub.org();
    const id = await account(org);
    const [parcel] = await parcels(org, "H1");
    await hub.world.db.query("update carrier_accounts set credentials = 'v1.x.y' where id = $1", [id]);
    const { asked } = tracks("demo", async () => []);
    setClock(start + hourMs);
    await workOff(hub.world, trackingWork);
    expect(asked).toEqual([]);
    expect((await read(org, parcel!)).lastPolledAt).toBeNull();
    expect((await org.post(`/shipments/${parcel}/track`)).body.code).toBe("credentials_unreadable");
  });
});

test("what a process that died had asked for and not written down is asked for again", async () => {
  const org = await hub.org();
  await account(org);
  const [id] = await parcels(org, "I1");
  const node = await hub.secondNode({ taskSlots: 0 });
  node.world.clock.set({ mode: "frozen", at: iso(start + hourMs) });
  const answer = Promise.withResolvers<void>();
  const { numbers } = tracks("demo", async (_call, given) => {
    if (numbers().length === 1) await answer.promise;
    return reportEach(given, scan(start));
  });
  const round = workOff(node.world, trackingWork);
  await expect.poll(() => numbers().length).toBe(1);
  // Its connections are gone when the carrier answers.
  await node.stop();
  answer.resolve();
  await expect(round).rejects.toThrow("after calling end on the pool");
  // Its lease has run out.
  await trackingWork.leases.endAllAcrossOrgs(hub.world.db);
  setClock(start + hourMs);
  await workOff(hub.world, trackingWork);
  expect(await read(org, id!)).toMatchObject({ status: "pre_transit", lastPolledAt: iso(start + hourMs) });
  setClock(start + 2 * hourMs);
  await workOff(hub.world, trackingWork);
  expect(await read(org, id!)).toMatchObject({ status: "in_transit", events: [{ at: iso(start) }] });
});

test("without parcels to track, no query runs for half an hour", async () => {
  const org = await hub.org();
  setClock(start + hourMs);
  const { asked } = tracks("demo", async () => []);
  await account(org);
  await parcels(org, "J1");
  expect(await workOff(hub.world, trackingWork)).toBe(1);
  for (const minutes of [1, 28]) {
    setClock(now + minutes * minuteMs);
    expect(await trackingWork.leases.isAnyDueAcrossOrgs(hub.world.db, new Date(now))).toBe(false);
  }
  expect(asked).toEqual([]);
  setClock(now + minuteMs);
  expect(await workOff(hub.world, trackingWork)).toBe(1);
  expect(asked.length).toBe(1);
  // A carrier that cannot be asked is looked at once a day.
  tracks("demo", undefined);
  setClock(now + hourMs);
  expect(await workOff(hub.world, trackingWork)).toBe(1);
  setClock(now + dayMs - 1);
  expect(await workOff(hub.world, trackingWork)).toBe(0);
});

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { handoverCarrier } from "../../testing/handover-fixture.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { fireDueSchedules } from "../schedules/schedules.ts";

// The preview, because its clock can be set for schedules as well.
const hub = await startTestHub({ environment: "preview" });
const org = await hub.org();
const bridgeId: string = (await org.post("/bridges", { name: "This hub", connector: "hub" })).body.id;
const dock = { ...aParcel.from, phone: "+1 973 555 0100" };

async function setClock(now: string): Promise<void> {
  expect((await hub.operator.post("/preview/clock", { now, frozen: true })).status).toBe(200);
}

async function aPlace(more: object = {}, settings: object = {}) {
  await setClock("2026-03-03T12:00:00Z");
  const account = await org.post("/carrier-accounts", { name: `Demo ${randomUUID()}`, carrier: "demo", settings });
  const address = { ...dock, address1: `${Math.floor(Math.random() * 1e9)} Port Street` };
  const location = await org.post("/locations", { name: `Dock ${randomUUID()}`, type: "warehouse", address });
  const carrierAccountId: string = account.body.id;
  const input = { carrierAccountId, locationId: location.body.id, readyTime: "16:00", closeTime: "18:00", ...more };
  const run = async () =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName: "pickups.schedule", input })).body;
  return {
    carrierAccountId,
    input,
    run,
    buy: async (shipDate: string): Promise<string> => {
      const label = { ...aParcel, carrierAccountId, from: address, shipDate };
      return (await org.post("/shipments/labels", label)).body.label.id;
    },
    pickups: async () => (await org.get(`/pickups?carrierAccountId=${carrierAccountId}`)).body.data,
    async schedule(about: object): Promise<string> {
      const request = { bridgeId, taskName: "pickups.schedule", input, timezone: "America/New_York", ...about };
      const { status, body } = await org.post("/schedules", request);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.id;
    },
  };
}

async function executionsOf(scheduleId: string, count: number) {
  const look = async () => (await org.get(`/schedules/${scheduleId}/executions`)).body.data;
  type Listed = { id: string; finishedAt: string | null };
  const ended = await eventually(
    look,
    (listed: Listed[]) => listed.length === count && listed.every(({ finishedAt }) => finishedAt !== null),
  );
  return await Promise.all(ended.map(async ({ id }: Listed) => (await org.get(`/tasks/executions/${id}`)).body));
}

describe("a schedule of pickups", () => {
  test("books the pickup of the day from the labels, once", async () => {
    const { buy, pickups, schedule, run } = await aPlace();
    const id = await schedule({ cron: "0 9 * * MON-FRI" });
    await buy("2026-03-04");
    await buy("2026-03-04");
    await setClock("2026-03-04T14:00:00Z");
    await fireDueSchedules(hub.world);
    const [execution] = await executionsOf(id, 1);
    expect(execution).toMatchObject({ status: "succeeded", result: { date: "2026-03-04", skipped: null } });
    expect(execution.result.pickups).toMatchObject([{ outcome: "booked", status: "scheduled", group: null }]);
    expect(await pickups()).toMatchObject([
      {
        packageCount: 2,
        labelCount: 2,
        readyTime: "2026-03-04T16:00:00-05:00",
        closeTime: "2026-03-04T18:00:00-05:00",
      },
    ]);
    await buy("2026-03-04");
    expect((await run()).result.pickups).toMatchObject([{ outcome: "already_booked" }]);
    expect(await pickups()).toHaveLength(1);
  });

  test("books for the day after, and takes the labels of a weekend", async () => {
    const { buy, run, pickups } = await aPlace({ day: "next_day" });
    await buy("2026-03-07");
    await setClock("2026-03-08T22:00:00Z");
    expect((await run()).result).toMatchObject({ date: "2026-03-09", pickups: [{ outcome: "booked" }] });
    expect(await pickups()).toMatchObject([{ labelCount: 1 }]);
  });

  test.each([
    ["a day without labels", "no_labels", {}, "2026-03-04T14:00:00Z"],
    ["a closed day", "closed", { closedDays: ["2026-03-05"] }, "2026-03-05T14:00:00Z"],
    ["a day without service", "no_service", {}, "2026-03-08T14:00:00Z"],
  ])("skips %s", async (_name, code, more, now) => {
    const { buy, run, pickups } = await aPlace({ ...more, earlierShipDays: 0 });
    if (code !== "no_labels") await buy(now.slice(0, 10));
    await setClock(now);
    expect(await run()).toMatchObject({ status: "succeeded", result: { pickups: [], skipped: { code } } });
    expect(await pickups()).toEqual([]);
  });

  test("never books for a day that has passed while the hub was down", async () => {
    const { buy, pickups, schedule } = await aPlace();
    const id = await schedule({ cron: "0 9 * * MON-FRI", missed: "all", overlap: "allow" });
    await buy("2026-03-04");
    await setClock("2026-03-05T15:00:00Z");
    await fireDueSchedules(hub.world);
    const executions = await executionsOf(id, 3);
    const byDay = new Map(executions.map(({ result }) => [result.date, result]));
    expect(byDay.get("2026-03-03")).toMatchObject({ pickups: [], skipped: { code: "day_passed" } });
    expect(byDay.get("2026-03-04")).toMatchObject({ pickups: [], skipped: { code: "day_passed" } });
    expect(byDay.get("2026-03-05")).toMatchObject({ pickups: [{ outcome: "booked" }] });
    expect(await pickups()).toHaveLength(1);
  });

  test("does not book again what a user has cancelled", async () => {
    const { buy, run, pickups } = await aPlace();
    await buy("2026-03-04");
    await setClock("2026-03-04T14:00:00Z");
    const [booked] = (await run()).result.pickups;
    expect((await org.delete(`/pickups/${booked.pickupId}`)).body.status).toBe("cancelled");
    expect((await run()).result.pickups).toMatchObject([{ outcome: "already_booked", status: "cancelled" }]);
    expect(await pickups()).toHaveLength(1);
  });

  test("opens an exception when the carrier rejects the booking; a later run tries again", async () => {
    const { carrierAccountId, buy, run, pickups } = await aPlace({}, { refusePickups: true });
    await buy("2026-03-04");
    await setClock("2026-03-04T14:00:00Z");
    const [failed] = (await run()).result.pickups;
    expect(failed).toMatchObject({ outcome: "failed", status: "failed" });
    const { data } = (await org.get("/exceptions?kind=pickup&status=open&limit=100")).body;
    expect(data.map(({ subject }: { subject: { id: string } }) => subject.id)).toContain(failed.pickupId);
    await org.patch(`/carrier-accounts/${carrierAccountId}`, { settings: { refusePickups: false } });
    expect((await run()).result.pickups).toMatchObject([{ outcome: "booked" }]);
    expect((await pickups()).map(({ status }: { status: string }) => status).toSorted()).toEqual([
      "failed",
      "scheduled",
    ]);
  });

  test("fails after the cut-off of the carrier, with an exception of the schedule", async () => {
    const { buy, pickups, schedule } = await aPlace();
    const id = await schedule({ cron: "0 9 * * MON-FRI" });
    await buy("2026-03-04");
    await setClock("2026-03-04T21:30:00Z");
    await fireDueSchedules(hub.world);
    const [execution] = await executionsOf(id, 1);
    expect(execution).toMatchObject({ status: "failed", error: { code: "validation_failed" } });
    expect(execution.error.message).toContain("cut-off");
    expect(await pickups()).toEqual([]);
    const { data } = (await org.get("/exceptions?kind=execution&status=open")).body;
    expect(data.map(({ executionId }: { executionId: string }) => executionId)).toContain(execution.id);
  });

  test("books one pickup when it runs several times at once", async () => {
    const { buy, run, pickups } = await aPlace();
    await buy("2026-03-04");
    await setClock("2026-03-04T14:00:00Z");
    const outcomes = (await Promise.all([run(), run(), run()])).map(({ result }) => result.pickups[0]?.outcome);
    expect(outcomes.filter((outcome) => outcome === "booked")).toHaveLength(1);
    expect(await pickups()).toHaveLength(1);
  });

  test("needs the scope for pickups besides that for tasks", async () => {
    const { input } = await aPlace();
    const caller = await org.withScopes(["tasks:execute", "schedules:write"]);
    const schedule = { bridgeId, taskName: "pickups.schedule", cron: "0 9 * * *", input };
    const refused = await caller.post("/schedules", schedule);
    expect(refused.status).toBe(403);
    expect(refused.body.required).toEqual(["pickups:write"]);
    expect((await caller.post("/tasks/execute", { bridgeId, taskName: "pickups.schedule", input })).status).toBe(403);
  });

  test("checks its input as any task does", async () => {
    const { input } = await aPlace();
    const wrong = { ...input, readyTime: "4 pm" };
    const { status, body } = await org.post("/tasks/execute", { bridgeId, taskName: "pickups.schedule", input: wrong });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: "/input/readyTime" }]);
  });
});

test("books one pickup for each driver of FedEx", async () => {
  const live = await startTestHub();
  const own = await live.org();
  live.world.clock.set({ mode: "frozen", at: "2026-03-04T14:00:00Z" });
  const { buy, carrierAccountId, locationId, standIn } = await handoverCarrier(live, own, "fedex");
  await buy("FEDEX_GROUND", "2026-03-04");
  await buy("PRIORITY_OVERNIGHT", "2026-03-04");
  const { body: bridge } = await own.post("/bridges", { name: "This hub", connector: "hub" });
  const input = { carrierAccountId, locationId, readyTime: "14:00", closeTime: "18:00" };
  const { body } = await own.post("/tasks/execute-sync", { bridgeId: bridge.id, taskName: "pickups.schedule", input });
  expect(body.result.pickups, JSON.stringify(body)).toMatchObject([
    { group: "Express", outcome: "booked" },
    { group: "Ground", outcome: "booked" },
  ]);
  expect(standIn.journal("pickup").map(({ carrierCode }) => carrierCode)).toEqual(["FDXE", "FDXG"]);
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { pickupWork } from "./pickups.ts";

const hub = await startTestHub();
const org = await hub.org();
const monday = "2026-03-02T15:00:00.000Z";
const setClock = (at: string): void => hub.world.clock.set({ mode: "frozen", at });
beforeEach(() => setClock(monday));
afterAll(() => hub.world.clock.set({ mode: "real" }));

const address = { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };

async function booked(carrier = "demo", settings: object = {}) {
  const account = await org.post("/carrier-accounts", { name: `Account ${randomUUID()}`, carrier, settings });
  const { body } = await org.post("/pickups", {
    carrierAccountId: account.body.id,
    pickupDate: "2026-03-04",
    pickupAddress: address,
    readyTime: "13:00",
    closeTime: "17:00",
    packageCount: 1,
  });
  return body;
}
const read = async (id: string) => (await org.get(`/pickups/${id}`)).body;
/** Two workers at once, until nothing is due any more. */
const tend = () => Promise.all([workOff(hub.world, pickupWork), workOff(hub.world, pickupWork)]);
/** As a process leaves it behind that dies before it could write down what the carrier said. */
const forget = (id: string, sets: string) =>
  hub.world.db.query(`update pickups set ${sets}, due_at = $2 where id = $1`, [id, monday]);

describe("what becomes of a pickup by itself", () => {
  test("a driver sets out and has been there, as a carrier says that can be asked", async () => {
    const { id } = await booked();
    setClock("2026-03-04T17:59:00Z");
    await tend();
    expect((await read(id)).status).toBe("scheduled");
    setClock("2026-03-04T18:00:00Z");
    await tend();
    expect((await read(id)).status).toBe("dispatched");
    setClock("2026-03-04T23:00:00Z");
    await tend();
    const { status, isCompletionAssumed, history } = await read(id);
    expect({ status, isCompletionAssumed }).toEqual({ status: "completed", isCompletionAssumed: false });
    expect(history.map((entry: { status: string }) => entry.status)).toEqual([
      "requested",
      "scheduled",
      "dispatched",
      "completed",
    ]);
  });

  test("without a visit it is missed, and an event reports it", async () => {
    const { id } = await booked("demo", { missPickups: true });
    setClock("2026-03-04T22:30:00Z");
    await tend();
    expect((await read(id)).status).toBe("missed");
    expect((await org.get(`/audit?objectId=${id}&type=pickup.missed`)).body.pagination.total).toBe(1);
  });

  test("of a carrier that cannot be asked it is assumed four hours after the window, and said to be", async () => {
    const { id } = await booked("rate-card");
    await org.patch(`/pickups/${id}`, { confirmationNumber: "by phone 17" });
    setClock("2026-03-05T01:59:59Z");
    await tend();
    expect((await read(id)).status).toBe("scheduled");
    setClock("2026-03-05T02:00:00Z");
    await tend();
    expect(await read(id)).toMatchObject({ status: "completed", isCompletionAssumed: true });
  });

  test("D7: with an account that cannot book by API the carrier is not contacted: no number, and the pickup counts as missed", async () => {
    const pickup = await booked("rate-card");
    expect(pickup).toMatchObject({ status: "scheduled", confirmationNumber: null, isCarrierConfirmed: false });
    expect(pickup.messages.at(-1)).toContain("was not contacted");
    setClock("2026-03-05T02:00:00Z");
    await tend();
    const { status, isCompletionAssumed, history } = await read(pickup.id);
    expect([status, isCompletionAssumed, history.at(-1).note]).toEqual([
      "missed",
      false,
      "the carrier was not contacted",
    ]);
  });

  test("D7: the number of a call is entered by hand; not where the hub books by API", async () => {
    const { id, version } = await booked("rate-card");
    const both = await org.patch(`/pickups/${id}`, { confirmationNumber: "A-1", packageCount: 3 });
    expect(both.body.errors).toMatchObject([{ pointer: "/confirmationNumber", code: "alone" }]);
    setClock("2026-03-04T17:30:00Z");
    const headers = { "if-match": `"${version}"` };
    const { body } = await org.patch(`/pickups/${id}`, { confirmationNumber: "A-1" }, { headers });
    expect(body).toMatchObject({ confirmationNumber: "A-1", isCarrierConfirmed: true, status: "scheduled" });
    expect(body.messages.join(" ")).not.toContain("was not contacted");
    expect((await org.get(`/audit?objectId=${id}&type=pickup.confirmed`)).body.pagination.total).toBe(1);
    setClock("2026-03-02T15:00:00Z");
    const moved = await org.patch(`/pickups/${id}`, { packageCount: 3 });
    expect(moved.body).toMatchObject({ confirmationNumber: null, isCarrierConfirmed: false });
    const told = await booked();
    expect(told).toMatchObject({ isCarrierConfirmed: true });
    const refused = await org.patch(`/pickups/${told.id}`, { confirmationNumber: "A-1" });
    expect(refused.body).toMatchObject({ status: 409, code: "invalid_state" });
  });

  test("without its carrier account it is still brought to an end", async () => {
    const pickup = await booked("rate-card");
    await org.patch(`/pickups/${pickup.id}`, { confirmationNumber: "by phone 18" });
    expect((await org.delete(`/carrier-accounts/${pickup.carrierAccountId}`)).status).toBe(200);
    setClock("2026-03-06T00:00:00Z");
    await tend();
    expect(await read(pickup.id)).toMatchObject({ status: "completed", carrierAccountId: null, carrier: "rate-card" });
  });
});

describe("after a crash", () => {
  test("between asking and writing down, the carrier is asked again under the same key: it is booked once", async () => {
    const before = await booked();
    await forget(before.id, "status = 'requested', confirmation_number = null");
    await tend();
    const after = await read(before.id);
    expect(after.status).toBe("scheduled");
    expect(after.confirmationNumber).toBe(before.confirmationNumber);
  });

  test("in the middle of a cancellation, it is cancelled", async () => {
    const { id } = await booked();
    await forget(id, "cancel_requested_at = now(), cancel_reason = 'Nothing to ship'");
    await tend();
    expect(await read(id)).toMatchObject({
      status: "cancelled",
      cancelReason: "Nothing to ship",
      hasPendingChange: false,
    });
  });

  test("in the middle of a change, the former window is called off or put back", async () => {
    const { id, confirmationNumber } = await booked();
    const { body: moved } = await org.patch(`/pickups/${id}`, { packageCount: 5 });
    const former = { ...moved, revision: 1, confirmationNumber };
    await forget(id, `previous = '${JSON.stringify(former)}'::jsonb`);
    expect((await read(id)).hasPendingChange).toBe(true);
    await tend();
    expect(await read(id)).toMatchObject({ hasPendingChange: false, confirmationNumber: moved.confirmationNumber });
  });

  test("a change that is refused is taken back, even if the former day was given away meanwhile", async () => {
    const { id, carrierAccountId } = await booked();
    await org.patch(`/pickups/${id}`, { pickupDate: "2026-03-06" });
    const former = await hub.world.db.query(
      `select jsonb_build_object('locationId', null, 'address', address, 'addressKey', address_key, 'timezone', timezone,
         'pickupDate', '2026-03-04', 'readyAt', '2026-03-04T18:00:00.000Z', 'closeAt', '2026-03-04T22:00:00.000Z',
         'packageCount', 1, 'totalWeight', null, 'instructions', null, 'isDuplicateAllowed', false,
         'cancelBy', '2026-03-04T17:00:00.000Z', 'confirmationNumber', 'DEMO1', 'chargeCents', 0, 'messages', '[]'::jsonb,
         'revision', 1) as booking from pickups where id = $1`,
      [id],
    );
    const wish = { carrierAccountId, pickupDate: "2026-03-04", pickupAddress: address, packageCount: 1 };
    await org.post("/pickups", { ...wish, readyTime: "13:00", closeTime: "17:00" });
    const { booking } = former[0] as { booking: object };
    await forget(id, `status = 'requested', previous = '${JSON.stringify(booking)}'::jsonb`);
    await org.patch(`/carrier-accounts/${carrierAccountId}`, { settings: { refusePickups: true } });
    await tend();
    expect(await read(id)).toMatchObject({ status: "scheduled", confirmationNumber: "DEMO1", hasPendingChange: false });
    expect((await read(id)).window.date).toBe("2026-03-04");
  });

  test("a wish that can no longer be fulfilled has failed", async () => {
    const { id, carrierAccountId } = await booked();
    await forget(id, "status = 'requested', confirmation_number = null");
    await org.delete(`/carrier-accounts/${carrierAccountId}`);
    await tend();
    expect(await read(id)).toMatchObject({ status: "failed", failure: { code: "carrier_account_not_found" } });
  });

  test("a cancellation before the carrier has answered finds out first, then cancels", async () => {
    const { id, confirmationNumber } = await booked();
    await forget(id, "status = 'requested', confirmation_number = null");
    const { status, body } = await org.delete(`/pickups/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "cancelled", confirmationNumber });
  });
});

test("one Idempotency-Key books one pickup, though the database failed after the carrier was asked", async () => {
  const account = await org.post("/carrier-accounts", { name: `Account ${randomUUID()}`, carrier: "demo" });
  const wish = { carrierAccountId: account.body.id, pickupDate: "2026-03-04", pickupAddress: address, packageCount: 1 };
  const body = { ...wish, readyTime: "13:00", closeTime: "17:00", allowDuplicate: true };
  const post = (headers: Record<string, string>) => org.post("/pickups", body, { headers });
  const headers = { "idempotency-key": randomUUID() };
  await hub.world.db.query(`create function refuse_pickup() returns trigger language plpgsql as
    $$ begin raise exception 'not now' using errcode = '57P03'; end $$`);
  await hub.world.db.query(
    `create trigger blip before update on pickups for each row execute function refuse_pickup()`,
  );
  const failed = await post(headers);
  await hub.world.db.query("drop function refuse_pickup cascade");
  expect(failed.status).toBe(503);
  const again = await post(headers);
  expect([again.status, again.body.status]).toEqual([201, "requested"]);
  const list = async () => (await org.get(`/pickups?carrierAccountId=${account.body.id}`)).body.data;
  expect(await list()).toEqual([again.body]);
  setClock("2026-03-02T15:02:00Z");
  await tend();
  expect(await list()).toMatchObject([{ id: again.body.id, status: "scheduled" }]);
  expect((await post(headers)).body.id).toBe(again.body.id);
  expect(await list()).toHaveLength(1);
});

test("a cancellation in the middle of a change calls off what the change replaces, too", async () => {
  const { id, confirmationNumber } = await booked();
  const { body: moved } = await org.patch(`/pickups/${id}`, { packageCount: 5 });
  const former = { ...moved, revision: 1, confirmationNumber };
  await forget(id, `status = 'requested', confirmation_number = null, previous = '${JSON.stringify(former)}'::jsonb`);
  const { status, body } = await org.delete(`/pickups/${id}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: "cancelled", hasPendingChange: false });
  expect((await org.get(`/audit?objectId=${id}&type=pickup.previous_cancelled`)).body.pagination.total).toBe(2);
});

test("what a cancelled pickup had replaced is called off later, when the process died before", async () => {
  const { id, confirmationNumber, carrierAccountId } = await booked();
  const { body: moved } = await org.patch(`/pickups/${id}`, { packageCount: 5 });
  await org.delete(`/pickups/${id}`);
  const former = { ...moved, revision: 1, confirmationNumber };
  await forget(id, `previous = '${JSON.stringify(former)}'::jsonb`);
  await tend();
  expect(await read(id)).toMatchObject({ status: "cancelled", hasPendingChange: false });
  await forget(id, `previous = '${JSON.stringify(former)}'::jsonb`);
  await org.delete(`/carrier-accounts/${carrierAccountId}`);
  await tend();
  expect(await read(id)).toMatchObject({ status: "cancelled", hasPendingChange: false });
});

test("cancelled after its account was deleted, a pickup says that the carrier may still come", async () => {
  const { id, confirmationNumber, carrierAccountId } = await booked();
  await org.delete(`/carrier-accounts/${carrierAccountId}`);
  const { status, body } = await org.delete(`/pickups/${id}`);
  expect(status).toBe(200);
  expect(body.status).toBe("cancelled");
  expect(body.messages.at(-1)).toContain(`may still carry out ${confirmationNumber}`);
  expect((await org.delete(`/pickups/${id}`)).body).toEqual(body);
});

test("pickups are listed by status, account and day", async () => {
  const [one, other] = [await booked(), await booked("rate-card")];
  await org.delete(`/pickups/${other.id}`);
  const list = async (query: string): Promise<string[]> =>
    (await org.get(`/pickups?limit=100&${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await list(`carrierAccountId=${one.carrierAccountId}`)).toEqual([one.id]);
  expect(await list("status=cancelled,failed")).toContain(other.id);
  expect(await list("status=scheduled")).not.toContain(other.id);
  expect(await list("from=2026-03-05")).toEqual([]);
  expect(await list("from=2026-03-04&to=2026-03-04")).toContain(one.id);
  const wrong = await org.get("/pickups?status=canceled");
  expect(wrong.body.errors).toMatchObject([{ pointer: "query/status", suggestion: "cancelled" }]);
});

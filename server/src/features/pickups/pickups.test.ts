import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { pickupWork } from "./pickups.ts";

const hub = await startTestHub();
const org = await hub.org();

/** Monday, 2 March 2026, 10:00 in Newark. */
const monday = "2026-03-02T15:00:00.000Z";
const setClock = (at: string): void => hub.world.clock.set({ mode: "frozen", at });
beforeAll(() => setClock(monday));
beforeEach(() => setClock(monday));
afterAll(() => hub.world.clock.set({ mode: "real" }));

const pickupAddress = {
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
  phone: "+1 973 555 0100",
};

async function account(carrier = "demo", more: object = {}): Promise<string> {
  const { body } = await org.post("/carrier-accounts", { name: `Account ${randomUUID()}`, carrier, ...more });
  return body.id;
}

const wish = (carrierAccountId: string, more: object = {}) => ({
  carrierAccountId,
  pickupDate: "2026-03-04T00:00:00Z",
  pickupAddress,
  readyTime: "2026-03-04T13:00:00-05:00",
  closeTime: "2026-03-04T17:00:00-05:00",
  packageCount: 12,
  totalWeight: { value: 80, unit: "lb" },
  ...more,
});

async function booked(more: object = {}, carrier = "demo", settings: object = {}) {
  const { status, body } = await org.post("/pickups", wish(await account(carrier, settings), more));
  expect(status).toBe(201);
  return body;
}

const read = async (id: string) => (await org.get(`/pickups/${id}`)).body;
const statusesOf = (pickup: { history: { status: string }[] }): string[] => pickup.history.map(({ status }) => status);

type Day = {
  date: string;
  window: { readyTime: string; closeTime: string } | null;
  reason: { code: string } | null;
  existingId: string | null;
};

describe("the slots of a location", () => {
  test("are listed by day, each with the reason if there is none, and each listed one can be booked", async () => {
    const carrierAccountId = await account("rate-card", { pickupRules: { maxDaysAhead: 5 } });
    const locationId = (await org.post("/locations", { name: `Dock ${randomUUID()}`, address: pickupAddress })).body.id;
    const taken = wish(carrierAccountId, { pickupAddress: undefined, locationId });
    const { body: pickup } = await org.post("/pickups", taken);
    const asked = `/pickups/slots?carrierAccountId=${carrierAccountId}&locationId=${locationId}&readyTime=09:00&closeTime=10:00`;
    const { body } = await org.get(`${asked}&from=2026-03-01&days=8`);
    expect(body.timezone).toBe("America/New_York");
    const told = body.data.map(({ date, window, reason, existingId }: Day) => [
      date.slice(8),
      window ? `${window.readyTime.slice(11, 16)}-${window.closeTime.slice(11, 16)}` : reason?.code,
      existingId,
    ]);
    expect(told).toEqual([
      ["01", "date_in_past", null],
      ["02", "11:00-13:00", null],
      ["03", "09:00-11:00", null],
      ["04", "pickup_exists", pickup.id],
      ["05", "09:00-11:00", null],
      ["06", "09:00-11:00", null],
      ["07", "non_service_day", null],
      ["08", "too_far_ahead", null],
    ]);
    expect(body.nextAvailable).toEqual(body.data[1].window);
    for (const { window } of body.data) {
      if (!window) continue;
      const { body: checked } = await org.post("/pickups/check", { ...taken, ...window });
      expect(checked).toMatchObject({ ok: true, errors: [] });
    }
    const whole = (await org.get(asked.replace(/&readyTime.*/, "&from=2026-03-05&days=1"))).body.data[0].window;
    expect(whole).toMatchObject({ readyTime: "2026-03-05T08:00:00-05:00", closeTime: "2026-03-05T20:00:00-05:00" });
  });

  test("count the day of a pickup that is moved as free, in a check as well", async () => {
    const carrierAccountId = await account();
    const locationId = (await org.post("/locations", { name: `Dock ${randomUUID()}`, address: pickupAddress })).body.id;
    const request = wish(carrierAccountId, { pickupAddress: undefined, locationId });
    const { id } = (await org.post("/pickups", request)).body;
    const asked = `/pickups/slots?carrierAccountId=${carrierAccountId}&locationId=${locationId}&from=2026-03-04&days=1`;
    expect((await org.get(asked)).body.data[0].reason.code).toBe("pickup_exists");
    expect((await org.get(`${asked}&excludePickupId=${id}`)).body.data[0].window).not.toBe(null);
    expect((await org.post("/pickups/check", request)).body.ok).toBe(false);
    expect((await org.post(`/pickups/check?excludePickupId=${id}`, request)).body).toMatchObject({
      ok: true,
      existingId: null,
    });
    const stranger = await hub.org();
    expect((await stranger.get(asked)).status).toBe(404);
    expect((await org.post(`/pickups/check?excludePickupId=${randomUUID()}`, request)).body.code).toBe(
      "pickup_not_found",
    );
  });
});

describe("scheduling a pickup", () => {
  test("books it with the carrier and says when and until when, there and in UTC", async () => {
    const { id, ...body } = await booked();
    expect(body).toMatchObject({
      status: "scheduled",
      carrier: "demo",
      confirmationNumber: expect.stringMatching(/^DEMO\d{9}$/),
      pickupDate: "2026-03-04T00:00:00-05:00",
      readyTime: "2026-03-04T13:00:00-05:00",
      closeTime: "2026-03-04T17:00:00-05:00",
      timezone: "America/New_York",
      window: { date: "2026-03-04", start: "2026-03-04T18:00:00.000Z", end: "2026-03-04T22:00:00.000Z" },
      cancelBy: "2026-03-04T17:00:00.000Z",
      isCancellable: true,
      packageCount: 12,
      totalWeight: { value: 80, unit: "lb" },
      messages: [],
    });
    expect(statusesOf(body)).toEqual(["requested", "scheduled"]);
    expect(await read(id)).toEqual({ id, ...body });
    const events = (await org.get(`/audit?objectId=${id}`)).body.data.map(({ type }: { type: string }) => type);
    expect(events).toEqual(["pickup.scheduled", "pickup.requested"]);
  });

  test("reads times without an offset as those of the address, which may be named in the request", async () => {
    const naive = { pickupDate: "2026-03-05", readyTime: "2026-03-05T09:00:00", closeTime: "15:00" };
    expect(await booked(naive)).toMatchObject({ window: { start: "2026-03-05T14:00:00.000Z" } });
    const abroad = { address1: "Rua A 1", city: "Recife", zip: "50000", countryCode: "BR" };
    const carrierAccountId = await account();
    const unclear = await org.post("/pickups", wish(carrierAccountId, { ...naive, pickupAddress: abroad }));
    expect(unclear.body.errors).toMatchObject([{ pointer: "/timezone", code: "timezone_needed" }]);
    const wrong = await org.post("/pickups", wish(carrierAccountId, { ...naive, timezone: "America/New_Yrok" }));
    expect(wrong.body.errors).toMatchObject([{ code: "unknown_timezone", suggestion: "America/New_York" }]);
    const named = { ...naive, pickupAddress: abroad, timezone: "America/Recife" };
    expect(await booked(named)).toMatchObject({ window: { start: "2026-03-05T12:00:00.000Z" } });
  });

  test("writes a zone as it is usually written", async () => {
    const named = wish(await account(), { timezone: "america/new_york" });
    expect((await org.post("/pickups", named)).body.timezone).toBe("America/New_York");
  });

  test("takes the address of a location", async () => {
    const location = (await org.post("/locations", { name: `Dock ${randomUUID()}`, address: pickupAddress })).body;
    const body = await booked({ pickupAddress: undefined, locationId: location.id });
    expect(body).toMatchObject({ locationId: location.id, pickupAddress });
  });

  test("says everything that the carrier would refuse at once, and what it would take", async () => {
    const { status, body } = await org.post(
      "/pickups",
      wish(await account("rate-card"), {
        pickupDate: "2026-03-08",
        readyTime: "06:00",
        closeTime: "07:00",
        packageCount: 500,
        pickupAddress: { ...pickupAddress, address2: "PO Box 4" },
      }),
    );
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)).toEqual([
      "/pickupDate non_service_day",
      "/closeTime window_too_short",
      "/readyTime ready_too_early",
      "/packageCount too_many_packages",
      "/pickupAddress/address2 po_box_not_allowed",
    ]);
    expect(body.nextAvailable).toEqual({
      pickupDate: "2026-03-09",
      readyTime: "2026-03-09T08:00:00-04:00",
      closeTime: "2026-03-09T10:00:00-04:00",
      timezone: "America/New_York",
    });
    expect((await org.get("/pickups?from=2026-03-08&to=2026-03-09")).body.data).toEqual([]);
  });

  test("checks without booking, and what it offers is taken", async () => {
    const carrierAccountId = await account();
    const today = wish(carrierAccountId, { pickupDate: "2026-03-02", readyTime: "10:30", closeTime: "11:30" });
    const { body } = await org.post("/pickups/check", today);
    expect(body).toMatchObject({ ok: false, timezone: "America/New_York", existingId: null, cancelBy: null });
    expect(body.errors.map(({ code }: { code: string }) => code)).toEqual(["window_too_short", "lead_time_too_short"]);
    const second = { ...today, ...body.nextAvailable };
    expect((await org.post("/pickups/check", second)).body).toMatchObject({ ok: true, errors: [] });
    const { body: pickup } = await org.post("/pickups", second);
    expect(pickup.status).toBe("scheduled");
    expect((await org.post("/pickups/check", second)).body).toMatchObject({
      ok: false,
      existingId: pickup.id,
      errors: [{ code: "pickup_exists" }],
    });
  });

  test("refuses a second one at the same place on the same day, however the address is written", async () => {
    const carrierAccountId = await account();
    const first = (await org.post("/pickups", wish(carrierAccountId))).body;
    const written = { ...pickupAddress, address1: "1, PORT St.", zip: `${pickupAddress.zip}-0001` };
    const again = wish(carrierAccountId, { pickupAddress: written });
    const refused = await org.post("/pickups", again);
    expect(refused.body).toMatchObject({ status: 409, code: "pickup_exists", existingId: first.id });
    const second = await org.post("/pickups", { ...again, allowDuplicate: true });
    expect(second.status).toBe(201);
    await org.delete(`/pickups/${first.id}`);
    const third = await org.post("/pickups", again);
    expect(third.body).toMatchObject({ status: 409, existingId: second.body.id });
    await org.delete(`/pickups/${second.body.id}`);
    expect((await org.post("/pickups", again)).status).toBe(201);
  });

  test("offers and books a day without a pickup at this location", async () => {
    const carrierAccountId = await account();
    for (const pickupDate of ["2026-03-04", "2026-03-05"]) {
      const day = wish(carrierAccountId, { pickupDate, readyTime: "13:00", closeTime: "17:00" });
      expect((await org.post("/pickups", day)).status).toBe(201);
    }
    const again = wish(carrierAccountId);
    const { body: checked } = await org.post("/pickups/check", again);
    expect(checked).toMatchObject({ ok: false, errors: [{ code: "pickup_exists", suggestion: "2026-03-06" }] });
    const { body: refused } = await org.post("/pickups", again);
    expect(refused).toMatchObject({ code: "pickup_exists", nextAvailable: { pickupDate: "2026-03-06" } });
    expect(refused.nextAvailable).toEqual(checked.nextAvailable);
    expect((await org.post("/pickups", { ...again, ...checked.nextAvailable })).status).toBe(201);
  });

  test("checks the ZIP also where the country has only its name", async () => {
    const { countryCode: _code, ...unnamed } = pickupAddress;
    const pickupAddressOf = { ...unnamed, country: "United States", zip: "0711", provinceCode: "NJ" };
    const { body } = await org.post("/pickups", wish(await account(), { pickupAddress: pickupAddressOf }));
    expect(body.errors).toMatchObject([{ pointer: "/pickupAddress/zip", code: "invalid_zip" }]);
  });

  test("lets one of two through that are asked for at the same moment", async () => {
    const body = wish(await account());
    const answers = await Promise.all(Array.from({ length: 4 }, () => org.post("/pickups", body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test("follows the rules of the account, and needs one that is active", async () => {
    const early = await account("demo", { pickupRules: { cutoffLocalTime: "09:00" } });
    const today = { pickupDate: "2026-03-02", readyTime: "13:00", closeTime: "17:00" };
    const late = await org.post("/pickups", wish(early, today));
    expect(late.body.errors).toMatchObject([{ pointer: "/pickupDate", code: "cutoff_passed" }]);
    const idle = await account("demo", { isActive: false });
    expect((await org.post("/pickups", wish(idle))).body).toMatchObject({ code: "carrier_account_inactive" });
    const whole = await account("demo", { pickupRules: { requiresWindow: false } });
    const { body } = await org.post("/pickups", wish(whole, { readyTime: undefined, closeTime: undefined }));
    expect(body).toMatchObject({ readyTime: "2026-03-04T08:00:00-05:00", closeTime: "2026-03-04T20:00:00-05:00" });
  });

  test("a refusal of the carrier is said and kept", async () => {
    const carrierAccountId = await account("demo", { settings: { refusePickups: true } });
    const { status, body } = await org.post("/pickups", wish(carrierAccountId));
    expect(status).toBe(502);
    expect(body).toMatchObject({ code: "carrier_failed", carrierCode: "pickup_refused" });
    expect(await read(body.pickupId)).toMatchObject({ status: "failed", failure: { code: "pickup_refused" } });
  });

  test("the same Idempotency-Key books once", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const body = wish(await account());
    const [one, two] = [await org.post("/pickups", body, { headers }), await org.post("/pickups", body, { headers })];
    expect(two.text).toBe(one.text);
    expect(two.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("cancelling a pickup", () => {
  test("answers the cancelled pickup, and the same again", async () => {
    const { id } = await booked();
    const { status, body } = await org.delete(`/pickups/${id}?reason=Nothing%20to%20ship`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "cancelled", isCancellable: false, cancelReason: "Nothing to ship" });
    expect(statusesOf(body)).toEqual(["requested", "scheduled", "cancelled"]);
    const again = await org.delete(`/pickups/${id}`);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(body);
  });

  test("asked for several times at once, answers every time that it is cancelled", async () => {
    const { body } = await org.post("/pickups", wish(await account()));
    const answers = await Promise.all(Array.from({ length: 8 }, () => org.delete(`/pickups/${body.id}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map((answer) => answer.body.status))).toEqual(new Set(["cancelled"]));
    expect((await org.get(`/audit?objectId=${body.id}&type=pickup.cancelled`)).body.pagination.total).toBe(1);
  });

  test("is possible until the deadline of the carrier", async () => {
    const { id, cancelBy } = await booked();
    setClock(new Date(Date.parse(cancelBy) + 1).toISOString());
    expect((await org.delete(`/pickups/${id}`)).body).toMatchObject({
      status: 409,
      code: "cancel_deadline_passed",
      cancelBy,
    });
    setClock(cancelBy);
    expect((await org.delete(`/pickups/${id}`)).status).toBe(200);
  });

  test("is too late when it has taken place, and pointless when it was refused", async () => {
    const { id } = await booked();
    setClock("2026-03-05T12:00:00Z");
    await workOff(hub.world, pickupWork);
    expect((await org.delete(`/pickups/${id}`)).body).toMatchObject({ status: 409, code: "pickup_not_cancellable" });
  });
});

describe("moving a pickup", () => {
  test("books another window and keeps the hours when only the day changes", async () => {
    const before = await booked();
    const { status, body } = await org.patch(`/pickups/${before.id}`, { pickupDate: "2026-03-09" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: before.id, status: "scheduled", readyTime: "2026-03-09T13:00:00-04:00" });
    expect(body.confirmationNumber).not.toBe(before.confirmationNumber);
    expect(statusesOf(body)).toEqual(["requested", "scheduled", "requested", "scheduled"]);
    expect(await read(before.id)).toMatchObject({ hasPendingChange: false, status: "scheduled" });
  });

  test("is refused with the next window, leaving everything as it was", async () => {
    const before = await booked();
    const sunday = await org.patch(`/pickups/${before.id}`, { pickupDate: "2026-03-08" });
    expect(sunday.body).toMatchObject({
      status: 400,
      errors: [{ pointer: "/pickupDate", code: "non_service_day" }],
      nextAvailable: { pickupDate: "2026-03-09" },
    });
    expect(await read(before.id)).toEqual(before);
    await org.patch(`/carrier-accounts/${before.carrierAccountId}`, { settings: { refusePickups: true } });
    const refused = await org.patch(`/pickups/${before.id}`, { packageCount: 3 });
    expect(refused.status).toBe(502);
    const after = await read(before.id);
    expect(after).toMatchObject({ status: "scheduled", packageCount: 12, hasPendingChange: false });
    expect(after.confirmationNumber).toBe(before.confirmationNumber);
  });

  test("to a day that another pickup has is refused", async () => {
    const first = await booked();
    const { carrierAccountId } = first;
    const other = wish(carrierAccountId, { pickupDate: "2026-03-05", readyTime: "13:00", closeTime: "17:00" });
    const second = (await org.post("/pickups", other)).body;
    const refused = await org.patch(`/pickups/${second.id}`, { pickupDate: "2026-03-04" });
    expect(refused.body).toMatchObject({ status: 409, code: "pickup_exists", existingId: first.id });
    expect(await read(second.id)).toEqual(second);
  });

  test("is refused when it is cancelled, too late, or was changed meanwhile", async () => {
    const { id, cancelBy } = await booked();
    const stale = await org.patch(`/pickups/${id}`, { packageCount: 3 }, { headers: { "if-match": '"99"' } });
    expect(stale.status).toBe(412);
    expect((await org.patch(`/pickups/${id}`, {})).body.code).toBe("empty_patch");
    setClock(new Date(Date.parse(cancelBy) + 1000).toISOString());
    expect((await org.patch(`/pickups/${id}`, { packageCount: 3 })).body.code).toBe("cancel_deadline_passed");
    setClock(monday);
    await org.delete(`/pickups/${id}`);
    expect((await org.patch(`/pickups/${id}`, { packageCount: 3 })).body.code).toBe("invalid_state");
  });
});

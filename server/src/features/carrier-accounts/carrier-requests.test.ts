import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemContext } from "../../context.ts";
import { startWork, workOff } from "../../queue/work.ts";
import { standInCarrier, startStandInCarrier } from "../../testing/stand-in-carrier.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { pickupWork } from "../pickups/pickups.ts";
import { trackingWork } from "../shipments/shipments.ts";
import { maxAttempts } from "./carrier-requests.ts";
import { callCarrier, openCarrier, singleCall } from "./open-carrier.ts";

const hub = await startTestHub();
const org = await hub.org();
const carrier = await startStandInCarrier();

const monday = Date.parse("2026-03-02T15:00:00Z");
let now = monday;
const setClock = (minutes: number): void => {
  now = monday + minutes * 60_000;
  hub.world.clock.set({ mode: "frozen", at: new Date(now).toISOString() });
};
beforeEach(() => {
  setClock(0);
  carrier.calm();
});
afterAll(() => hub.world.clock.set({ mode: "real" }));

const address = { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
const pickupOf = (carrierAccountId: string) => ({
  carrierAccountId,
  pickupDate: "2026-03-06",
  pickupAddress: address,
  readyTime: "13:00",
  closeTime: "17:00",
  packageCount: 1,
  allowDuplicate: true,
});
const labelOf = (carrierAccountId: string) => ({ ...aParcel, carrierAccountId, reference: `R-${randomUUID()}` });

/** The two things that a carrier does once, seen from both sides. */
const kinds = [
  {
    kind: "a pickup",
    path: "/pickups",
    bodyOf: pickupOf,
    table: "pickups",
    leases: pickupWork.leases,
    workOffAll: () => workOff(hub.world, pickupWork),
    startWorker: () => startWork(hub.world, pickupWork, { slots: 8 }),
    books: carrier.booked,
    unanswered: 201,
    refusal: [502, "carrier_failed"],
    idOf: (body: { id: string; label?: { id: string } }) => body.id,
    read: async (id: string, by: TestOrg = org) => (await by.get(`/pickups/${id}`)).body,
    done: "scheduled",
    numberOf: ({ confirmationNumber }: { confirmationNumber: string }) => confirmationNumber,
  },
  {
    kind: "a label",
    path: "/shipments/labels",
    bodyOf: labelOf,
    table: "shipment_labels",
    leases: labelWork.leases,
    workOffAll: () => workOff(hub.world, labelWork),
    startWorker: () => startWork(hub.world, labelWork, { slots: 8 }),
    books: carrier.sold,
    unanswered: 202,
    refusal: [409, "label_rejected"],
    idOf: (body: { id: string; label?: { id: string } }) => body.label!.id,
    read: async (id: string, by: TestOrg = org) => (await by.get(`/shipments/labels/${id}`)).body,
    done: "purchased",
    numberOf: ({ trackingNumber }: { trackingNumber: string }) => trackingNumber,
  },
] as const;

/** What is in the carrier's books for this one. */
const entriesOf = (books: Map<string, { number: string }>, id: string) =>
  [...books].filter(([key]) => key.includes(id)).map(([, { number }]) => number);

describe.each(kinds)("$kind of a carrier that is called over HTTP", ({ path, bodyOf, table, books, ...kind }) => {
  const start = async (key = randomUUID()) => {
    const body = bodyOf(await carrier.account(hub, org));
    const headers = { "idempotency-key": key };
    const post = () => org.post(path, body, { headers });
    return { first: await post(), again: post };
  };

  test("succeeds, and its receipt for later calls is stored but never shown", async () => {
    const { first } = await start();
    expect(first.status).toBe(201);
    const id = kind.idOf(first.body);
    const record = await kind.read(id);
    expect([record.status, entriesOf(books, id)]).toEqual([kind.done, [kind.numberOf(record)]]);
    const [row] = await hub.world.db.query<{ carrier_data: { token: string } }>(
      `select carrier_data from ${table} where id = $1`,
      [id],
    );
    const { token } = row!.carrier_data;
    expect([...books.values()].map((entry) => entry.token)).toContain(token);
    const audit = await org.get(`/audit?objectId=${id}`);
    for (const text of [first.text, JSON.stringify(record), audit.text]) expect(text).not.toContain(token);
  });

  test.each(["hang", "rate_limit", "error", "cut_after", "garbled"] as const)(
    "that answers with a fault (%s) is asked again under the same key, and done once",
    async (fault) => {
      carrier.inject(fault);
      standInCarrier.timeouts = fault === "hang" ? { createLabel: 500, schedulePickup: 500 } : {};
      const { first, again } = await start();
      standInCarrier.timeouts = {};
      expect(first.status).toBe(kind.unanswered);
      const id = kind.idOf(first.body);
      expect((await kind.read(id)).status).toBe("requested");
      expect(kind.idOf((await again()).body)).toBe(id);
      setClock(2);
      await kind.workOffAll();
      const record = await kind.read(id);
      expect([record.status, entriesOf(books, id)]).toEqual([kind.done, [kind.numberOf(record)]]);
      expect(kind.idOf((await again()).body)).toBe(id);
    },
  );

  test("that wants to be left alone is left alone as long as it says", async () => {
    carrier.inject("rate_limit", { retryAfterSeconds: 1_200 });
    const { first } = await start();
    const id = kind.idOf(first.body);
    setClock(19);
    expect(await kind.workOffAll()).toBe(0);
    setClock(20);
    expect(await kind.workOffAll()).toBe(1);
    expect((await kind.read(id)).status).toBe(kind.done);
  });

  test("that is refused fails; the same key gets the stored refusal without a request", async () => {
    carrier.inject("refuse");
    const { first, again } = await start();
    expect([first.status, first.body.code]).toEqual(kind.refusal);
    expect(first.body).toMatchObject({ carrierCode: "rejected", detail: expect.stringContaining("1 Port Street") });
    const requests = carrier.requests.length;
    const second = await again();
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(carrier.requests.length).toBe(requests);
    const id = first.body.pickupId ?? first.body.labelId;
    expect(await kind.read(id)).toMatchObject({ status: "failed", failure: { code: "rejected" } });
    expect((await org.post(`${path}/${id}/retry`)).body.code).toBe("invalid_state");
    expect(entriesOf(books, id)).toEqual([]);
  });

  test("that gets no answer fails after so many attempts, and can be asked for once more under the same key", async () => {
    carrier.inject("garbled", { times: maxAttempts });
    const { first } = await start();
    const id = kind.idOf(first.body);
    const before = carrier.requests.length;
    for (let minutes = 11; minutes <= 11 * (maxAttempts + 1); minutes += 11) {
      setClock(minutes);
      await kind.workOffAll();
    }
    expect(carrier.requests.length).toBe(before + maxAttempts - 1);
    expect(await kind.read(id)).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    const retried = await org.post(`${path}/${id}/retry`);
    expect(retried.status).toBe(200);
    const record = await kind.read(id);
    expect(record).toMatchObject({ status: kind.done, failure: null });
    expect(entriesOf(books, id)).toEqual([kind.numberOf(record)]);
    expect((await org.post(`${path}/${id}/retry`)).body.code).toBe("invalid_state");
  });

  test("whose outcome cannot be stored ends after the maximum of attempts and delays no other", async () => {
    await hub.world.db.query(`create function poison() returns trigger language plpgsql as
      $$ begin raise exception 'invalid input' using errcode = '22P02'; end $$`);
    await hub.world.db.query(`create trigger poison before update on ${table} for each row
      when (new.status = '${kind.done}') execute function poison()`);
    const { first, again } = await start();
    expect(first.status).toBe(500);
    expect((await again()).status).toBe(kind.unanswered);
    const [open] = (await org.get(`${path}?status=requested`)).body.data;
    carrier.inject("error");
    const { first: other } = await start();
    await hub.world.db.query(`drop trigger poison on ${table}`);
    await hub.world.db.query(`create trigger poison before update on ${table} for each row
      when (new.id = '${open.id}' and new.status = '${kind.done}') execute function poison()`);
    setClock(2);
    await kind.workOffAll();
    expect((await kind.read(kind.idOf(other.body))).status).toBe(kind.done);
    for (let minutes = 4; minutes < 60; minutes += 2) {
      setClock(minutes);
      await kind.workOffAll();
    }
    await hub.world.db.query("drop function poison cascade");
    expect(await kind.read(open.id)).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(entriesOf(books, open.id)).toHaveLength(1);
    expect((await org.post(`${path}/${open.id}/retry`)).status).toBe(200);
    expect(entriesOf(books, open.id)).toEqual([kind.numberOf(await kind.read(open.id))]);
  });

  test("that a killed hub had taken up is done by another one when its lease has run out", async () => {
    carrier.inject("error");
    const { first } = await start();
    const id = kind.idOf(first.body);
    setClock(2);
    const quotas = { byOrg: new Map<string, number>(), others: 10 };
    const claim = { owner: randomUUID(), limit: 10, quotas, mayTakeOver: true, now: new Date(now) };
    expect((await kind.leases.claimAcrossOrgs(hub.world.db, claim)).rows.map((row) => row.id)).toEqual([id]);
    expect(await kind.workOffAll()).toBe(0);
    await kind.leases.endAllAcrossOrgs(hub.world.db);
    expect(await kind.workOffAll()).toBe(1);
    expect((await kind.read(id)).status).toBe(kind.done);
  });

  test("of a slow carrier does not delay another organization", async () => {
    const slow = await startStandInCarrier();
    const other = await hub.org();
    const [slowId, quickId] = [await slow.account(hub, org), await carrier.account(hub, other)];
    slow.inject("rate_limit", { times: 10 });
    for (let count = 0; count < 10; count++) await org.post(path, bodyOf(slowId));
    carrier.inject("error");
    const id = kind.idOf((await other.post(path, bodyOf(quickId))).body);
    slow.inject("hang", { times: 100 });
    setClock(2);
    const worker = kind.startWorker();
    worker.wake();
    await expect.poll(async () => (await kind.read(id, other)).status).toBe(kind.done);
    // Each is held on its own: what this worker has no place for is free for others.
    const held = await hub.world.db.query(`select from ${table} where org_id = $1 and lease_owner is not null`, [
      org.id,
    ]);
    expect(held.length).toBeLessThanOrEqual(6);
    await worker.stop();
    expect(await hub.world.db.query(`select from ${table} where lease_owner is not null`)).toEqual([]);
    await hub.world.db.query(`update ${table} set due_at = null`);
  });
});

test("what the carrier wants back is handed to it when it is asked again", async () => {
  const accountId = await carrier.account(hub, org);
  const { body: pickup } = await org.post("/pickups", pickupOf(accountId));
  const { body: moved } = await org.patch(`/pickups/${pickup.id}`, { packageCount: 5 });
  expect(carrier.undone).toContain(pickup.confirmationNumber);
  expect((await org.delete(`/pickups/${pickup.id}`)).status).toBe(200);
  expect(carrier.undone).toContain(moved.confirmationNumber);
  const { body: sale } = await org.post("/shipments/labels", labelOf(accountId));
  const { body: tracked } = await org.post(`/shipments/${sale.shipment.id}/track`);
  expect(tracked).toMatchObject({ wasPolled: true, hasUpdates: true, shipment: { status: "in_transit" } });
  const { body: unused } = await org.post("/shipments/labels", labelOf(accountId));
  expect((await org.delete(`/shipments/labels/${unused.label.id}`)).status).toBe(200);
  expect(carrier.undone).toContain(unused.label.trackingNumber);
});

test("a carrier is reached through the guard: what must not be called is refused", async () => {
  const accountId = await carrier.account(hub, org);
  const { outbound } = hub.world.settings;
  outbound.allowPrivate = false;
  const requests = carrier.requests.length;
  const { status, body } = await org.post("/pickups", pickupOf(accountId));
  outbound.allowPrivate = true;
  expect([status, body.carrierCode, carrier.requests.length]).toEqual([502, "address_not_allowed", requests]);
});

test("a hub that is stopping starts no requests and does not wait for open ones", async () => {
  const ctx = systemContext(hub.world, org.id, "test");
  const open = await openCarrier(ctx, await carrier.account(hub, org));
  const never = () => new Promise<never>(() => {});
  expect(await callCarrier(ctx, open, "createLabel", singleCall("key"), never, AbortSignal.abort())).toEqual({
    unknown: expect.any(String),
  });
  const stopping = new AbortController();
  const asked = callCarrier(ctx, open, "createLabel", singleCall("key"), never, stopping.signal);
  stopping.abort();
  expect(await asked).toEqual({ unknown: expect.any(String) });
});

test("an unusable account is skipped for half an hour after the maximum of attempts and delays no other", async () => {
  const [bad, good] = [await hub.org(), await hub.org()];
  await hub.world.db.query("update carrier_accounts set due_at = null");
  const ids: string[] = [];
  for (const by of [bad, good]) {
    const accountId = await carrier.account(hub, by);
    ids.push((await by.post("/shipments/labels", labelOf(accountId))).body.shipment.id);
  }
  await hub.world.db.query("update carrier_accounts set credentials = 'v1.x.y' where org_id = $1", [bad.id]);
  for (let attempt = 1; attempt <= trackingWork.maxAttempts; attempt++) {
    setClock(60 + attempt * 11);
    await workOff(hub.world, trackingWork);
  }
  expect((await good.get(`/shipments/${ids[1]}`)).body.status).toBe("in_transit");
  expect((await bad.get(`/shipments/${ids[0]}`)).body).toMatchObject({ status: "pre_transit", lastPolledAt: null });
  const due = "select due_at, attempts from carrier_accounts where org_id = $1";
  expect(await hub.world.db.query(due, [bad.id])).toEqual([{ due_at: new Date(now + 30 * 60_000), attempts: 0 }]);
});

describe("security 1: credentials of an account belong to the address they were given for", () => {
  test("another address needs them again, and a carrier cannot be made to send them elsewhere", async () => {
    const id = await carrier.account(hub, org);
    const elsewhere = await startStandInCarrier();
    const given = await org.patch(`/carrier-accounts/${id}`, { credentials: { token: "of-the-carrier", user: "ann" } });
    expect(given.body.credentialFields).toEqual(["token", "user"]);
    const moved = await org.patch(`/carrier-accounts/${id}`, { settings: { baseUrl: elsewhere.url } });
    expect([moved.status, moved.body.code]).toEqual([409, "credentials_required"]);
    const { call } = await openCarrier(systemContext(hub.world, org.id, "test"), id);
    const strayed = call(singleCall("key"), new AbortController().signal).http.request({
      url: `${elsewhere.url}/track`,
    });
    await expect(strayed).rejects.toMatchObject({ code: "credentials_for_other_host" });
    expect(elsewhere.requests).toEqual([]);
    // A file in another place is fetched without them.
    const { http } = call(singleCall("key"), new AbortController().signal);
    const file = await http.request({ url: `${elsewhere.url}/files/1`, withoutCredentials: true });
    expect([file.bytes.toString(), elsewhere.requests]).toEqual([file.text, ["GET /files/1"]]);
    const headers = { authorization: "Bearer of-the-carrier" };
    const carried = http.request({ url: `${elsewhere.url}/files/1`, withoutCredentials: true, headers });
    await expect(carried).rejects.toMatchObject({ code: "invalid_request" });
    expect(elsewhere.requests).toHaveLength(1);
    elsewhere.requests.length = 0;
    const settings = { baseUrl: elsewhere.url };
    const again = await org.patch(`/carrier-accounts/${id}`, { settings, credentials: { token: "of-the-other" } });
    expect(again.body).toMatchObject({ settings, credentialFields: ["token"] });
    const plain = await org.patch(`/carrier-accounts/${id}`, {
      settings: { baseUrl: "http://203.0.114.7" },
      credentials: { token: "t" },
    });
    expect(plain.body.errors).toMatchObject([{ pointer: "/settings", code: "https_required" }]);
  });
});

test("a carrier is called only where the organization may call", async () => {
  const own = await hub.org();
  const id = await carrier.account(hub, own);
  await own.patch(`/organizations/${own.id}`, { outboundHosts: ["carrier.example"] });
  const { call } = await openCarrier(systemContext(hub.world, own.id, "test"), id);
  const asked = call(singleCall("key"), new AbortController().signal).http.request({ url: `${carrier.url}/track` });
  await expect(asked).rejects.toMatchObject({ code: "host_not_allowed" });
});

describe("calls of one account at the same time", () => {
  const slow = async () => {
    const accountId = await carrier.account(hub, org);
    const open = await openCarrier(systemContext(hub.world, org.id, "test"), accountId);
    const running = { now: 0, most: 0 };
    const ends: (() => void)[] = [];
    const ask = async (): Promise<string> => {
      running.most = Math.max(running.most, ++running.now);
      await new Promise<void>((resolve) => void ends.push(resolve));
      running.now--;
      return "answered";
    };
    return { open, running, ends, ask };
  };
  const ctx = systemContext(hub.world, org.id, "test");
  afterEach(() => {
    delete standInCarrier.concurrency;
    standInCarrier.timeouts = {};
  });

  test("are as many as the carrier allows; the others wait for them, longer than the timeout of one", async () => {
    standInCarrier.concurrency = 2;
    standInCarrier.timeouts = { rate: 1_000 };
    const { open, running, ends, ask } = await slow();
    const calls = Array.from({ length: 6 }, () => callCarrier(ctx, open, "rate", singleCall("key"), ask));
    for (let ended = 0; ended < 6; ended++) {
      await expect.poll(() => ends.length).toBe(Math.min(6, ended + 2));
      // Each takes less than the timeout, all of them together more.
      await new Promise((resolve) => setTimeout(resolve, 250));
      ends[ended]!();
    }
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 6 }, () => ({ done: "answered" })));
    expect(running.most).toBe(2);
  });

  test("are aborted while they wait: at their deadline if another attempt follows, and when the hub stops", async () => {
    standInCarrier.concurrency = 1;
    standInCarrier.timeouts = { createLabel: 200 };
    const { open, ends, ask } = await slow();
    const first = callCarrier(ctx, open, "rate", singleCall("first"), ask);
    const stopping = new AbortController();
    const stopped = callCarrier(ctx, open, "rate", singleCall("second"), ask, stopping.signal);
    const effect = { ...singleCall("third"), isRecorded: true };
    expect(await callCarrier(ctx, open, "createLabel", effect, ask)).toEqual({ unknown: expect.any(String) });
    stopping.abort();
    expect(await stopped).toEqual({ unknown: expect.any(String) });
    expect(ends).toHaveLength(1);
    ends[0]!();
    expect(await first).toEqual({ done: "answered" });
  });
});

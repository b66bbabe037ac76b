import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Label } from "../../carriers/seam/labels.ts";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";

const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/delivery-promises.md"), "utf8");
const blockOf = (mark: string): object => codeBlocks(page, mark)[0]!.block as object;

const hub = await startTestHub();
const desk = scriptLabels();
const at = (moment: string): void => hub.world.clock.set({ mode: "frozen", at: moment });
const change = (more: Partial<Label>) => void desk.nextTurns.push({ after: (label) => ({ ...label, ...more }) });
afterEach(() => hub.world.clock.set({ mode: "real" }));

async function anAccount(org: TestOrg, card?: object): Promise<string> {
  const { body } = await org.post("/carrier-accounts", { name: `Demo ${crypto.randomUUID()}`, carrier: "demo" });
  if (card) {
    const uploaded = await org.post(`/carrier-accounts/${body.id}/rate-cards`, { card });
    expect(uploaded.status, uploaded.text).toBe(201);
  }
  return body.id;
}

async function anOrder(org: TestOrg, locationId: string): Promise<string> {
  const { body } = await org.post("/orders", {
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ sku: "MUG-01", quantity: 1, weight: { value: 300, unit: "g" } }],
    locationId,
  });
  return body.id;
}

/** Buys a label for an order of the location and returns its shipment. */
async function ship(org: TestOrg, carrierAccountId: string, locationId: string, more: object = {}) {
  const orderId = await anOrder(org, locationId);
  const { status, body, text } = await org.post("/shipments/labels", {
    carrierAccountId,
    service: "NAT_GROUND",
    orderId,
    ...more,
  });
  expect(status, text).toBe(201);
  return body.shipment;
}

test("the example of docs/delivery-promises.md is what the hub answers", async () => {
  const org = await hub.org();
  const location = await org.post("/locations", blockOf("json location"));
  expect(location.status, location.text).toBe(201);
  const account = await anAccount(org, blockOf("json card"));
  at("2026-11-20T22:30:00Z");
  const shipment = await ship(org, account, location.body.id);
  expect(shipment).toMatchObject({ ...blockOf("json shipment"), carrierAccountId: account });
  expect(shipment.promiseRule.rateCardId).toMatch(/^[0-9a-f-]{36}$/);
  expect((await org.get(`/shipments/${shipment.id}`)).body.promiseRule).toEqual(shipment.promiseRule);
});

describe("the promise of a label", async () => {
  const org = await hub.org();
  await org.patch(`/organizations/${org.id}`, { timezone: "America/Chicago" });
  const plain = await anAccount(org);
  const contract = await anAccount(org, blockOf("json card"));
  const dock = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body;
  const reno = { address1: "1 Main St", city: "Reno", provinceCode: "NV", zip: "89501", countryCode: "US" };
  const west = (await org.post("/locations", { name: "Reno", address: reno, cutoff_time: "14:00" })).body;

  test("is the contract's before the carrier's, and stays when the contract changes", async () => {
    at("2026-03-02T15:00:00Z");
    change({ transitDays: 9, deliverBy: "2026-03-20" });
    const first = await ship(org, contract, dock.id);
    expect(first).toMatchObject({ promisedDate: "2026-03-05", promiseSource: "contract", zone: "2" });
    const card = blockOf("json card") as { services: object[] };
    const services = card.services.map((service) => ({ ...service, transitDays: { "2": 1 } }));
    await org.post(`/carrier-accounts/${contract}/rate-cards`, { card: { ...card, services } });
    expect((await org.get(`/shipments/${first.id}`)).body.promisedDate).toBe("2026-03-05");
    expect(await ship(org, contract, dock.id)).toMatchObject({ promisedDate: "2026-03-03" });
  });

  test("is the carrier's where the card has no days for the service and zone", async () => {
    at("2026-03-02T15:00:00Z");
    change({ transitDays: 4 });
    const far = { ...aParcel.to, city: "Miami", provinceCode: "FL", zip: "33101" };
    const shipment = await ship(org, contract, dock.id, { to: far });
    expect(shipment).toMatchObject({
      promisedDate: "2026-03-06",
      promiseSource: "quote",
      promiseRule: { basis: "carrier_days", transitDays: 4, startDate: "2026-03-02", rateCardId: null },
    });
    change({ deliverBy: "2026-03-09" });
    const named = await ship(org, plain, dock.id);
    expect(named).toMatchObject({
      promisedDate: "2026-03-09",
      promiseSource: "quote",
      promiseRule: { basis: "carrier_date", transitDays: null, startDate: null },
    });
    expect(named.zone).not.toBeNull();
  });

  test("follows cut-off and time zone of the location, else of the organization, but not from another address", async () => {
    // 13:59 and 14:00 in Reno, 21:59 and 22:00 in UTC.
    for (const [moment, promisedDate, isAfterCutoff] of [
      ["2026-03-02T21:59:00Z", "2026-03-03", false],
      ["2026-03-02T22:00:00Z", "2026-03-04", true],
    ] as const) {
      at(moment);
      change({ transitDays: 1 });
      expect(await ship(org, plain, west.id)).toMatchObject({
        promisedDate,
        promiseRule: { timeZone: "America/Los_Angeles", cutoffTime: "14:00", isAfterCutoff },
      });
    }
    change({ transitDays: 1 });
    expect(await ship(org, plain, west.id, { from: aParcel.from })).toMatchObject({
      promisedDate: "2026-03-03",
      promiseRule: { timeZone: "America/New_York", cutoffTime: null },
    });
    await org.patch(`/organizations/${org.id}`, { cutoffTime: "12:00" });
    await org.patch(`/locations/${dock.id}`, { timezone: "Pacific/Honolulu" });
    change({ transitDays: 1 });
    // Noon in Honolulu.
    expect(await ship(org, plain, dock.id)).toMatchObject({
      promisedDate: "2026-03-04",
      promiseRule: { timeZone: "Pacific/Honolulu", cutoffTime: "12:00", isAfterCutoff: true },
    });
    await org.patch(`/organizations/${org.id}`, { cutoffTime: null });
    await org.patch(`/locations/${dock.id}`, { timezone: null });
  });

  test("counts Saturdays if they were bought, and starts on a day on which the carrier takes parcels", async () => {
    at("2026-03-06T15:00:00Z");
    change({ transitDays: 1 });
    expect(await ship(org, plain, dock.id)).toMatchObject({ promisedDate: "2026-03-09" });
    change({ transitDays: 1 });
    const saturday = await ship(org, plain, dock.id, { options: { saturdayDelivery: true } });
    expect(saturday).toMatchObject({ promisedDate: "2026-03-07", promiseRule: { deliveryDays: "mon_sat" } });
    change({ transitDays: 1 });
    const sunday = await ship(org, plain, dock.id, { shipDate: "2026-03-08" });
    expect(sunday).toMatchObject({ promisedDate: "2026-03-10", promiseRule: { startDate: "2026-03-09" } });
  });

  test("gives way to one of the user and is not replaced by the carrier's estimate", async () => {
    at("2026-03-02T15:00:00Z");
    change({ transitDays: 2 });
    const { id } = await ship(org, plain, dock.id);
    const scanned = await org.post(`/shipments/${id}/events`, { status: "in_transit", at: "2026-03-02T15:00:00Z" });
    expect(scanned.body).toMatchObject({ promisedDate: "2026-03-04", promiseSource: "quote" });
    expect(scanned.body.promiseRule.basis).toBe("carrier_days");
    const given = await org.patch(`/shipments/${id}`, { promisedDate: "2026-03-09" });
    expect(given.body).toMatchObject({ promisedDate: "2026-03-09", promiseSource: "request", promiseRule: null });
  });

  test("needs no zone: one that cannot be stored is dropped, and the label is good", async () => {
    change({ zone: "5\u0000" });
    expect((await ship(org, plain, dock.id)).zone).toBeNull();
  });

  test("of locations: a wrong cut-off or time zone names its field", async () => {
    const wrong = await org.patch(`/locations/${dock.id}`, { cutoff_time: "25:00" });
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ pointer: "/cutoff_time" }] });
    const unknown = await org.post("/locations", { name: "Moon", timezone: "Moon/Crater" });
    expect(unknown.body).toMatchObject({ status: 400, errors: [{ pointer: "/timezone", code: "unknown_timezone" }] });
    expect((await org.get(`/locations/${west.id}`)).body).toMatchObject({ cutoff_time: "14:00", timezone: null });
    expect((await org.patch(`/locations/${west.id}`, { cutoff_time: null })).body.cutoff_time).toBeNull();
  });
});

test("a service without a promise has the rule of its level, from the first scan", async () => {
  const org = await hub.org();
  const { body } = await org.post("/shipments", {
    carrier: "USPS",
    service: "Priority Mail",
    origin: aParcel.from,
    destination: aParcel.to,
    // Friday evening in Newark, Saturday in UTC. Saturday counts for the postal service.
    acceptedAt: "2026-03-07T01:00:00Z",
  });
  expect(body).toMatchObject({
    promisedDate: "2026-03-10",
    promiseSource: "service_level",
    promiseRule: {
      basis: "service_level",
      transitDays: 3,
      startDate: "2026-03-06",
      timeZone: "America/New_York",
      deliveryDays: "mon_sat",
      holidays: "us_federal",
    },
  });
});

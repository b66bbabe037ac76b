import { expect, test } from "vitest";
import type { CarrierCall, LabelRequest, RateRequest } from "../seam/carrier.ts";
import type { PickupRequest } from "../seam/pickups.ts";
import { carriers, findCarrier } from "../installed-carriers.ts";
import { demoCarrier } from "./demo-carrier.ts";

const now = new Date("2026-03-04T12:00:00Z");
const http: CarrierCall["http"] = { request: () => Promise.reject(new Error("the demo carrier sends no requests")) };
const { signal } = new AbortController();
const call: CarrierCall = {
  settings: {},
  credentials: {},
  http,
  now: () => now,
  effectKey: "one",
  attempt: 1,
  noted: null,
  note: () => Promise.resolve(),
  token: () => Promise.reject(new Error("the demo carrier has no tokens")),
  signal,
};
const request: RateRequest = {
  from: { zip: "10001" },
  to: { zip: "90210" },
  parcels: [{ weight: { value: 3, unit: "lb" } }],
  options: {},
  shipDate: "2026-03-04",
};
const labelRequest: LabelRequest = { ...request, service: "Ground" };

test("the demo carrier answers the same question in the same way", async () => {
  const [first, second] = [await demoCarrier.rate!(call, request), await demoCarrier.rate!(call, request)];
  expect(first).toEqual(second);
  expect(first.map((quote) => quote.service)).toContain("NAT_GROUND");
  const pickup: PickupRequest = {
    address: {},
    readyTime: "2026-03-05T14:00:00Z",
    closeTime: "2026-03-05T18:00:00Z",
    packageCount: 2,
    parcels: [],
  };
  const confirmed = await demoCarrier.schedulePickup!(call, pickup);
  expect(confirmed).toEqual(await demoCarrier.schedulePickup!(call, pickup));
  expect(confirmed.confirmationNumber).not.toBe(
    (await demoCarrier.schedulePickup!({ ...call, effectKey: "two" }, pickup)).confirmationNumber,
  );
  await expect(
    demoCarrier.schedulePickup!({ ...call, settings: { refusePickups: true } }, pickup),
  ).rejects.toMatchObject({
    code: "pickup_refused",
  });
});

test("a demo parcel's story begins when it was shipped, only ever goes on, and ends with its delivery", async () => {
  const hourMs = 3_600_000;
  const parcels = Array.from({ length: 50 }, (_, index) => ({
    trackingNumber: `DEMO${index}`,
    shippedAt: now.toISOString(),
  }));
  const afterHours = (hours: number) =>
    demoCarrier.track!({ ...call, now: () => new Date(now.getTime() + hours * hourMs) }, parcels);
  expect((await afterHours(-1)).flatMap(({ events }) => events)).toEqual([]);
  let before = await afterHours(0);
  for (const { events } of before) {
    expect(events).toMatchObject([{ at: now.toISOString(), status: "pre_transit" }]);
  }
  const seen = new Set<string>();
  for (let hours = 1; hours <= 24 * 30; hours += 5) {
    const later = await afterHours(hours);
    for (const [index, { events }] of later.entries()) {
      expect(events.slice(0, before[index]!.events.length)).toEqual(before[index]!.events);
      for (const { at } of events) expect(Date.parse(at)).toBeLessThanOrEqual(now.getTime() + hours * hourMs);
      seen.add(events.at(-1)!.status);
    }
    before = later;
  }
  expect(new Set(before.map(({ events }) => events.at(-1)!.status))).toEqual(new Set(["delivered"]));
  expect(seen).toContain("delivery_failed");
});

test("a demo label names its tracking number and its price, on a page that can be printed", async () => {
  const to = { zip: "90210", name: "Zoë (the 2nd) \\ 日本" };
  const label = await demoCarrier.createLabel!(call, { ...labelRequest, to });
  expect(label.charge).toMatchObject({ cents: expect.any(Number), currency: "USD" });
  expect(label.charge!.cents).toBeGreaterThan(1000);
  expect(label.charge!.lines!.reduce((sum, { cents }) => sum + cents, 0)).toBe(label.charge!.cents);
  const [parcel] = label.parcels;
  expect(parcel!.file!.contentType).toBe("application/pdf");
  const file = parcel!.file!.content.toString("latin1");
  expect(file).toContain(`(${parcel!.trackingNumber}) '`);
  expect(file).toContain(String.raw`(Zoë \(the 2nd\) \\ ??) '`);
  // Readers go by the places of its parts.
  const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)![1]);
  expect(file.slice(table)).toMatch(/^xref\n0 6\n/);
  const places = [...file.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
  expect(places.map((place) => file.slice(place, place + 7))).toEqual([1, 2, 3, 4, 5].map((n) => `${n} 0 obj`));
  const [, length, stream] = /\/Length (\d+) >>\nstream\n([^]*?)\nendstream/.exec(file)!;
  expect(stream).toHaveLength(Number(length));
});

test("a demo label costs what is charged on its day", async () => {
  const on = async (shipDate: string) =>
    await demoCarrier.createLabel!(call, {
      ...labelRequest,
      parcels: [{ weight: { value: 30, unit: "lb" }, dimensions: { length: 100, width: 12, height: 12, unit: "in" } }],
      shipDate,
    });
  const [peak, spring] = [await on("2026-01-02"), await on("2026-03-04")];
  expect(peak.charge!.cents).toBeGreaterThan(spring.charge!.cents);
  expect(peak.parcels).toEqual(spring.parcels);
});

test("several parcels are priced one by one and added, and each gets its own tracking number", async () => {
  const [light, heavy] = [
    { weight: { value: 3, unit: "lb" as const } },
    { weight: { value: 30, unit: "lb" as const } },
  ];
  const priceOf = async (parcels: RateRequest["parcels"]) => {
    const [quote] = await demoCarrier.rate!(call, { ...request, parcels, services: ["Ground"] });
    if (!quote || "reason" in quote) throw new Error("no price");
    return quote;
  };
  const [one, two, both] = [await priceOf([light]), await priceOf([heavy]), await priceOf([light, heavy])];
  expect(both.total).toBeCloseTo(one.total + two.total, 10);
  expect(both.weight).toBeNull();
  expect(both.lines.map(({ label }) => label)).toEqual([
    ...one.lines.map(({ label }) => `Parcel 1: ${label}`),
    ...two.lines.map(({ label }) => `Parcel 2: ${label}`),
  ]);
  const label = await demoCarrier.createLabel!(call, { ...labelRequest, parcels: [light, heavy] });
  expect(label.charge!.cents).toBe(Math.round(both.total * 100));
  expect(new Set(label.parcels.map(({ trackingNumber }) => trackingNumber)).size).toBe(2);
  const [unavailable] = await demoCarrier.rate!(call, {
    ...request,
    parcels: [light, { weight: { value: 151, unit: "lb" } }],
    services: ["Ground"],
  });
  expect(unavailable).toMatchObject({ reason: "over_limit" });
});

test("a home costs more than a business, and foreign postal codes are not taken for ZIPs", async () => {
  const totalOf = async (more: Partial<RateRequest>) => {
    const [quote] = await demoCarrier.rate!(call, { ...request, ...more, services: ["Ground"] });
    return quote && "total" in quote ? quote.total : quote?.reason;
  };
  expect(await totalOf({ options: { residential: true } })).toBeGreaterThan(
    Number(await totalOf({ options: { residential: false } })),
  );
  expect(await totalOf({ to: { zip: "90210", countryCode: "DE" } })).toBe("zone_unresolved");
});

test("carriers have names of their own", () => {
  expect(new Set(carriers.map(({ name }) => name)).size).toBe(carriers.length);
  expect(findCarrier("rate-card")?.usesRateCards({})).toBe(true);
  // The next attempt begins 90 seconds after the first.
  for (const { timeouts = {} } of carriers) expect(Math.max(0, ...Object.values(timeouts))).toBeLessThanOrEqual(75_000);
});

test("a service that the demo carrier does not have is refused, not passed over", async () => {
  const asked = { ...request, from: { zip: "07114" }, to: { zip: "12207" } };
  await expect(demoCarrier.rate!(call, { ...asked, services: ["Ground", "Pigeon"] })).rejects.toMatchObject({
    code: "unknown_service",
  });
  expect(await demoCarrier.rate!(call, { ...asked, services: ["Ground"] })).toHaveLength(1);
});

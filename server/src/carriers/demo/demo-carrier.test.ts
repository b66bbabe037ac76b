import { expect, test } from "vitest";
import type { CarrierCall } from "../carrier.ts";
import { carriers, findCarrier } from "../installed-carriers.ts";
import { demoCarrier } from "./demo-carrier.ts";

const now = new Date("2026-03-04T12:00:00Z");
const http: CarrierCall["http"] = { request: () => Promise.reject(new Error("the demo carrier calls nobody")) };
const { signal } = new AbortController();
const call: CarrierCall = { settings: {}, credentials: {}, http, now: () => now, effectKey: "one", signal };
const request = {
  origin: { zip: "10001" },
  destination: { zip: "90210" },
  weight: { value: 3, unit: "lb" as const },
  shipDate: "2026-03-04",
};

test("the demo carrier answers the same question in the same way", async () => {
  const [first, second] = [await demoCarrier.rate!(call, request), await demoCarrier.rate!(call, request)];
  expect(first).toEqual(second);
  expect(first.map((quote) => quote.service)).toContain("NAT_GROUND");
  const pickup = {
    address: {},
    readyTime: "2026-03-05T14:00:00Z",
    closeTime: "2026-03-05T18:00:00Z",
    packageCount: 2,
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
  const label = await demoCarrier.createLabel!(call, {
    service: "Ground",
    from: { zip: "10001" },
    to: { zip: "90210", name: "Zoë (the 2nd) \\ 日本" },
    weight: { value: 3, unit: "lb" },
  });
  expect(label.costCents).toBeGreaterThan(1000);
  expect(label.contentType).toBe("application/pdf");
  const file = Buffer.from(label.content, "base64").toString("latin1");
  expect(file).toContain(`(${label.trackingNumber}) '`);
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
  const on = async (day: string) =>
    await demoCarrier.createLabel!(
      { ...call, now: () => new Date(`${day}T12:00:00Z`) },
      {
        service: "NAT_GROUND",
        from: { zip: "10001" },
        to: { zip: "90210" },
        weight: { value: 30, unit: "lb" },
        dimensions: { length: 100, width: 12, height: 12, unit: "in" },
      },
    );
  const [peak, spring] = [await on("2026-01-02"), await on("2026-03-04")];
  expect(peak.costCents).toBeGreaterThan(spring.costCents!);
  expect(peak.trackingNumber).toBe(spring.trackingNumber);
});

test("carriers have names of their own", () => {
  expect(new Set(carriers.map(({ name }) => name)).size).toBe(carriers.length);
  expect(findCarrier("rate-card")?.usesRateCards).toBe(true);
});

test("a service that the demo carrier does not have is refused, not passed over", async () => {
  const [origin, destination] = [{ zip: "07114" }, { zip: "12207" }];
  const asked = { origin, destination, weight: { value: 1, unit: "lb" as const }, shipDate: "2026-03-02" };
  await expect(demoCarrier.rate!(call, { ...asked, services: ["Ground", "Pigeon"] })).rejects.toMatchObject({
    code: "unknown_service",
  });
  expect(await demoCarrier.rate!(call, { ...asked, services: ["Ground"] })).toHaveLength(1);
});

import { expect, test } from "vitest";
import type { CarrierCall } from "../carrier.ts";
import { carriers, findCarrier } from "../installed-carriers.ts";
import { demoCarrier } from "./demo-carrier.ts";

const now = new Date("2026-03-04T12:00:00Z");
const call: CarrierCall = { settings: {}, credentials: {}, now: () => now, effectKey: "one" };
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

test("tracking of a demo parcel only ever goes on", async () => {
  const numbers = Array.from({ length: 50 }, (_, index) => `DEMO${index}`);
  const reports = await demoCarrier.track!(call, numbers);
  for (const [index, report] of reports.entries()) {
    const [later] = await demoCarrier.track!({ ...call, now: () => new Date(now.getTime() + 60_000) }, [
      numbers[index]!,
    ]);
    expect(later!.events.slice(0, report.events.length)).toEqual(report.events);
    expect(report.status).toBe(report.events.at(-1)!.status);
    for (const { at } of report.events) expect(at <= now.toISOString()).toBe(true);
  }
  expect(new Set(reports.map(({ status }) => status)).size).toBeGreaterThan(3);
});

test("a demo label names its tracking number and its price", async () => {
  const label = await demoCarrier.createLabel!(call, {
    service: "Ground",
    from: { zip: "10001" },
    to: { zip: "90210", name: "Ada" },
    weight: { value: 3, unit: "lb" },
  });
  expect(Buffer.from(label.content, "base64").toString()).toContain(label.trackingNumber);
  expect(label.costCents).toBeGreaterThan(1000);
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

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const day = 86_400_000;
const at = (daysAgo: number): string => new Date(Date.now() - daysAgo * day).toISOString();
const dateOf = (daysAgo: number): string => at(daysAgo).slice(0, 10);

type Point = {
  key: string;
  delivered: number;
  on_time_pct: number;
  avg_transit_days: number;
  sample: { on_time: number };
};
const series = async (query: string, client = org): Promise<Point[]> =>
  (await client.get(`/v1/overview/series?${query}`)).body.data.points;

async function delivered(daysAgo: number, more: object, promisedDaysAgo: number): Promise<void> {
  const { body } = await org.post("/shipments", {
    trackingNumber: crypto.randomUUID(),
    shippedAt: at(daysAgo + 3),
    promisedDate: dateOf(promisedDaysAgo),
    ...more,
  });
  for (const [status, moment] of [
    ["in_transit", at(daysAgo + 2)],
    ["delivered", at(daysAgo)],
  ]) {
    const answer = await org.post(`/shipments/${body.id}/events`, { status, at: moment });
    expect(answer.status, answer.text).toBeLessThan(300);
  }
}

test("the figures of the overview are broken down by day, carrier, service and state", async () => {
  const toNewYork = { destination: { provinceCode: "NY", countryCode: "US" } };
  await delivered(2, { carrier: "UPS", service: "ground", ...toNewYork }, 1);
  await delivered(2, { carrier: "ups", service: "Ground", ...toNewYork }, 4);
  await delivered(5, { carrier: "FedEx" }, 4);
  const days = await series("group_by=day&days=10");
  expect(days).toHaveLength(10);
  expect(days.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, i) => dateOf(9 - i)));
  expect(days.find(({ key }) => key === dateOf(2))).toMatchObject({
    delivered: 2,
    on_time_pct: 50,
    avg_transit_days: 2,
  });
  const overview = (await org.get("/v1/overview?days=10")).body.data;
  expect(days.reduce((sum, point) => sum + point.delivered, 0)).toBe(overview.delivered);
  expect(await series("group_by=carrier&days=10")).toMatchObject([
    { key: "ups", delivered: 2, on_time_pct: 50, sample: { on_time: 2, transit: 2 } },
    { key: "fedex", delivered: 1, on_time_pct: 100 },
  ]);
  expect(await series("group_by=service&days=10")).toMatchObject([
    { key: "ground", delivered: 2 },
    { key: "", delivered: 1 },
  ]);
  expect(await series("group_by=state&days=10")).toMatchObject([
    { key: "NY", delivered: 2 },
    { key: "", delivered: 1 },
  ]);
  expect(await series("group_by=carrier&days=3")).toMatchObject([{ key: "ups", delivered: 2 }]);
  expect(await series("group_by=carrier&days=10", await hub.org())).toEqual([]);
  expect((await org.get("/v1/overview/series?group_by=zodiac")).status).toBe(400);
  expect((await org.get("/v1/overview/series")).status).toBe(400);
});

type Counted = {
  delivered: number;
  sample: { on_time: number; transit: number };
  promises: { kept: number; missed: number };
};
const figuresOf = ({ delivered, sample, promises }: Counted): number[] => [
  delivered,
  sample.on_time,
  sample.transit,
  promises.kept,
  promises.missed,
];
const addUp = (parts: Counted[]): number[] =>
  parts.map(figuresOf).reduce((sum, part) => sum.map((value, index) => value + part[index]!), [0, 0, 0, 0, 0]);

/** Sent some days ago and promised for some day; scanned, tried and delivered so many hours later, or never. */
const aShipment = fc.record({
  carrier: fc.constantFrom("UPS", "ups", "FedEx", undefined),
  service: fc.constantFrom("Ground", "2nd Day Air", "own service", undefined),
  state: fc.constantFrom("NY", "ca", undefined),
  sentDaysAgo: fc.integer({ min: 1, max: 20 }),
  promisedDaysAgo: fc.option(fc.integer({ min: -2, max: 18 }), { nil: undefined }),
  end: fc.constantFrom("none", "attempt_failed", "delivered", "attempt and delivery", "cancelled", "returned"),
  hours: fc.integer({ min: 1, max: 200 }),
});
type Made = typeof aShipment extends fc.Arbitrary<infer Made> ? Made : never;

function requestOf({ carrier, service, state, sentDaysAgo, promisedDaysAgo, end, hours }: Made) {
  const sent = Date.now() - sentDaysAgo * day;
  const after = (count: number): string => new Date(Math.min(Date.now(), sent + count * 3_600_000)).toISOString();
  const ends = end === "none" ? [] : end === "attempt and delivery" ? ["attempt_failed", "delivered"] : [end];
  return {
    trackingNumber: crypto.randomUUID(),
    shippedAt: new Date(sent).toISOString(),
    ...(carrier && { carrier }),
    ...(service && { service }),
    ...(promisedDaysAgo !== undefined && { promisedDate: dateOf(promisedDaysAgo) }),
    destination: { countryCode: "US", ...(state && { provinceCode: state }) },
    events: [
      { status: "in_transit", at: after(0) },
      ...ends.map((status, index) => ({ status, at: after(hours * (index + 1)) })),
    ],
  };
}

test("N5: the parts of a series add up to the overview, and to their lists of shipments", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aShipment, { minLength: 5, maxLength: 60 }),
      fc.constantFrom("UTC", "America/Los_Angeles"),
      fc.integer({ min: 1, max: 25 }),
      async (shipments, timeZone, days) => {
        const own = await hub.org();
        expect((await own.patch(`/organizations/${own.id}`, { timezone: timeZone })).status).toBe(200);
        const made = await own.post("/shipments/bulk", { shipments: shipments.map(requestOf) });
        expect(made.body.summary.failed, made.text).toBe(0);
        const { data: overview, meta } = (await own.get(`/v1/overview?days=${days}`)).body;
        const window = `evaluatedFrom=${meta.window.from}&evaluatedTo=${meta.window.to}`;
        for (const by of ["carrier", "service", "state", "day"]) {
          const { points, others } = (await own.get(`/v1/overview/series?group_by=${by}&days=${days}`)).body.data;
          expect([by, addUp(others ? [...points, others] : points)]).toEqual([by, figuresOf(overview)]);
          for (const { key, promises } of points as (Counted & { key: string })[]) {
            const part =
              by === "day" ? `evaluatedFrom=${key}&evaluatedTo=${key}` : `${window}&${by}=${encodeURIComponent(key)}`;
            const listed = async (onTime: boolean): Promise<number> =>
              (await own.get(`/shipments?onTime=${onTime}&${part}`)).body.pagination.total;
            if (by !== "day" || promises.kept + promises.missed > 0)
              expect([by, key, await listed(true), await listed(false)]).toEqual([
                by,
                key,
                promises.kept,
                promises.missed,
              ]);
          }
        }
        const missed = (await own.get(`/shipments?onTime=false&${window}&limit=100`)).body.data;
        expect(missed).toHaveLength(overview.promises.missed);
      },
    ),
    { numRuns: 8 },
  );
});

test("N5: lost parcels do not improve the figures of a carrier; keys above the limit are combined", async () => {
  const own = await hub.org();
  const lost = (carrier: string) => ({
    carrier,
    trackingNumber: crypto.randomUUID(),
    shippedAt: at(9),
    promisedDate: dateOf(5),
    events: [{ status: "in_transit", at: at(8) }],
  });
  const carriers = Array.from({ length: 60 }, (_, index) => `carrier ${index}`);
  await own.post("/shipments/bulk", { shipments: [...carriers.map(lost), lost("UPS"), lost("UPS")] });
  const { points, others } = (await own.get("/v1/overview/series?group_by=carrier&days=10")).body.data;
  expect(points).toHaveLength(50);
  expect(points[0]).toMatchObject({ key: "ups", delivered: 0, on_time_pct: 0, promises: { kept: 0, missed: 2 } });
  expect(others).toMatchObject({ promises: { kept: 0, missed: 11 } });
});

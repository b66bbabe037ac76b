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

test("the figures of the overview are taken apart by day, carrier, service and state", async () => {
  const toNewYork = { destination: { provinceCode: "NY", countryCode: "US" } };
  await delivered(2, { carrier: "UPS", service: "ground", ...toNewYork }, 1);
  await delivered(2, { carrier: "ups", service: "Ground", ...toNewYork }, 4);
  await delivered(5, { carrier: "FedEx" }, 4);
  const days = await series("by=day&days=10");
  expect(days).toHaveLength(10);
  expect(days.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, i) => dateOf(9 - i)));
  expect(days.find(({ key }) => key === dateOf(2))).toMatchObject({
    delivered: 2,
    on_time_pct: 50,
    avg_transit_days: 2,
  });
  const overview = (await org.get("/v1/overview?days=10")).body.data;
  expect(days.reduce((sum, point) => sum + point.delivered, 0)).toBe(overview.delivered);
  expect(await series("by=carrier&days=10")).toMatchObject([
    { key: "ups", delivered: 2, on_time_pct: 50, sample: { on_time: 2, transit: 2 } },
    { key: "fedex", delivered: 1, on_time_pct: 100 },
  ]);
  expect(await series("by=service&days=10")).toMatchObject([
    { key: "ground", delivered: 2 },
    { key: "", delivered: 1 },
  ]);
  expect(await series("by=state&days=10")).toMatchObject([
    { key: "NY", delivered: 2 },
    { key: "", delivered: 1 },
  ]);
  expect(await series("by=carrier&days=3")).toMatchObject([{ key: "ups", delivered: 2 }]);
  expect(await series("by=carrier&days=10", await hub.org())).toEqual([]);
  expect((await org.get("/v1/overview/series?by=zodiac")).status).toBe(400);
  expect((await org.get("/v1/overview/series")).status).toBe(400);
});

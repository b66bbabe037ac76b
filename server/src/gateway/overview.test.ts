import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.parse("2026-04-20T15:30:00Z");
const zones = { "": "UTC", "10001": "America/New_York", "96813": "Pacific/Honolulu" };

beforeAll(() => hub.world.clock.set({ mode: "frozen", at: new Date(now).toISOString() }));
afterAll(() => hub.world.clock.set({ mode: "real" }));

type Story = {
  shippedAt: number;
  promisedDate: string | undefined;
  service: string | undefined;
  zip: keyof typeof zones;
  country: string | undefined;
  events: { at: number; status: string }[];
  isVoided: boolean;
};

const iso = (at: number): string => new Date(at).toISOString();
/** Many of the last days, where it matters how long ago exactly, and some of the last months. */
const momentAgo = fc
  .oneof(fc.integer({ min: 1, max: 5 * 24 }), fc.integer({ min: 1, max: 60 * 24 }))
  .map((hours) => now - hours * hourMs + 60_000);
const statuses = [
  "pre_transit",
  "picked_up",
  "in_transit",
  "in_transit",
  "delayed",
  "exception",
  "out_for_delivery",
  "attempt_failed",
  "ready_for_pickup",
  "delivered",
  "delivered",
  "returned",
  "cancelled",
];
const aStory: fc.Arbitrary<Story> = fc.record({
  shippedAt: momentAgo,
  promisedDate: fc.option(
    fc.integer({ min: -5, max: 50 }).map((days) => iso(now - days * dayMs).slice(0, 10)),
    { nil: undefined },
  ),
  service: fc.constantFrom(undefined, "UPS Ground", "2nd Day Air", "PRIORITY_OVERNIGHT", "Carrier pigeon"),
  zip: fc.constantFrom(...(Object.keys(zones) as (keyof typeof zones)[])),
  country: fc.constantFrom(undefined, "US", "CA"),
  // Each at another minute: at which of two events at the same moment a parcel stands is a matter of definition.
  events: fc
    .uniqueArray(momentAgo, { maxLength: 7 })
    .chain((times) =>
      fc.tuple(...times.map((at) => fc.record({ at: fc.constant(at), status: fc.constantFrom(...statuses) }))),
    ),
  isVoided: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
});

/** The definitions once more, as slowly and plainly as can be. */
function recompute(stories: Story[], from: number, until: number) {
  const figures = { onTime: 0, evaluated: 0, inTransit: 0, delivered: 0, transitMs: 0, transits: 0, atRisk: 0 };
  const reasons = { late: 0, predicted_late: 0, stalled: 0, exception: 0, attempt_failed: 0, not_accepted: 0 };
  const inWindow = (at: number): boolean => at >= from && at < until;
  for (const story of stories) {
    const events = story.events.toSorted((a, b) => a.at - b.at);
    let state = "label";
    let [accepted, attempted, arrived] = [undefined, undefined, undefined] as (number | undefined)[];
    for (const { at, status } of events) {
      const isScan = ["picked_up", "in_transit", "delayed", "exception", "out_for_delivery"].includes(status);
      const isTry = ["attempt_failed", "ready_for_pickup"].includes(status);
      if ((isScan || isTry) && arrived === undefined) accepted ??= at;
      if (isTry || status === "delivered") attempted ??= at;
      if (state === "returned" || status === "pre_transit") continue;
      if (state === "delivered") {
        if (status === "returned") state = "returned";
      } else if (status === "delivered") [state, arrived] = ["delivered", at];
      else if (status === "cancelled" || status === "returned") state = status;
      else if (status === "exception" || status === "delayed") state = "exception";
      else state = isTry ? status : "moving";
    }
    if (story.isVoided) state = "cancelled";
    if (state === "cancelled" || state === "returned") continue;
    const promised = story.promisedDate ?? serviceDay(story, accepted);
    const dayEnds = promised === undefined ? undefined : endOfDay(promised, zones[story.zip]);
    if (state === "delivered") {
      if (inWindow(arrived!)) figures.delivered++;
      if (inWindow(arrived!) && accepted !== undefined) {
        figures.transits++;
        figures.transitMs += arrived! - accepted;
      }
    }
    if (dayEnds !== undefined && attempted !== undefined && inWindow(attempted)) {
      figures.evaluated++;
      if (attempted < dayEnds) figures.onTime++;
    }
    if (state === "delivered") continue;
    if (dayEnds !== undefined && attempted === undefined && inWindow(dayEnds) && dayEnds <= now) figures.evaluated++;
    if (state !== "label") figures.inTransit++;
    const found: (keyof typeof reasons)[] = [];
    if (dayEnds !== undefined && dayEnds <= now) found.push("late");
    const zone = zones[story.zip];
    const silence = workingMs(events.at(-1)?.at ?? now, zone);
    const limit = story.country === "CA" ? 96 * hourMs : 48 * hourMs;
    if (state !== "label" && state !== "ready_for_pickup" && silence >= limit) found.push("stalled");
    if (state === "exception" || state === "attempt_failed") found.push(state);
    if (accepted === undefined && workingMs(story.shippedAt, zone) >= dayMs) found.push("not_accepted");
    if (found.length > 0) figures.atRisk++;
    for (const reason of found) reasons[reason]++;
  }
  return {
    on_time_pct: figures.evaluated === 0 ? 0 : Math.round((1000 * figures.onTime) / figures.evaluated) / 10,
    in_transit: figures.inTransit,
    delivered: figures.delivered,
    avg_transit_days: figures.transits === 0 ? 0 : Math.round((10 * figures.transitMs) / figures.transits / dayMs) / 10,
    at_risk: figures.atRisk,
    at_risk_by_reason: reasons,
    sample: { on_time: figures.evaluated, transit: figures.transits },
    promises: { kept: figures.onTime, missed: figures.evaluated - figures.onTime },
  };
}

/** D17: what has passed of working days since then, day by day. There is no holiday in these weeks. */
function workingMs(since: number, zone: string): number {
  let sum = 0;
  let day = Temporal.Instant.fromEpochMilliseconds(since).toZonedDateTimeISO(zone).startOfDay();
  while (day.epochMilliseconds < now) {
    const next = day.add({ days: 1 });
    const [from, until] = [Math.max(since, day.epochMilliseconds), Math.min(now, next.epochMilliseconds)];
    if (day.dayOfWeek <= 5) sum += Math.max(0, until - from);
    day = next;
  }
  return sum;
}

const workdays: Record<string, number> = { "UPS Ground": 5, "2nd Day Air": 2, PRIORITY_OVERNIGHT: 1 };

/** There is no holiday in these weeks. */
function serviceDay({ service = "", zip, country }: Story, accepted: number | undefined): string | undefined {
  if (accepted === undefined || zip === "" || country === "CA" || !(service in workdays)) return undefined;
  let day = Temporal.Instant.fromEpochMilliseconds(accepted).toZonedDateTimeISO(zones[zip]).toPlainDate();
  for (let left = workdays[service]!; left > 0; left -= day.dayOfWeek > 5 ? 0 : 1) day = day.add({ days: 1 });
  return day.toString();
}

function endOfDay(date: string, zone: string): number {
  return Temporal.PlainDate.from(date).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
}

const beginOf = (date: string, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;

describe("the figures of the overview", () => {
  const told: Story[] = [];

  /** Some of what is known comes with the shipment, the rest later, late and twice. */
  async function tell(stories: Story[], cut: number, shuffle: <T>(list: T[]) => T[]): Promise<void> {
    const requests = stories.map((story, i) => ({
      trackingNumber: `S${told.length + i}`,
      shippedAt: iso(story.shippedAt),
      ...(story.service === undefined ? {} : { service: story.service }),
      origin: { countryCode: "US" },
      destination: {
        ...(story.zip === "" ? {} : { zip: story.zip }),
        ...(story.country === "CA" ? { countryCode: "CA" } : {}),
      },
      ...(story.promisedDate === undefined || i % 3 === 0 ? {} : { promisedDate: story.promisedDate }),
      events: story.events.slice(0, cut).map(({ at, status }) => ({ at: iso(at), status })),
    }));
    const { body } = await org.post("/shipments/bulk", { shipments: requests });
    expect(body.summary.failed).toBe(0);
    const late = stories.flatMap(({ events }, i) =>
      events.map(({ at, status }) => ({ trackingNumber: requests[i]!.trackingNumber, at: iso(at), status })),
    );
    if (late.length > 0) await org.post("/shipments/events", { events: shuffle([...late, ...late]) });
    for (const [i, { promisedDate, isVoided }] of stories.entries()) {
      const path = `/shipments/${body.results[i].id}`;
      if (promisedDate !== undefined && i % 3 === 0) expect((await org.patch(path, { promisedDate })).status).toBe(200);
      if (isVoided) {
        const { status } = await org.post(`${path}/void`);
        stories[i]!.isVoided = status === 200;
      }
    }
    told.push(...stories);
  }

  test("equal a slow recount of random histories, in every window", async () => {
    const batches = fc.record({
      // A CA destination has no zone of its own, so that its days are those of UTC.
      stories: fc.array(
        aStory.map((story) => (story.country === "CA" ? { ...story, zip: "" as const } : story)),
        { minLength: 1, maxLength: 30 },
      ),
      cut: fc.nat({ max: 7 }),
      salt: fc.nat(),
      days: fc.integer({ min: 1, max: 60 }),
      // One that changes its clocks in these weeks, and one whose days begin at a quarter to the hour.
      timeZone: fc.constantFrom("UTC", "America/Los_Angeles", "Asia/Kathmandu"),
    });
    await fc.assert(
      fc.asyncProperty(batches, async ({ stories, cut, salt, days, timeZone }) => {
        const keyOf = (text: string): number =>
          Array.from(text).reduce((sum, c) => (sum * 31 + c.charCodeAt(0) + salt) % 9973, 7);
        await tell(stories, cut, (list) =>
          list.toSorted((a, b) => keyOf(JSON.stringify(a)) - keyOf(JSON.stringify(b))),
        );
        expect((await org.patch(`/organizations/${org.id}`, { timezone: timeZone })).status).toBe(200);
        const { body } = await org.get(`/v1/overview?days=${days}`);
        const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
        const from = today.subtract({ days: days - 1 }).toString();
        expect(body.meta.window).toEqual({ from, to: today.toString(), days, timeZone });
        const until = beginOf(today.add({ days: 1 }).toString(), timeZone);
        expect(body.data).toEqual(recompute(told, beginOf(from, timeZone), until));
        const { points } = (await org.get(`/v1/overview/series?group_by=day&days=${days}`)).body.data;
        const ends = points.map(({ key }: { key: string }) => endOfDay(key, timeZone));
        const counted = ends.map(
          (end: number, i: number) => recompute(told, ends[i - 1] ?? beginOf(from, timeZone), end).delivered,
        );
        expect(points.map(({ delivered }: { delivered: number }) => delivered)).toEqual(counted);
      }),
      { numRuns: 12 },
    );
    expect((await org.patch(`/organizations/${org.id}`, { timezone: "UTC" })).status).toBe(200);
    const past = await org.get("/v1/overview?from=2026-03-01&to=2026-03-31");
    expect(past.body.data).toEqual(recompute(told, beginOf("2026-03-01", "UTC"), beginOf("2026-04-01", "UTC")));
    expect(past.body.data.sample.on_time).toBeGreaterThan(0);
  });

  test("of all organizations are sums over each, for operators of the hub", async () => {
    const other = await hub.org();
    await other.post("/shipments", { acceptedAt: iso(now - 3 * dayMs), deliveredAt: iso(now - dayMs) });
    const [mine, theirs] = [(await org.get("/v1/overview")).body.data, (await other.get("/v1/overview")).body.data];
    expect(theirs).toMatchObject({ delivered: 1, avg_transit_days: 2, sample: { on_time: 0, transit: 1 } });
    const all = (await hub.operator.get("/v1/overview")).body.data;
    expect(all.delivered).toBe(mine.delivered + theirs.delivered);
    expect(all.at_risk).toBe(mine.at_risk + theirs.at_risk);
    const one = await hub.operator.get(`/v1/overview?organization_id=${other.id}`);
    expect(one.body.data).toEqual(theirs);
  });

  test("count an undelivered parcel as late once its day is over, and never twice", async () => {
    const late = await hub.org();
    const { body } = await late.post("/shipments", { acceptedAt: iso(now - 5 * dayMs), promisedDate: "2026-04-18" });
    const read = async () => (await late.get("/v1/overview")).body.data;
    expect(await read()).toMatchObject({ on_time_pct: 0, at_risk_by_reason: { late: 1 }, sample: { on_time: 1 } });
    await late.post(`/shipments/${body.id}/events`, { at: iso(now - hourMs), status: "delivered" });
    expect(await read()).toMatchObject({ on_time_pct: 0, at_risk: 0, delivered: 1, sample: { on_time: 1 } });
    await late.patch(`/shipments/${body.id}`, { promisedDate: "2026-04-21" });
    expect(await read()).toMatchObject({ on_time_pct: 100, sample: { on_time: 1 } });
  });

  test("link to the shipments they count", async () => {
    const { at_risk, at_risk_by_reason } = (await org.get("/v1/overview")).body.data;
    const all = (await org.get("/v1/overview/at-risk?limit=1")).body.data;
    expect(all.pagination.total).toBe(at_risk);
    for (const [reason, count] of Object.entries(at_risk_by_reason)) {
      const { data } = (await org.get(`/v1/overview/at-risk?reason=${reason}&limit=100`)).body;
      expect(data.pagination.total).toBe(count);
      for (const shipment of data.shipments) {
        expect(shipment.reasons).toContain(reason);
        expect(shipment.organization_id).toBe(org.id);
      }
    }
    const wrong = await org.get("/v1/overview/at-risk?reason=lost");
    expect(wrong.body).toMatchObject({ ok: false, error: { status: 400, errors: [{ pointer: "query/reason" }] } });
    const stranger = await hub.org();
    expect((await stranger.get("/v1/overview/at-risk")).body.data.shipments).toEqual([]);
    expect((await stranger.get(`/v1/overview/at-risk?organization_id=${org.id}`)).status).toBe(403);
    const global = (await hub.operator.get("/v1/overview/at-risk")).body.data;
    expect(global.pagination.total).toBeGreaterThanOrEqual(at_risk);
  });

  test.each([
    ["days=0", "query/days"],
    ["days=400", "query/days"],
    ["days=7&from=2026-04-01", "query/days"],
    ["from=2026-04-02&to=2026-04-01", "query/from"],
    ["from=2020-01-01", "query/from"],
    ["to=0000-01-01", "query/to"],
    ["from=yesterday", "query/from"],
  ])("reject the window %s", async (query, pointer) => {
    const { status, body } = await org.get(`/v1/overview?${query}`);
    expect(status).toBe(400);
    expect(body.error.errors).toContainEqual(expect.objectContaining({ pointer }));
  });
});

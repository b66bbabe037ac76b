import { afterAll, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

// Figures counted once more from the requests alone: no row of the database and no code of the hub is used. Days off are written down,
// local days come from Intl.

const hub = await startTestHub();
/** Two weeks with Veterans Day and Thanksgiving; clocks changed on 1 November. */
const now = Date.parse("2026-12-01T15:00:00Z");
const hour = 3_600_000;
afterAll(() => hub.world.clock.set({ mode: "real" }));

const federal = ["2026-10-12", "2026-11-11", "2026-11-26"];
const parcel = ["2026-11-26"];
const places = [
  { zip: "10001", provinceCode: "NY", zone: "America/New_York" },
  { zip: "60601", provinceCode: "IL", zone: "America/Chicago" },
  { zip: "85001", provinceCode: "AZ", zone: "America/Phoenix" },
  { zip: "96813", provinceCode: "HI", zone: "Pacific/Honolulu" },
] as const;
const services = { Ground: 5, "2nd Day Air": 2, "Priority Mail": 3, "Own Line": undefined } as const;
const carriers = ["UPS", "USPS", "FedEx"] as const;

/** Always the same numbers: a failure can be repeated. */
let seed = 20_261_118;
const roll = (sides: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * sides);
};

const formats = new Map<string, Intl.DateTimeFormat>();
const dayIn = (at: number, timeZone: string): string => {
  const shape = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return formats.getOrInsertComputed(timeZone, () => new Intl.DateTimeFormat("en-CA", shape)).format(at);
};
const dayAfter = (day: string): string => new Date(Date.parse(day) + 24 * hour).toISOString().slice(0, 10);

function businessDaysAfter(day: string, count: number, carrier: string): string {
  const [lastDay, off] = carrier === "USPS" ? [6, federal] : [5, parcel];
  let at = day;
  for (let left = count; left > 0;) {
    at = dayAfter(at);
    const weekday = new Date(at).getUTCDay();
    if (weekday !== 0 && weekday <= lastDay && !off.includes(at)) left--;
  }
  return at;
}

type Made = {
  carrier: (typeof carriers)[number];
  service: keyof typeof services;
  from: (typeof places)[number];
  to: (typeof places)[number];
  sent: number;
  scanned: number | undefined;
  tried: number | undefined;
  delivered: number | undefined;
  returned: number | undefined;
  promised: string | undefined;
};

function make(): Made {
  const sent = now - (2 + roll(45 * 24)) * hour;
  const at = (after: number): number | undefined => (sent + after * hour < now ? sent + after * hour : undefined);
  const tried = roll(5) === 0 ? undefined : at(12 + roll(220));
  const isReturned = roll(12) === 0;
  return {
    carrier: carriers[roll(3)]!,
    service: (Object.keys(services) as (keyof typeof services)[])[roll(4)]!,
    from: places[roll(4)]!,
    to: places[roll(4)]!,
    sent,
    scanned: roll(7) === 0 ? undefined : at(1 + roll(10)),
    tried,
    delivered:
      tried === undefined || isReturned || roll(8) === 0 ? undefined : tried + (roll(4) === 0 ? 20 * 60_000 : 0),
    returned: isReturned && tried !== undefined ? tried + 30 * 60_000 : undefined,
    promised: roll(2) === 0 ? dayIn(sent + (2 + roll(6)) * 24 * hour, "UTC") : undefined,
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
function requestOf({ carrier, service, from, to, sent, scanned, tried, delivered, returned, promised }: Made) {
  const address = ({ zip, provinceCode }: Made["to"]) => ({ zip, provinceCode, countryCode: "US" });
  return {
    trackingNumber: crypto.randomUUID(),
    carrier,
    service,
    shippedAt: iso(sent),
    origin: address(from),
    destination: address(to),
    ...(promised === undefined ? {} : { promisedDate: promised }),
    events: [
      ...(scanned === undefined ? [] : [{ status: "in_transit", at: iso(scanned) }]),
      ...(tried === undefined || tried === delivered ? [] : [{ status: "attempt_failed", at: iso(tried) }]),
      ...(delivered === undefined ? [] : [{ status: "delivered", at: iso(delivered) }]),
      ...(returned === undefined ? [] : [{ status: "returned", at: iso(returned) }]),
    ],
  };
}

const none = { delivered: 0, onTime: 0, late: 0, noPromise: 0, returned: 0, noFirstScan: 0 };
type Count = typeof none;

/** The figures that a parcel is counted in, and when. */
function countsOf(made: Made): { name: keyof Count; at: number }[] {
  const { carrier, service, from, to, scanned, tried, delivered, returned } = made;
  if (returned !== undefined) return [{ name: "returned", at: returned }];
  const counts: { name: keyof Count; at: number }[] = [];
  // A failed attempt is a scan as well.
  const first = scanned ?? (tried !== undefined && tried !== delivered ? tried : undefined);
  const days = services[service];
  const byService =
    days === undefined || first === undefined ? undefined : businessDaysAfter(dayIn(first, from.zone), days, carrier);
  const promised = made.promised ?? byService;
  if (delivered !== undefined) {
    counts.push({ name: "delivered", at: delivered });
    if (first === undefined) counts.push({ name: "noFirstScan", at: delivered });
  }
  if (tried !== undefined) {
    const isKept = promised !== undefined && dayIn(tried, to.zone) <= promised;
    counts.push({ name: promised === undefined ? "noPromise" : isKept ? "onTime" : "late", at: tried });
  } else if (promised !== undefined && dayIn(now, to.zone) > promised) {
    counts.push({ name: "late", at: firstMomentAfter(promised, to.zone) });
  }
  return counts;
}

/** The first moment of the next day there, found by trying quarters of an hour. */
function firstMomentAfter(day: string, timeZone: string): number {
  let at = Date.parse(day) - 24 * hour;
  while (dayIn(at, timeZone) <= day) at += hour / 4;
  return at;
}

type Answered = Omit<Count, "noPromise" | "returned" | "noFirstScan"> & { key?: string; leftOut: Count };
const pick = ({ delivered, onTime, late, leftOut: { noPromise, returned, noFirstScan } }: Answered): Count => ({
  delivered,
  onTime,
  late,
  noPromise,
  returned,
  noFirstScan,
});

test.each(["America/Los_Angeles", "Australia/Sydney", "UTC"])(
  "figures of random parcels equal a count from their requests, for an organization in %s",
  async (zone) => {
    hub.world.clock.set({ mode: "frozen", at: iso(now) });
    const org = await hub.org();
    await org.patch(`/organizations/${org.id}`, { timezone: zone });
    const parcels = Array.from({ length: 400 }, make);
    const { body } = await org.post("/shipments/bulk", { shipments: parcels.map(requestOf) });
    expect(body.summary.failed).toBe(0);
    const [from, to] = ["2026-10-25", "2026-11-29"];
    const counted = parcels.map((made) => ({
      made,
      counts: countsOf(made).map(({ name, at }) => ({ name, day: dayIn(at, zone) })),
    }));
    const countOf = (isMine: (made: Made) => boolean, first: string, last: string): Count => {
      const sums = { ...none };
      for (const { made, counts } of counted) {
        if (!isMine(made)) continue;
        for (const { name, day } of counts) if (day >= first && day <= last) sums[name]++;
      }
      return sums;
    };
    const keysOf = {
      carrier: (one: Made) => one.carrier.toLowerCase(),
      lane: (one: Made) => `${one.from.provinceCode}-${one.to.provinceCode}`,
      service: (one: Made) => one.service.toLowerCase(),
    };
    const expected = countOf(() => true, from, to);
    for (const count of Object.values(expected)) expect(count).toBeGreaterThan(0);
    for (const [by, keyOf] of Object.entries(keysOf)) {
      const report = (await org.get(`/reports/deliveries?groupBy=${by}&from=${from}&to=${to}`)).body;
      expect(pick(report.totals)).toEqual(expected);
      for (const row of report.rows) {
        const mine = countOf((one) => keyOf(one) === row.key, from, to);
        expect([row.key, pick(row)]).toEqual([row.key, mine]);
      }
    }
    const days = (await org.get(`/reports/deliveries?groupBy=day&from=${from}&to=${to}`)).body;
    for (const row of days.rows) expect([row.key, pick(row)]).toEqual([row.key, countOf(() => true, row.key, row.key)]);
    const overview = (await org.get(`/v1/overview?from=${from}&to=${to}`)).body.data;
    expect([overview.delivered, overview.promises]).toEqual([
      expected.delivered,
      { kept: expected.onTime, missed: expected.late },
    ]);
  },
);

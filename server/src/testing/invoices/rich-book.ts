import type { AuditParcel } from "./audit-book.ts";
import type { BookCharge } from "./invoice-book.ts";

/**
 * A contract with fuel by mode, earned discounts, a zone chart and cubic prices, a second calculation of its prices in plain arithmetic,
 * and parcels with one planted error each. Nothing here is shared with the code that rates or audits. Amounts are in cents.
 */
type RichService = "GROUND" | "2DAY" | "CUBIC";
export type RichFacts = { service: RichService; day: string; zone: "3" | "5"; pounds: number; isHome: boolean };

const zones = ["3", "5"] as const;
const heaviest = 40;
const listOf: Record<Exclude<RichService, "CUBIC">, (zone: "3" | "5", pounds: number) => number> = {
  GROUND: (zone, pounds) => (zone === "3" ? 900 + 40 * pounds : 1_100 + 90 * pounds),
  "2DAY": (zone, pounds) => (zone === "3" ? 2_000 + 150 * pounds : 2_400 + 200 * pounds),
};
/** Up to 0.1, 0.2 and 0.3 cubic feet. */
const cubic = { "3": [700, 800, 900], "5": [950, 1_075, 1_200] };
/** 8 x 6 x 4 in are 192 cubic inches, 0.11 cubic feet: the second tier. */
const cubicSides: [number, number, number] = [8, 6, 4];

/** Zones of the chart, which are not those by distance. */
export const richChart = [
  { origin: "070-073", destination: "100", zone: "3" },
  { origin: "070-073", destination: "900-902", zone: "5" },
];

export function richCard(): object {
  const rows = Array.from({ length: heaviest }, (_, index) => index + 1);
  const weightBreaks = rows.map((upTo) => ({ upTo }));
  const rates = (price: (zone: "3" | "5", pounds: number) => number) =>
    Object.fromEntries(zones.map((zone) => [zone, rows.map((pounds) => price(zone, pounds) / 100)]));
  return {
    name: "Rich contract",
    effectiveFrom: "2026-01-01",
    zoneScheme: "chart",
    services: [
      {
        code: "GROUND",
        level: "ground",
        weightBreaks,
        rates: rates(listOf.GROUND),
        discounts: [
          {
            tiers: [
              { revenueFrom: 0, percent: 10 },
              { revenueFrom: 10_000, percent: 25 },
              { revenueFrom: 50_000, percent: 40 },
            ],
          },
        ],
      },
      { code: "2DAY", level: "two_day", weightBreaks, rates: rates(listOf["2DAY"]), discounts: [{ percent: 30 }] },
      {
        code: "CUBIC",
        level: "economy",
        weightBreaks,
        rates: rates(() => 9_900),
        cubic: {
          tiers: [0.1, 0.2, 0.3],
          rates: Object.fromEntries(zones.map((zone) => [zone, cubic[zone].map((price) => price / 100)])),
          use: "always",
        },
      },
    ],
    surcharges: [{ code: "RES", label: "Residential", kind: "fixed", amount: 4.5, when: { residential: true } }],
    weeklyRevenue: [
      { from: "2026-01-01", amount: 12_000 },
      { from: "2026-04-01", amount: 60_000 },
    ],
    fuel: { percent: 5, appliesTo: "subtotal" },
    fuelByService: [
      { services: ["2DAY"], percent: 20, discountPercent: 25, appliesTo: "base_list" },
      {
        services: ["GROUND"],
        table: [
          { from: "2026-01-01", percent: 8 },
          { from: "2026-04-01", percent: 9.5 },
        ],
        appliesTo: "base_net",
      },
    ],
  };
}

const round = (cents: number): number => Math.floor(cents + 0.5 + 1e-9);
const isLater = (day: string): boolean => day >= "2026-04-01";

type Sums = { list: number; off: number; home: number };

/** Fuel of what was billed: 15 % of the list price by air, 8 or 9.5 % of the net price by ground, 5 % of everything else. */
function fuelOf({ service, day }: RichFacts, { list, off, home }: Sums): number {
  if (service === "2DAY") return round((list * 15) / 100);
  if (service === "GROUND") return round(((list - off) * (isLater(day) ? 9.5 : 8)) / 100);
  return round(((list - off + home) * 5) / 100);
}

function sumsOf({ service, day, zone, pounds, isHome }: RichFacts): Sums {
  const home = isHome ? 450 : 0;
  if (service === "CUBIC") return { list: cubic[zone][1]!, off: 0, home };
  const list = listOf[service](zone, Math.ceil(pounds));
  const percent = service === "2DAY" ? 30 : isLater(day) ? 40 : 25;
  return { list, off: round((list * percent) / 100), home };
}

const totalOf = (facts: RichFacts): number => {
  const sums = sumsOf(facts);
  return sums.list - sums.off + sums.home + fuelOf(facts, sums);
};

const names: Record<RichService, string> = { GROUND: "Ground", "2DAY": "2nd Day Air", CUBIC: "CUBIC" };

function chargesOf(facts: RichFacts, { list, off, home }: Sums, fuel: number): BookCharge[] {
  return [
    { kind: "base", code: "3", name: names[facts.service], gross: list, off },
    { kind: "fuel", code: "FSC", name: "Fuel Surcharge", gross: fuel, off: 0 },
    ...(home === 0
      ? []
      : [{ kind: "surcharge" as const, code: "RES", name: "Residential Surcharge", gross: home, off: 0 }]),
  ];
}

export function richParcel(tracking: string, facts: RichFacts, more: Partial<AuditParcel> = {}): AuditParcel {
  const sums = sumsOf(facts);
  return {
    tracking,
    day: facts.day,
    service: names[facts.service],
    zone: facts.zone,
    pounds: facts.pounds,
    billedPounds: Math.ceil(facts.pounds),
    reference: tracking,
    fromZip: "07114",
    toZip: facts.zone === "3" ? "10001" : "90210",
    charges: chargesOf(facts, sums, fuelOf(facts, sums)),
    sides: facts.service === "CUBIC" ? cubicSides : null,
    isByWeight: true,
    planted: [],
    ...more,
  };
}

type Plant = (tracking: string, facts: RichFacts) => AuditParcel;

/** Billed with these changes, and with the fuel that follows from them. */
function changed(kind: string, change: Partial<Sums>): Plant {
  return (tracking, facts) => {
    const right = sumsOf(facts);
    const billed = {
      list: right.list + (change.list ?? 0),
      off: right.off + (change.off ?? 0),
      home: right.home + (change.home ?? 0),
    };
    const fuel = fuelOf(facts, billed);
    const amount = billed.list - billed.off + billed.home + fuel - totalOf(facts);
    return richParcel(tracking, facts, { charges: chargesOf(facts, billed, fuel), planted: [{ kind, amount }] });
  };
}

/** Billed as if one fact was another one. */
function mistaken(kind: string, change: (facts: RichFacts) => RichFacts): Plant {
  return (tracking, right) => {
    const wrong = change(right);
    const { charges, zone, billedPounds } = richParcel(tracking, wrong);
    const planted = [{ kind, amount: totalOf(wrong) - totalOf(right) }];
    return richParcel(tracking, right, { charges, zone, billedPounds, planted });
  };
}

const byWeight: Record<string, Plant> = {
  discount: changed("discount", { off: -150 }),
  weight: mistaken("weight", (facts) => ({ ...facts, pounds: Math.ceil(facts.pounds) + 4 })),
};

const ofAll: Record<string, Plant> = {
  base_rate: changed("base_rate", { list: 125 }),
  surcharge: (tracking, facts) => changed("surcharge", { home: 100 })(tracking, { ...facts, isHome: true }),
  fuel: (tracking, facts) => {
    const sums = sumsOf(facts);
    const charges = chargesOf(facts, sums, fuelOf(facts, sums) + 95);
    return richParcel(tracking, facts, { charges, planted: [{ kind: "fuel", amount: 95 }] });
  },
  zone: (tracking, facts) => mistaken("zone", (right) => ({ ...right, zone: "5" }))(tracking, { ...facts, zone: "3" }),
};

/** Cubic prices have no discount here, and weight does not matter for them. */
export const richPlants: Record<RichService, Record<string, Plant>> = {
  GROUND: { ...ofAll, ...byWeight },
  "2DAY": { ...ofAll, ...byWeight },
  CUBIC: ofAll,
};

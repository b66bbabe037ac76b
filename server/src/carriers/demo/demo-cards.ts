import { roundToCents } from "../../core/money.ts";
import type { CardService, RateCard, Surcharge } from "../rate-card/card.schemas.ts";

const note = "Illustrative: invented prices, similar to public list prices of late 2025. Neither current nor official.";

type Anchors = [pounds: number, ...prices: number[]][];

const postalGround: Anchors = [
  [1, 9.1, 9.45, 9.75, 10.1, 10.65, 11, 11.55, 12.45, 12.45],
  [2, 9.85, 10.45, 11.05, 11.8, 12.8, 13.7, 14.9, 17.15, 17.15],
  [5, 11.95, 12.45, 13.3, 14.45, 16.25, 18.15, 20.6, 23.75, 23.75],
  [10, 14.55, 14.85, 15.65, 17.55, 20.95, 25.05, 30.15, 35.5, 35.5],
  [20, 20.85, 21, 22.35, 24.85, 32.75, 40.65, 50.55, 62.65, 62.65],
  [50, 49.15, 53, 58.95, 74.55, 95.4, 113.6, 130.7, 148.9, 148.9],
  [70, 68, 74, 83, 107, 137, 162, 184, 206, 206],
];
const postalOunces: Anchors = [
  [4, 7.2, 7.25, 7.35, 7.5, 7.8, 7.9, 8.1, 8.4, 8.4],
  [8, 7.5, 7.7, 7.85, 8, 8.35, 8.55, 8.8, 9.25, 9.25],
  [12, 8.2, 8.45, 8.7, 8.95, 9.4, 9.7, 10.1, 10.7, 10.7],
  [15.999, 8.9, 9.2, 9.5, 9.85, 10.4, 10.75, 11.25, 12.1, 12.1],
];
const postalPriority: Anchors = [
  [1, 10.45, 10.9, 11.1, 11.3, 13, 14.2, 15.35, 16.6, 32.6],
  [2, 10.9, 11.5, 12.2, 13.05, 15.75, 16.9, 18.05, 19.85, 39.15],
  [5, 13.2, 13.75, 14.7, 16, 21, 25.45, 30.6, 34.25, 67.7],
  [10, 16.3, 16.65, 17.5, 19.75, 26.8, 37.65, 49.35, 56.15, 111.95],
  [20, 23.45, 23.65, 25.2, 28.35, 44.9, 66.45, 87.95, 100.95, 200.55],
  [70, 60, 64, 76, 110, 150, 205, 260, 300, 600],
];
/** Zones 2 to 8. */
const parcelGround: Anchors = [
  [1, 11.32, 11.65, 12.69, 13.27, 13.72, 13.93, 14.17],
  [2, 12.08, 13.32, 14.53, 14.84, 15.49, 16.13, 16.4],
  [5, 13.29, 14.76, 16.17, 17.56, 18.26, 19.33, 20.48],
  [10, 14.98, 16.09, 17.59, 19.39, 20, 22.54, 24.91],
  [20, 18.21, 20.48, 20.96, 25.79, 30.04, 36.62, 40.79],
  [50, 33.5, 37.2, 42.4, 51.1, 62.3, 77.8, 90.6],
  [150, 92, 104, 121, 148, 180, 226, 264],
];

const postalZones = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
const parcelZones = ["2", "3", "4", "5", "6", "7", "8"];

/** A price per pound, interpolated linearly between the anchors. `factor` scales the prices for faster services. */
function grid(anchors: Anchors, zones: string[], pounds: number, factor = 1) {
  const breaks = Array.from({ length: pounds }, (_, index) => ({ upTo: index + 1, unit: "lb" as const }));
  const rates: Record<string, number[]> = {};
  for (const [at, zone] of zones.entries())
    rates[zone] = breaks.map(({ upTo }) => roundToCents(interpolate(anchors, upTo, at + 1) * factor));
  return { weightBreaks: breaks, rates };
}

function interpolate(anchors: Anchors, pounds: number, column: number): number {
  const above = anchors.find(([upTo]) => upTo >= pounds)!;
  const below = anchors.findLast(([upTo]) => upTo <= pounds) ?? above;
  const [low, high] = [below[column]!, above[column]!];
  return above[0] === below[0] ? low : low + ((high - low) * (pounds - below[0])) / (above[0] - below[0]);
}

function postalCard(): RateCard {
  const pounds = grid(postalGround, postalZones, 70);
  const rates = Object.fromEntries(
    postalZones.map((zone, index) => [zone, [...postalOunces.map((row) => row[index + 1]!), ...pounds.rates[zone]!]]),
  );
  const dim = { divisor: 166, thresholdVolume: 1728 };
  const limits = { maxWeight: { value: 70, unit: "lb" as const }, maxLengthPlusGirth: 130 };
  const ground: CardService = {
    code: "POSTAL_GROUND",
    name: "Postal Ground",
    level: "ground",
    weightBreaks: [...postalOunces.map(([upTo]) => ({ upTo, unit: "oz" as const })), ...pounds.weightBreaks],
    rates,
    dim,
    limits,
    transitDays: { "1": 2, "2": 2, "3": 3, "4": 3, "5": 4, "6": 4, "7": 5, "8": 5, "9": 10 },
  };
  const priority: CardService = {
    code: "POSTAL_PRIORITY",
    name: "Postal Priority",
    level: "three_day",
    ...grid(postalPriority, postalZones, 70),
    dim,
    limits,
  };
  return {
    name: "Demo Postal",
    note,
    currency: "USD",
    effectiveFrom: "2025-10-05",
    zoneScheme: "usps",
    services: [ground, priority],
    surcharges: [
      fixed("nonstandard_30", "Longer than 30 inches", 4, { longestSideOver: 30 }, { group: "length", priority: 2 }),
      fixed("nonstandard_22", "Longer than 22 inches", 3, { longestSideOver: 22 }, { group: "length", priority: 1 }),
      fixed("nonstandard_volume", "More than two cubic feet", 18, { volumeOver: 3456 }),
    ],
  };
}

type Air = [code: string, name: string, level: CardService["level"], factor: number];

function parcelCard(
  name: string,
  prefix: string,
  scheme: "ups" | "fedex",
  step: number,
  far: Record<string, number>,
  air: Air[],
): RateCard {
  const dim = { divisor: 139, rounding: "up" as const };
  const limits = { maxWeight: { value: 150, unit: "lb" as const }, maxLength: 108, maxLengthPlusGirth: 165 };
  const common = { dim, limits };
  const services = [["GROUND", "Ground", "ground", 1] as Air, ...air].map(
    ([code, title, level, factor]): CardService => {
      const own = grid(parcelGround, parcelZones, 150, factor * step);
      for (const [zone, times] of Object.entries(far))
        own.rates[zone] = own.rates["8"]!.map((cell) => roundToCents(cell * times));
      return {
        code: `${prefix}_${code}`,
        name: `${prefix === "NAT" ? "National" : "Express"} ${title}`,
        level,
        ...own,
        ...common,
      };
    },
  );
  services[0]!.minimum = { zone: "2", weight: { value: 1, unit: "lb" } };
  return {
    name,
    note,
    currency: "USD",
    effectiveFrom: "2025-10-05",
    zoneScheme: scheme,
    services,
    fuel: { percent: scheme === "ups" ? 19.25 : 20, appliesTo: scheme === "ups" ? "subtotal" : "base_net" },
    surcharges: parcelSurcharges(),
  };
}

/** A surcharge of a fixed amount. */
function fixed(code: string, label: string, amount: number, when: Surcharge["when"], more: Partial<Surcharge> = {}) {
  return { code, label, kind: "fixed" as const, amount, when, ...more };
}

const residential = (amount: number): Surcharge =>
  fixed("residential", "Residential", amount, { residential: true }, { allocationPercent: 70 });

function parcelSurcharges(): Surcharge[] {
  const lb = (value: number) => ({ value, unit: "lb" as const });
  /** Only the handling surcharge with the highest priority applies. */
  const handling = (priority: number, leastPounds = 0) => ({
    group: "handling",
    priority,
    ...(leastPounds > 0 && { minBillableWeight: lb(leastPounds) }),
  });
  return [
    residential(6.45),
    fixed("oversize", "Oversize", 275, { lengthPlusGirthOver: 130 }, handling(3, 90)),
    fixed("handling_weight", "Additional handling: weight", 50.25, { weightOver: lb(50) }, handling(2)),
    fixed("handling_size", "Additional handling: size", 32.75, { longestSideOver: 48 }, handling(1, 40)),
    fixed("peak_oversize", "Peak season: oversize", 90, { requires: "oversize", from: "2025-10-05", to: "2026-01-18" }),
  ];
}

function regionalCard(): RateCard {
  const zones = ["2", "3", "4"];
  const regional = grid(parcelGround, zones, 75, 0.78);
  return {
    name: "Demo Regional",
    note,
    currency: "USD",
    effectiveFrom: "2025-10-05",
    zoneScheme: "bands",
    bands: [
      { upToMiles: 150, zone: "2" },
      { upToMiles: 300, zone: "3" },
      { upToMiles: 600, zone: "4" },
    ],
    services: [
      {
        code: "REGIONAL_GROUND",
        name: "Regional Ground",
        level: "ground",
        ...regional,
        dim: { divisor: 194 },
        limits: { maxWeight: { value: 75, unit: "lb" }, maxLength: 96 },
        minimum: { amount: 7.5 },
        transitDays: { "2": 1, "3": 1, "4": 2 },
      },
    ],
    fuel: { percent: 16.5, appliesTo: "base_net" },
    surcharges: [residential(4.1)],
  };
}

type DemoCard = { account: string; card: RateCard };

/** Four invented contracts to compare, each shaped like a real carrier's. */
export function demoCards(): DemoCard[] {
  const air: Air[] = [
    ["3DAY", "3 Day", "three_day", 1.85],
    ["2DAY", "2 Day", "two_day", 2.6],
    ["OVERNIGHT", "Overnight", "overnight", 4.9],
  ];
  return [
    { account: "Demo Postal", card: postalCard() },
    { account: "Demo National", card: parcelCard("Demo National", "NAT", "ups", 1.02, { "44": 2.9, "45": 3.1 }, air) },
    { account: "Demo Express", card: parcelCard("Demo Express", "EXP", "fedex", 1, { "9": 2.9, "17": 2.9 }, air) },
    { account: "Demo Regional", card: regionalCard() },
  ];
}

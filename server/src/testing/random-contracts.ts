import type { CardService, RateCard, Surcharge } from "../carriers/rate-card/card.schemas.ts";
import type { Random } from "./random-parcels.ts";

const contractZones = ["2", "3", "4", "5", "6", "7", "8"];
const airZones = contractZones.map((zone) => `20${zone}`);

/** A parcel of a shipment to price. */
export type ContractParcel = {
  weight: { value: number; unit: "lb" | "oz" | "kg" | "g" };
  dimensions?: { length: number; width: number; height: number; unit: "in" | "cm" };
};
export type ContractShipment = {
  destinationZip: string;
  originZip: string;
  residential: boolean | null;
  shipDate: string;
  parcels: ContractParcel[];
};

/** A card that uses every term of a contract, each with some probability, and prices with four decimals. */
export function randomContract(random: Random): RateCard {
  const fine = (limit: number): number => random.below(limit * 100) / 10_000;
  const money = (limit: number): number => random.below(limit) / 100;
  const percent = (): number => random.below(400_000) / 10_000;
  const sometimes = <T>(share: number, make: () => T): T | Record<string, never> =>
    random.chance(share) ? make() : {};
  const days = (): string[] =>
    ["2026-01-01", "2026-02-14", "2026-03-31", "2026-05-01"].filter((_, index) => index === 0 || random.chance(0.7));
  const fuelTerms = () => ({
    appliesTo: random.pick(["base_list", "base_net", "subtotal"] as const),
    ...(random.chance(0.4) ? { percent: percent() } : { table: days().map((from) => ({ from, percent: percent() })) }),
    ...sometimes(0.4, () => ({ discountPercent: percent() })),
  });
  const dimTerms = () => ({
    divisor: random.pick([110, 139, 166, 194]),
    ...sometimes(0.5, () => ({
      tiers: [
        { upToVolume: 1728, divisor: random.pick([166, 250]) },
        { upToVolume: 5184, divisor: random.pick([150, 200]) },
      ],
    })),
    ...sometimes(0.3, () => ({ thresholdVolume: random.pick([864, 1728, 2000]) })),
  });
  const cells = (zones: string[], count: number, start: number, step: number): Record<string, (number | null)[]> =>
    Object.fromEntries(
      zones.map((zone) => {
        let price = start * 100 + random.below(start * 100);
        return [
          zone,
          Array.from({ length: count }, () =>
            random.chance(0.02) ? null : (price += random.below(step * 100)) / 10_000,
          ),
        ];
      }),
    );
  const service = (code: string, level: CardService["level"], zones: string[]): CardService => ({
    code,
    level,
    weightBreaks: [{ upTo: 8, unit: "oz" }, ...Array.from({ length: 60 }, (_, index) => ({ upTo: index + 1 }))],
    rates: cells(zones, 61, 500, 120),
    ...sometimes(0.8, () => ({
      perUnitAbove: { unit: "lb" as const, rates: Object.fromEntries(zones.map((zone) => [zone, fine(90)])) },
    })),
    ...sometimes(0.85, () => ({
      dim: {
        ...dimTerms(),
        rounding: random.pick(["nearest", "up", "none"] as const),
        ...sometimes(0.4, () => ({
          dated: [
            { from: "2026-03-01", ...dimTerms() },
            { from: "2026-04-15", ...dimTerms() },
          ],
        })),
      },
    })),
    ...sometimes(0.5, () => ({
      cubic: {
        tiers: [0.1, 0.2, 0.3, 0.4, 0.5, 1, 2],
        rates: cells(zones.slice(random.below(3)), 7, 400, 250),
        maxWeight: { value: 20, unit: "lb" as const },
        maxLength: 18,
        ...sometimes(0.5, () => ({ use: random.pick(["lower", "always"] as const) })),
      },
    })),
    ...sometimes(0.6, () => ({
      hundredweight: {
        weightFrom: [100, 200, 500],
        // Heavier shipments cost less per hundred pounds.
        rates: Object.fromEntries(
          Object.entries(cells(zones, 3, 1500, 1500)).map(([zone, row]) => [zone, row.toReversed()]),
        ),
        ...sometimes(0.5, () => ({ minPieces: 1 + random.below(3) })),
        ...sometimes(0.5, () => ({ minPieceWeight: { value: 15, unit: "lb" as const } })),
        ...sometimes(0.5, () => ({ discountPercent: percent() })),
        ...sometimes(0.5, () => ({ minimum: money(9000) })),
        ...sometimes(0.5, () => ({ isDeficitRated: true })),
        ...sometimes(0.7, () => ({ use: random.pick(["lower", "always"] as const) })),
      },
    })),
    ...sometimes(0.3, () => ({ multiPiece: "total" as const })),
    ...(zones === airZones ? { zoneNames: Object.fromEntries(contractZones.map((zone) => [zone, `20${zone}`])) } : {}),
    limits: { maxWeight: { value: 150, unit: "lb" } },
    discounts: [
      { percent: percent() },
      {
        tiers: [
          { revenueFrom: 1000, percent: percent() },
          { revenueFrom: 5000.5, percent: percent() },
          { revenueFrom: 20_000, percent: percent() },
        ],
        ...sometimes(0.6, () => ({ stacking: "add" as const })),
        ...sometimes(0.4, () => ({ weightFrom: { value: 5, unit: "lb" as const } })),
        ...sometimes(0.4, () => ({ zones: zones.slice(2, 6) })),
      },
      { amount: money(150), stacking: "add", zones: zones.slice(4) },
    ],
    ...sometimes(0.7, () => ({
      minimum: random.chance(0.5)
        ? { amount: 6 + money(300) }
        : {
            zone: zones[0]!,
            weight: { value: 70, unit: "lb" as const },
            reduction: money(200),
            reductionPercent: percent(),
          },
    })),
  });
  const services = [
    service("GND", "ground", contractZones),
    service("AIR", "two_day", airZones),
    service("ECO", "economy", contractZones),
  ];
  for (const one of services) {
    if (one.minimum?.zone === undefined) continue;
    one.minimum.weight = { value: 1, unit: "lb" };
    one.rates[one.minimum.zone]![1] ??= 7.1234;
  }
  const surcharges: Surcharge[] = [
    {
      code: "RES",
      kind: "fixed",
      amount: fine(600),
      when: { residential: true },
      allocationPercent: percent(),
      discountPercent: percent(),
      ...sometimes(0.4, () => ({ per: "shipment" as const })),
    },
    { code: "LONG", kind: "fixed", amount: money(2000), when: { longestSideOver: 30 }, group: "size", priority: 1 },
    {
      code: "HEAVY",
      kind: "fixed",
      amount: money(3000),
      when: { weightOver: { value: 50, unit: "lb" } },
      group: "size",
      priority: 2,
      minBillableWeight: { value: 60, unit: "lb" },
    },
    {
      code: "PEAK_SIZE",
      kind: "fixed",
      amount: fine(700),
      when: { requiresAny: ["LONG", "HEAVY"], from: "2026-03-01" },
    },
    { code: "PEAK_ANY", kind: "percent", percent: percent(), when: { requires: "RES", to: "2026-04-30" } },
    {
      code: "BUSY",
      kind: "fixed",
      amount: money(100),
      amountByZone: { "5": fine(100), "204": fine(200) },
      when: { weeklyPiecesOver: 500, weeklyPiecesUpTo: 2000 },
      group: "volume",
    },
    { code: "BUSIER", kind: "fixed", amount: fine(300), when: { weeklyPiecesOver: 2000 }, group: "volume" },
    {
      code: "POUNDS",
      kind: "per_weight",
      amount: fine(9),
      weightUnit: random.pick(["lb", "kg"] as const),
      isFuelApplied: random.chance(0.5),
      ...sometimes(0.5, () => ({ discountPercent: percent() })),
      when: { services: ["GND", "AIR"] },
    },
    { code: "PICKUP", kind: "fixed", amount: money(900), per: "shipment", isFuelApplied: false },
  ];
  return {
    name: "Random contract",
    effectiveFrom: "2020-01-01",
    zoneScheme: "ups",
    services,
    surcharges: surcharges.filter(({ code }) => ["RES", "LONG", "HEAVY"].includes(code) || random.chance(0.7)),
    ...sometimes(0.7, () => ({ fuel: fuelTerms() })),
    ...sometimes(0.7, () => ({
      fuelByService: [
        { services: ["ECO"], ...fuelTerms() },
        { mode: random.pick(["ground", "air"] as const), ...fuelTerms() },
      ],
    })),
    weeklyRevenue: days().map((from) => ({ from, amount: random.below(3_000_000) / 100 })),
    weeklyPieces: days().map((from) => ({ from, pieces: random.pick([500, 501, 2000, 2001, random.below(4000)]) })),
    ...sometimes(0.7, () => ({
      zoneExceptions: [
        { destinationStates: ["AK"], mode: "air" as const, zone: "207" },
        { destinations: ["99501", "996-997"], mode: "air" as const, zone: "208" },
        { destinations: ["967-968"], services: ["GND", "ECO"], zone: "8" },
        { destinations: ["967"], mode: "air" as const, zone: null },
        { destinationStates: ["PR"], mode: "air" as const, zone: "206" },
        { destinations: ["006-007", "009"], services: ["GND"], zone: "7" },
        { destinationStates: ["CA"], origins: ["900-961"], mode: "ground" as const, zone: "2" },
      ],
    })),
  };
}

const origins = ["07114", "60601", "90001", "98101"];
const places =
  "00601 00901 10001 02134 33101 60614 75201 80202 90210 94105 98101 99501 99503 99615 96701 96813 96720".split(" ");

export function randomShipment(random: Random): ContractShipment {
  const parcel = (): ContractParcel => {
    const unit = random.pick(["lb", "lb", "oz", "kg", "g"] as const);
    const scale = { lb: 9000, oz: 20_000, kg: 5000, g: 5_000_000 }[unit];
    const side = (): number => (50 + random.below(3200)) / 100;
    return {
      weight: { value: random.chance(0.3) ? 1 + random.below(60) : (1 + random.below(scale)) / 100, unit },
      ...(random.chance(0.7)
        ? {
            dimensions: {
              length: side(),
              width: side(),
              height: side(),
              unit: random.pick(["in", "in", "cm"] as const),
            },
          }
        : {}),
    };
  };
  const count = random.chance(0.6) ? 1 : 2 + random.below(6);
  return {
    destinationZip: random.pick(places),
    originZip: random.pick(origins),
    residential: random.pick([true, false, null]),
    shipDate: `2026-0${1 + random.below(5)}-${10 + random.below(18)}`,
    parcels: Array.from({ length: count }, parcel),
  };
}

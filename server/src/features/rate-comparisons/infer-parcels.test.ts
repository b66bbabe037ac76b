import { expect, test } from "vitest";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { toMg } from "../../carriers/rate-card/measures.ts";
import { createTariff } from "../../carriers/rate-card/tariff.ts";
import { createRandom } from "../../testing/random-parcels.ts";
import { slowPrice } from "../../testing/slow-rater.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";
import type { RateResult } from "./rate-item.ts";
import { createRater } from "./rater.ts";
import { rateItem } from "./rate-item.ts";

const day = "2026-03-15";
const zones = ["2", "3", "4", "5", "6", "7", "8"];

/** Grows by an odd number of cents from pound to pound and from zone to zone, as price lists do. */
function aCard(name: string, first: number, home: number): RateCard {
  const breaks = Array.from({ length: 70 }, (_, index) => ({ upTo: index + 1, unit: "lb" as const }));
  const cell = (zone: number, pound: number): number => (first + 83 * zone + 61 * pound + 7 * zone * pound) / 100;
  return {
    name,
    effectiveFrom: "2026-01-01",
    zoneScheme: "ups",
    services: [
      {
        code: "GROUND",
        level: "ground",
        weightBreaks: breaks,
        rates: Object.fromEntries(zones.map((zone, at) => [zone, breaks.map((_, pound) => cell(at, pound))])),
        limits: { maxWeight: { value: 150, unit: "lb" } },
      },
    ],
    surcharges: [
      { code: "home", kind: "fixed", amount: home, when: { residential: true }, allocationPercent: 60 },
      { code: "far", kind: "fixed", amount: 4.45, when: { zones: ["7", "8"] } },
    ],
    fuel: { percent: 18.5, appliesTo: "subtotal" },
  };
}

const source = aCard("Paid", 1132, 6.45);
const target = aCard("Offered", 1044, 5.1);

function rater() {
  return createRater({
    tariff: createTariff(target, () => undefined),
    source: createTariff(source, () => undefined),
    profiles: undefined,
    aliases: new Map(),
    fallback: "faster",
    residential: null,
    duplicates: "sum",
    day,
    dated: new Map(),
    goesByShipDate: true,
  });
}

type Parcel = { item: ItemRequest; paid: number; truth: number };

/** Parcels with what they really cost with both contracts, by a calculation that shares no code with the hub. */
function parcels(count: number): Parcel[] {
  const random = createRandom(5);
  const destinations = ["10001", "02134", "33101", "60614", "75201", "80202", "90210", "98101", "30303"];
  return Array.from({ length: count }, (_, index) => {
    const item: ItemRequest = {
      trackingNumber: `T${index}`,
      netCost: 0,
      serviceType: "UPS Ground",
      originZip: "07114",
      destinationZip: random.pick(destinations),
      weight: { value: 1 + random.below(60), unit: "lb" },
      residential: random.chance(0.6),
    };
    return { item, paid: slowPrice(source, item, day).cents!, truth: slowPrice(target, item, day).cents! };
  });
}

function guess({ item, paid }: Parcel, residential: boolean | null): RateResult {
  return rateItem(shared, {
    netCents: paid,
    serviceType: item.serviceType!,
    services: [item.serviceType!],
    hasHomeCharge: false,
    origin: { zip: item.originZip },
    destination: { zip: item.destinationZip },
    weightMg: null,
    isWeightOfShipment: false,
    sides: undefined,
    residential,
    shipDate: null,
    currency: null,
    repeats: false,
    foreignCountry: null,
    chargedCents: undefined,
  });
}

const shared = rater();

test("D5: weight and kind of address are inferred from the paid amount, also if residential is not given", () => {
  const all = parcels(600).map((parcel) => ({ parcel, result: guess(parcel, null) }));
  const isExact = ({ parcel, result }: (typeof all)[number]): boolean => result.targetCents === parcel.truth;
  const isCovered = ({ parcel: { truth }, result }: (typeof all)[number]): boolean =>
    result.lowCents! <= truth && truth <= result.highCents!;
  expect(all.filter(({ result }) => result.basis !== "inferred")).toEqual([]);
  expect(all.filter((one) => !isCovered(one))).toEqual([]);
  expect(all.filter(isExact).length).toBeGreaterThan(540);
  // With the flag it was right before.
  const told = parcels(300).map((parcel) => guess(parcel, parcel.item.residential!).targetCents! - parcel.truth);
  expect(told.filter((off) => off !== 0).length).toBeLessThan(15);
});

test("D5: the kind of address is not inferred if residential costs the same in the paid contract", () => {
  const flat = { ...source, surcharges: [] };
  const silent = createRater({ ...rater(), source: createTariff(flat, () => undefined) });
  const weight = { value: 7, unit: "lb" as const };
  const item = {
    trackingNumber: "A",
    netCost: 0,
    serviceType: "UPS Ground",
    originZip: "07114",
    destinationZip: "10001",
  };
  const paid = slowPrice(flat, { ...item, weight }, day).cents!;
  const result = rateItem(silent, {
    netCents: paid,
    serviceType: "UPS Ground",
    services: ["UPS Ground"],
    hasHomeCharge: false,
    origin: { zip: "07114" },
    destination: { zip: "10001" },
    weightMg: null,
    isWeightOfShipment: false,
    sides: undefined,
    residential: null,
    shipDate: null,
    currency: null,
    repeats: false,
    foreignCountry: null,
    chargedCents: undefined,
  });
  // As with a parcel whose weight is known and whose address is not: the usual share of the charge for homes.
  expect(result).toMatchObject({ basis: "inferred", targetCents: slowPrice(target, { ...item, weight }, day).cents });
  expect(result.ratedMg).toBe(toMg(weight));
});

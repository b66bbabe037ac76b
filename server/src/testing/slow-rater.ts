import points from "../carriers/zones/zip3-points.json" with { type: "json" };
import type { CardService, RateCard, Surcharge } from "../carriers/rate-card/card.schemas.ts";
import type { ItemRequest } from "../features/rate-comparisons/rate-items.schemas.ts";

/**
 * Oracle for prices: computes the price of one parcel from the uploaded card in the simplest way, without code of the hub. Supports
 * what `random-parcels.ts` and the demo cards use.
 */
type SlowPrice = {
  zone: string | null;
  reason: string | null;
  cents: number | null;
  lines: Record<string, number>;
};

type Weighed = { value: number; unit: string };

const mgPer: Record<string, number> = { lb: 453_592.37, oz: 28_349.523125, kg: 1_000_000, g: 1000 };
const mg = ({ value, unit }: Weighed): number => Math.round(value * mgPer[unit]!);

/** Rounds half up once, in exact integer arithmetic, whatever the number of nested percentages. */
function share(cents: number, ...percentsTimes10000: number[]): number {
  let [above, below] = [BigInt(cents), 1n];
  for (const percent of percentsTimes10000) [above, below] = [above * BigInt(percent), below * 1_000_000n];
  return Number((above * 2n + below) / (below * 2n));
}

/** Number of started units of a weight. A difference of one milligram by rounding starts none. */
function begunUnits(weight: number, unit: string): number {
  let units = 0;
  while (units * mgPer[unit]! < weight - 1) units++;
  return units;
}
const millionths = (percent: number): number => Math.round(percent * 10_000);
/** Prices may have four decimals. */
const toFine = (amount: number): number => Math.round(amount * 10_000);
const roundFine = (fine: number): number => Math.floor((fine + 50) / 100);
const toCents = (amount: number): number => roundFine(toFine(amount));

const levels: Record<string, string> = {
  "UPS Ground": "ground",
  FEDEX_2_DAY: "two_day",
  SurePost: "economy",
  "Priority Mail": "three_day",
  "Next Day Air": "overnight",
  GROUND: "ground",
};
const speed =
  "media economy ground three_day two_day two_day_am overnight_saver overnight overnight_early same_day".split(" ");

function serviceOf(card: RateCard, serviceType: string): CardService | undefined {
  const level = levels[serviceType];
  if (level === undefined) return undefined;
  for (const candidate of speed.slice(speed.indexOf(level))) {
    const found = card.services.find((service) => service.level === candidate);
    if (found) return found;
  }
  return undefined;
}

function placeAt(zip: string): [latitude: number, longitude: number] | undefined {
  return (points.points as unknown as Record<string, [number, number]>)[zip.slice(0, 3)];
}

function milesBetween(a: [number, number], b: [number, number]): number {
  const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
  const x = Math.sin(toRadians(b[0] - a[0]) / 2) ** 2;
  const y = Math.cos(toRadians(a[0])) * Math.cos(toRadians(b[0])) * Math.sin(toRadians(b[1] - a[1]) / 2) ** 2;
  return 2 * 3958.7613 * Math.asin(Math.sqrt(x + y));
}

const areas: [string, (prefix: number) => boolean][] = [
  ["PR", (prefix) => prefix >= 6 && prefix <= 9],
  ["HI", (prefix) => prefix === 967 || prefix === 968],
  ["AK", (prefix) => prefix >= 995],
  [
    "none",
    (prefix) => prefix === 969 || (prefix >= 90 && prefix <= 99) || prefix === 340 || (prefix >= 962 && prefix <= 966),
  ],
];

/** A zone, or the reason for none. Parcels start on the mainland. */
export function zoneOf(card: RateCard, from: string, to: string): { zone: string } | { reason: string } {
  const [a, b] = [placeAt(from), placeAt(to)];
  const prefix = Number(to.slice(0, 3));
  if (!a || !b) return { reason: "zone_unresolved" };
  const miles = milesBetween(a, b);
  const among = (edges: number[], zones: string[]): string | undefined =>
    zones[edges.filter((edge) => miles > edge).length];
  if (card.zoneScheme === "usps") {
    const number = Number(to);
    if ((number >= 96_939 && number <= 96_944) || number === 96_960 || number === 96_970) return { zone: "9" };
    if (from.slice(0, 3) === to.slice(0, 3)) return { zone: "1" };
    return { zone: among([50, 150, 300, 600, 1000, 1400, 1800], "12345678".split(""))! };
  }
  if (card.zoneScheme === "bands") {
    const zone = among(
      card.bands!.map((band) => band.upToMiles!),
      card.bands!.map((band) => band.zone),
    );
    return zone === undefined ? { reason: "zone_unresolved" } : { zone };
  }
  const special = { ups: { PR: "45", HI: "44", AK: "44" }, fedex: { HI: "9", AK: "17" } } as Record<
    string,
    Record<string, string>
  >;
  const area = areas.find(([, holds]) => holds(prefix))?.[0];
  if (area !== undefined) {
    const zone = special[card.zoneScheme]![area];
    return zone === undefined ? { reason: "not_serviceable" } : { zone };
  }
  const more = card.zoneScheme === "ups" ? 20 : 15;
  return {
    zone: among(
      [150, 300, 600, 1000, 1400, 1800].map((edge) => edge + more),
      "2345678".split(""),
    )!,
  };
}

/** Light mail of the postal service to military addresses overseas. */
function goesThroughChicago(card: RateCard, { level }: CardService, { weight }: ItemRequest, to: string): boolean {
  const isOverseas = /^(09\d|96[2-6])/.test(to);
  const isMeant = card.zoneScheme === "usps" && ["ground", "three_day"].includes(level);
  return isMeant && isOverseas && mg(weight!) < mg({ value: 16, unit: "oz" });
}

const westernStates: [string, number, number][] = [
  ["CA", 900, 961],
  ["OR", 970, 979],
  ["WA", 980, 994],
];

function applies(
  surcharge: Surcharge,
  service: CardService,
  zone: string,
  item: ItemRequest,
  zip: string,
  day: string,
): boolean {
  const when = surcharge.when ?? {};
  const sides = sidesOf(item, service);
  const girth = sides && sides[0] + 2 * sides[1] + 2 * sides[2];
  const state = westernStates.find(
    ([, from, to]) => Number(zip.slice(0, 3)) >= from && Number(zip.slice(0, 3)) <= to,
  )?.[0];
  return [
    !when.services || when.services.includes(service.code),
    !when.zones || when.zones.includes(zone),
    !when.destinationStates || when.destinationStates.includes(state ?? "none"),
    !when.from || day >= when.from,
    !when.to || day <= when.to,
    when.residential === undefined || item.residential === undefined || item.residential === when.residential,
    !when.weightOver || mg(item.weight!) > mg(when.weightOver),
    !when.longestSideOver || (sides !== undefined && sides[0] > when.longestSideOver),
    !when.secondLongestSideOver || (sides !== undefined && sides[1] > when.secondLongestSideOver),
    !when.lengthPlusGirthOver || (sides !== undefined && girth! > when.lengthPlusGirthOver),
    !when.volumeOver || (sides !== undefined && sides[0] * sides[1] * sides[2] > when.volumeOver),
  ].every(Boolean);
}

/** Sides as the carrier records them, in inches. */
function sidesOf({ dimensions }: ItemRequest, service: CardService): [number, number, number] | undefined {
  if (!dimensions) return undefined;
  const { length, width, height, unit } = dimensions;
  const sides = [length, width, height].map((side) => (unit === "cm" ? side / 2.54 : side));
  const rounded = sides.map((side) => {
    const clean = Number(side.toFixed(6));
    const { rounding = "up" } = service.dim ?? {};
    return rounding === "none" ? side : rounding === "up" ? Math.ceil(clean) : Math.floor(clean + 0.5);
  });
  return rounded.toSorted((a, b) => b - a) as [number, number, number];
}

function onlyStrongest(surcharges: Surcharge[]): Surcharge[] {
  return surcharges.filter((one) => {
    if (one.group === undefined) return true;
    const rivals = surcharges.filter((other) => other.group === one.group);
    const most = Math.max(...rivals.map((rival) => rival.priority ?? 0));
    return rivals.find((rival) => (rival.priority ?? 0) === most) === one;
  });
}

export function slowPrice(card: RateCard, item: ItemRequest, rateDay: string): SlowPrice {
  const none = (reason: string, zone: string | null = null): SlowPrice => ({ zone, reason, cents: null, lines: {} });
  const service = serviceOf(card, item.serviceType!);
  if (!service) return none("service_unmatched");
  const to = item.destinationZip!.padStart(5, "0");
  const found = zoneOf(card, item.originZip!, goesThroughChicago(card, service, item, to) ? "60600" : to);
  if ("reason" in found) return none(found.reason);
  const { zone } = found;
  const row = service.rates[zone];
  if (!row) return none("no_rate_cell", zone);
  const day = item.shipDate ?? rateDay;
  const sides = sidesOf(item, service);
  const weight = mg(item.weight!);
  const { maxWeight, maxLength, maxLengthPlusGirth } = service.limits!;
  const isTooMuch =
    weight > mg(maxWeight!) ||
    (sides !== undefined &&
      (sides[0] > (maxLength ?? Infinity) || sides[0] + 2 * (sides[1] + sides[2]) > (maxLengthPlusGirth ?? Infinity)));
  if (isTooMuch) return none("over_limit", zone);

  const fitting = (card.surcharges ?? []).filter((one) => applies(one, service, zone, item, to, day));
  const plain = onlyStrongest(fitting.filter((one) => !one.when?.requires));
  const second = fitting.filter(
    (one) => one.when?.requires && plain.some((other) => other.code === one.when!.requires),
  );
  const surcharges = (card.surcharges ?? []).filter((one) => plain.includes(one) || second.includes(one));
  const ordered = [
    ...surcharges.filter((one) => !one.when?.requires),
    ...surcharges.filter((one) => one.when?.requires),
  ];

  let billable = weight;
  if (sides) {
    const volume = Number((sides[0] * sides[1] * sides[2]).toFixed(6));
    if (volume > (service.dim!.thresholdVolume ?? 0))
      billable = Math.max(billable, Math.round((volume / service.dim!.divisor) * mgPer.lb!));
  }
  for (const one of surcharges) if (one.minBillableWeight) billable = Math.max(billable, mg(one.minBillableWeight));

  const breaks = service.weightBreaks.map(({ upTo, unit = "lb" }) => mg({ value: upTo!, unit }));
  const index = breaks.findIndex((upTo) => billable <= upTo);
  let rated = breaks[index]!;
  let list: number;
  if (index === -1) {
    const last = row.at(-1);
    const each = service.perUnitAbove?.rates[zone];
    if (each === undefined) return none("over_limit", zone);
    if (last === null || last === undefined) return none("no_rate_cell", zone);
    const steps = begunUnits(billable - breaks.at(-1)!, "lb");
    list = roundFine(toFine(last) + steps * toFine(each));
    rated = Math.round(breaks.at(-1)! + steps * mgPer.lb!);
  } else {
    if (row[index] === null) return none("no_rate_cell", zone);
    list = toCents(row[index]!);
  }
  const lines: Record<string, number> = { base: list };

  const discounts = (service.discounts ?? []).filter(
    (one) =>
      (!one.zones || one.zones.includes(zone)) &&
      (!one.weightFrom || rated >= mg(one.weightFrom)) &&
      (!one.weightTo || rated <= mg(one.weightTo)),
  );
  const replacing = discounts.findLast((one) => one.stacking !== "add");
  const counted = [...(replacing ? [replacing] : []), ...discounts.filter((one) => one.stacking === "add")];
  const off = Math.min(
    list,
    share(
      list,
      Math.min(
        1_000_000,
        counted.reduce((sum, one) => sum + millionths(one.percent ?? 0), 0),
      ),
    ) + counted.reduce((sum, one) => sum + toCents(one.amount ?? 0), 0),
  );
  if (off > 0) lines.discount = -off;
  let net = list - off;
  const { minimum } = service;
  const least =
    minimum === undefined
      ? 0
      : minimum.amount !== undefined
        ? toCents(minimum.amount)
        : Math.max(
            0,
            toCents(service.rates[minimum.zone!]![breaks.findIndex((upTo) => mg(minimum.weight!) <= upTo)] ?? 0) -
              toCents(minimum.reduction ?? 0),
          );
  if (net < least) {
    lines.minimum = least - net;
    net = least;
  }

  let fuelable = net;
  for (const one of ordered) {
    const isUnknownHome = one.when?.residential !== undefined && item.residential === undefined;
    const kept = [
      1_000_000 - millionths(one.discountPercent ?? 0),
      isUnknownHome ? millionths(one.allocationPercent ?? 0) : 1_000_000,
    ];
    const each = toFine(one.amountByZone?.[zone] ?? one.amount ?? 0);
    const units = one.kind === "per_weight" ? begunUnits(billable, one.weightUnit ?? "lb") : 1;
    const cents =
      one.kind === "percent" ? share(net, millionths(one.percent!), ...kept) : share(each * units, 10_000, ...kept);
    if (cents === 0) continue;
    lines[one.code] = cents;
    if (one.isFuelApplied !== false) fuelable += cents;
  }

  const { fuel } = card;
  if (fuel) {
    const table = fuel.table ?? [{ from: "", percent: fuel.percent! }];
    const percent = (table.findLast((entry) => entry.from <= day) ?? table[0]!).percent;
    const of = { base_list: list, base_net: net, subtotal: fuelable }[fuel.appliesTo];
    const cents = share(of, millionths(percent), 1_000_000 - millionths(fuel.discountPercent ?? 0));
    if (cents > 0) lines.fuel = cents;
  }
  return { zone, reason: null, cents: Object.values(lines).reduce((sum, line) => sum + line, 0), lines };
}

import type { BookCharge, BookParcel } from "./invoice-book.ts";

/**
 * A contract, a second calculation of its prices in plain arithmetic, and parcels that are billed right or with one planted error.
 * Nothing here is shared with the code that audits invoices. Amounts are in cents.
 */
type Terms = { from: string; percent: number; factor: number };

/** From April on prices are 10 % higher, and fuel is 12 %. */
const terms: Terms[] = [
  { from: "2026-01-01", percent: 10, factor: 10 },
  { from: "2026-04-01", percent: 12, factor: 11 },
];
const listOf = (zone: "2" | "8", pounds: number, factor: number): number =>
  ((zone === "2" ? 800 + 50 * pounds : 1200 + 110 * pounds) * factor) / 10;
const heaviest = 40;

/** The two cards of the contract. */
export function auditCards(unit: "lb" | "kg"): object[] {
  const rows = Array.from({ length: heaviest }, (_, index) => index + 1);
  return terms.map(({ from, percent, factor }) => {
    const service = {
      weightBreaks: rows.map((upTo) => ({ upTo, unit })),
      rates: Object.fromEntries(
        (["2", "8"] as const).map((zone) => [zone, rows.map((pounds) => listOf(zone, pounds, factor) / 100)]),
      ),
      dim: { divisor: 139 },
      discounts: [{ percent: 30 }],
      minimum: { amount: 7 },
      transitDays: { "2": 1, "8": 4 },
    };
    return {
      name: `Contract from ${from}`,
      effectiveFrom: from,
      zoneScheme: "ups",
      services: [
        { code: "GROUND", level: "ground", ...service },
        { code: "2DAY", level: "two_day", ...service, isGuaranteed: true },
      ],
      surcharges: [
        { code: "RES", label: "Residential", kind: "fixed", amount: 4.5, when: { residential: true } },
        { code: "AHC", label: "Additional Handling", kind: "fixed", amount: 18, when: { longestSideOver: 48 } },
      ],
      fuel: { percent, appliesTo: "subtotal" },
    };
  });
}

export type Facts = { day: string; zone: "2" | "8"; pounds: number; isHome: boolean; isLong?: boolean };
type Priced = { list: number; off: number; net: number; home: number; handling: number; fuel: number; total: number };

const round = (cents: number): number => Math.floor(cents + 0.5);

export function priceOf({ day, zone, pounds, isHome, isLong = false }: Facts): Priced {
  const { percent, factor } = terms.findLast(({ from }) => from <= day)!;
  const list = listOf(zone, Math.ceil(pounds), factor);
  const net = Math.max(700, list - round(list * 0.3));
  const home = isHome ? 450 : 0;
  const handling = isLong ? 1800 : 0;
  const fuel = round(((net + home + handling) * percent) / 100);
  return { list, off: list - net, net, home, handling, fuel, total: net + home + handling + fuel };
}

const fuelOn = (cents: number, day: string): number =>
  round((cents * terms.findLast(({ from }) => from <= day)!.percent) / 100);

type Planted = { kind: string; amount: number; code?: string };
/** `isTwice`: the file has the parcel twice. */
export type AuditParcel = BookParcel & { planted: Planted[]; isTwice?: true };

const chargesOf = (price: Priced, service = "Ground"): BookCharge[] => [
  { kind: "base", code: "3", name: service, gross: price.list, off: price.off },
  { kind: "fuel", code: "FSC", name: "Fuel Surcharge", gross: price.fuel, off: 0 },
  ...(price.home === 0
    ? []
    : [{ kind: "surcharge" as const, code: "RES", name: "Residential Surcharge", gross: price.home, off: 0 }]),
  ...(price.handling === 0
    ? []
    : [{ kind: "surcharge" as const, code: "AHC", name: "Additional Handling", gross: price.handling, off: 0 }]),
];

export function aParcel(tracking: string, facts: Facts, more: Partial<AuditParcel> = {}): AuditParcel {
  return {
    tracking,
    day: facts.day,
    service: "Ground",
    zone: facts.zone,
    pounds: facts.pounds,
    billedPounds: Math.ceil(facts.pounds),
    reference: tracking,
    fromZip: "07114",
    toZip: facts.zone === "2" ? "10001" : "90210",
    charges: chargesOf(priceOf(facts), more.service),
    sides: null,
    isByWeight: true,
    planted: [],
    ...more,
  };
}

/** Adds to a charge of the parcel, and the fuel on it. */
function overcharge(parcel: AuditParcel, facts: Facts, change: (charges: BookCharge[]) => number): AuditParcel {
  const before = priceOf(facts);
  const over = change(parcel.charges);
  const fuel = parcel.charges.find(({ kind }) => kind === "fuel")!;
  fuel.gross = fuelOn(before.net + before.home + before.handling + over, facts.day);
  return parcel;
}

type Plant = (tracking: string, facts: Facts) => AuditParcel;

const overFuel = (facts: Facts, over: number): number => {
  const { net, home, handling, fuel } = priceOf(facts);
  return over + fuelOn(net + home + handling + over, facts.day) - fuel;
};

const chargeError = (kind: string, over: number, change: (charges: BookCharge[]) => void, code?: string): Plant => {
  return (tracking, facts) => {
    const planted = [{ kind, amount: overFuel(facts, over), ...(code && { code }) }];
    return overcharge(aParcel(tracking, facts, { planted }), facts, (charges) => {
      change(charges);
      return over;
    });
  };
};
const find = (charges: BookCharge[], code: string): BookCharge => charges.find((charge) => charge.code === code)!;

/** Each plants one error into a parcel that is otherwise billed right. */
export const plants: Record<string, Plant> = {
  base_rate: chargeError("base_rate", 300, (charges) => (find(charges, "3").gross += 300)),
  discount: chargeError("discount", 150, (charges) => (find(charges, "3").off -= 150)),
  surcharge: (tracking, facts) =>
    chargeError(
      "surcharge",
      100,
      (charges) => (find(charges, "RES").gross += 100),
      "residential",
    )(tracking, {
      ...facts,
      isHome: true,
    }),
  unknown_surcharge: chargeError(
    "surcharge",
    325,
    (charges) => charges.push({ kind: "surcharge", code: "SIG", name: "Signature Required", gross: 325, off: 0 }),
    "signature",
  ),
  repeated_surcharge: (tracking, facts) =>
    chargeError(
      "duplicate",
      450,
      (charges) => charges.push({ ...find(charges, "RES") }),
      "residential",
    )(tracking, {
      ...facts,
      isHome: true,
    }),
  minimum: (tracking, { day }) => {
    const facts: Facts = { day: "2026-02-02", zone: "2", pounds: 1, isHome: false };
    if (priceOf(facts).net !== 700) throw new Error(`The parcel of ${day} must cost the minimum.`);
    return chargeError("minimum", 60, (charges) => (find(charges, "3").off -= 60))(tracking, facts);
  },
  fuel: (tracking, facts) => {
    const parcel = aParcel(tracking, facts);
    const over = 95;
    find(parcel.charges, "FSC").gross += over;
    return { ...parcel, planted: [{ kind: "fuel", amount: over }] };
  },
  weight: (tracking, facts) => {
    const billed = { ...facts, pounds: Math.ceil(facts.pounds) + 4 };
    const amount = priceOf(billed).total - priceOf(facts).total;
    const charges = chargesOf(priceOf(billed));
    return aParcel(tracking, facts, { charges, billedPounds: billed.pounds, planted: [{ kind: "weight", amount }] });
  },
  repeated_transport: (tracking, facts) => {
    const planted = [{ kind: "duplicate", amount: priceOf(facts).total }];
    return aParcel(tracking, facts, { planted, isTwice: true });
  },
};

/** Errors that need a zone, a size or a day of delivery on the invoice. */
export const furtherPlants: Record<string, Plant> = {
  zone: (tracking, facts) => {
    const near: Facts = { ...facts, zone: "2" };
    const far: Facts = { ...facts, zone: "8" };
    const amount = priceOf(far).total - priceOf(near).total;
    const charges = chargesOf(priceOf(far));
    return aParcel(tracking, near, { zone: "8", charges, planted: [{ kind: "zone", amount }] });
  },
  /** 16 x 12 x 10 in are 1,920 / 139 = 13.8 lb, so 14; billed are 17. */
  dimensions: (tracking, facts) => {
    const small: Facts = { ...facts, pounds: 3 };
    const amount = priceOf({ ...facts, pounds: 17 }).total - priceOf({ ...facts, pounds: 14 }).total;
    const charges = chargesOf(priceOf({ ...facts, pounds: 17 }));
    const planted = [{ kind: "dimensions", amount }];
    return aParcel(tracking, small, { charges, billedPounds: 17, sides: [16, 12, 10], isByWeight: false, planted });
  },
  /** Two days promised by the contract: four to zone 8, one to zone 2. */
  late_delivery: (tracking, facts) => {
    const day = "2026-02-02";
    const late: Facts = { ...facts, day, zone: "8" };
    const planted = [{ kind: "late_delivery", amount: priceOf(late).total }];
    return aParcel(tracking, late, { service: "2 Day", delivered: "2026-02-09", planted });
  },
};

import { saysHome } from "../../carriers/rate-card/service-level.ts";
import { toCents } from "../../core/money.ts";
import { isInUnitedStates } from "../../core/country-codes.ts";
import { findCountry } from "../../core/region-names.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";

/** How an item relates to earlier ones. true: a duplicate; "line": another charge of the same parcel. */
export type Repeats = boolean | "line";
export type NewItem = ItemRequest & { repeats: Repeats; facts?: ParcelFacts };

/** Facts of a parcel that its first charge line lacks. */
export type ParcelFacts = Partial<{
  originZip: string;
  originCity: string;
  originState: string;
  destinationZip: string;
  destinationCity: string;
  destinationState: string;
  weight: Weight;
  dimensions: Dimensions;
  residential: boolean;
  shipDate: string;
  currency: string;
  foreignCountry: string;
  /** Candidate service names, in the order of the lines. */
  services: string[];
  /** One of its charges is for residential delivery. */
  isHome: boolean;
  /** The lead tracking number of its shipment. */
  lead: string;
}>;

export type SeveralCharges = { position: number; cents: number; facts: ParcelFacts };

export type Parcels = {
  /** Relates these items to the ones before them. */
  number(items: ItemRequest[]): NewItem[];
  /** The parcels with several charges, by the position of the first. */
  several(): SeveralCharges[];
  /** The distinct ship dates. */
  shipDays(): string[];
};

type FactName = Exclude<keyof ParcelFacts, "services" | "isHome" | "lead">;
type FactReaders = { [Name in FactName]: (item: ItemRequest) => ParcelFacts[Name] | undefined };

const written = (text: string | undefined): string | undefined => (text?.trim() ? text : undefined);

/** Reads each fact from a line; undefined: missing. */
const readers: FactReaders = {
  originZip: (item) => written(item.originZip),
  originCity: (item) => written(item.originCity),
  originState: (item) => written(item.originState),
  destinationZip: (item) => written(item.destinationZip),
  destinationCity: (item) => written(item.destinationCity),
  destinationState: (item) => written(item.destinationState),
  weight: ({ weight }) => (isKnown(weight) ? weight : undefined),
  dimensions: (item) => item.dimensions,
  residential: (item) => item.residential ?? undefined,
  shipDate: (item) => item.shipDate,
  currency: (item) => item.currency,
  foreignCountry: (item) => foreignCountryOf(item) ?? undefined,
};
const factNames = Object.keys(readers) as FactName[];

/** Exports write 0 for an unknown weight. */
export function isKnown(weight: ItemRequest["weight"]): weight is Weight {
  return weight !== undefined && weight.value > 0;
}

export function foreignCountryOf({ originCountry, destinationCountry }: ItemRequest): string | null {
  for (const text of [originCountry, destinationCountry]) {
    const name = text?.trim();
    if (!name) continue;
    const code = findCountry(name)?.alpha2 ?? name.toUpperCase();
    if (!isInUnitedStates(code)) return code;
  }
  return null;
}

/** A charge line reduced to numbers, since up to 250,000 are kept in memory. `lacks`: one bit per missing fact. */
type Line = { print: number; cents: number; lacks: number; service: number; charge: number };
type FirstLine = Line & { position: number; lead: string | undefined };
type Parcel = {
  cents: number;
  lacks: number;
  prints: Set<number>;
  facts: ParcelFacts;
  services: Set<number>;
  charges: Set<number>;
};

/**
 * Groups charge lines by parcel while items arrive, and takes each fact of a parcel from the first line that has it. Keeps
 * only a few numbers per item.
 */
export function gatherParcels(printOf: (item: ItemRequest) => string): Parcels {
  const firstLines = new Map<string, FirstLine>();
  const parcels = new Map<number, Parcel>();
  const names = createNames();
  const shipDays = new Set<string>();
  let count = 0;

  function lineOf(item: ItemRequest): Line {
    return {
      print: fingerprint(printOf(item)),
      cents: toCents(item.netCost),
      lacks: factNames.reduce((bits, name, bit) => (readers[name](item) === undefined ? bits | (1 << bit) : bits), 0),
      service: names.numberOf(item.serviceType),
      charge: names.numberOf(item.chargeType),
    };
  }

  function addLine(parcel: Parcel, item: ItemRequest, line: Line): void {
    parcel.prints.add(line.print);
    parcel.cents += line.cents;
    parcel.services.add(line.service);
    parcel.charges.add(line.charge);
    for (const [bit, name] of factNames.entries()) {
      if ((parcel.lacks & ~line.lacks & (1 << bit)) === 0) continue;
      Object.assign(parcel.facts, { [name]: readers[name](item) });
    }
    parcel.lacks &= line.lacks;
    if (item.leadTrackingNumber !== undefined) parcel.facts.lead ??= item.leadTrackingNumber;
  }

  function numberOne(item: ItemRequest): NewItem {
    const position = count++;
    if (item.shipDate !== undefined) shipDays.add(item.shipDate);
    const line = lineOf(item);
    const first = firstLines.get(item.trackingNumber);
    if (!first) firstLines.set(item.trackingNumber, { position, lead: item.leadTrackingNumber, ...line });
    const { leadTrackingNumber: lead } = item;
    const named = factsOf([item.serviceType], [item.chargeType]);
    const facts = lead === undefined ? named : { ...named, lead };
    const alone: NewItem = { ...item, repeats: false, ...(facts && { facts }) };
    if (!first) return alone;
    const parcel = parcels.getOrInsertComputed(first.position, () => startParcel(first));
    if (parcel.prints.has(line.print)) return { ...alone, repeats: true };
    addLine(parcel, item, line);
    return { ...alone, repeats: "line" };
  }

  return {
    number: (items) => items.map(numberOne),
    several: () =>
      [...parcels]
        .filter(([, { prints }]) => prints.size > 1)
        .map(([position, { cents, facts, services, charges }]) => {
          const told = [services, charges].map((numbers) => Array.from(numbers, names.nameOf));
          return { position, cents, facts: { ...facts, ...factsOf(told[0]!, told[1]!) } };
        }),
    shipDays: () => [...shipDays],
  };
}

function startParcel({ print, cents, lacks, service, charge, lead }: FirstLine): Parcel {
  return {
    cents,
    lacks,
    prints: new Set([print]),
    facts: lead === undefined ? {} : { lead },
    services: new Set([service]),
    charges: new Set([charge]),
  };
}

type Names = readonly (string | undefined)[];

/** Invoices without a service column name the service in the freight charge. */
function factsOf(services: Names, charges: Names): Pick<ParcelFacts, "services" | "isHome"> | undefined {
  const [named, charged] = [services.flatMap(toName), charges.flatMap(toName)];
  const candidates = named.length > 0 ? named : charged;
  // The line's own service name need not be stored again.
  const isOwn = candidates.length === named.length && (services.length === 1 || named.length === 0);
  const isHome = (isOwn ? charged : [...named, ...charged]).some((name) => saysHome(name) === true);
  if (isOwn && !isHome) return undefined;
  return { ...(isOwn ? {} : { services: candidates }), ...(isHome && { isHome }) };
}

function toName(name: string | undefined): string[] {
  return name === undefined || name.trim() === "" ? [] : [name];
}

/** Interns names: the same few occur in thousands of lines. */
function createNames() {
  const numbers = new Map<string | undefined, number>();
  const names: (string | undefined)[] = [];
  return {
    numberOf: (name: string | undefined): number => numbers.getOrInsertComputed(name, () => names.push(name) - 1),
    nameOf: (index: number): string | undefined => names[index],
  };
}

/** A 53-bit hash. Among 250,000 texts, the probability of a collision is about one in a hundred thousand. */
function fingerprint(text: string): number {
  let [a, b] = [0x81_1c_9d_c5, 0x12_34_56_78];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01_00_01_93);
    b = Math.imul(b ^ code, 0x85_eb_ca_6b) ^ (b >>> 13);
  }
  return (a >>> 0) * 2 ** 21 + ((b >>> 0) & 0x1f_ff_ff);
}

import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import { toMg, toSides } from "../../carriers/rate-card/measures.ts";
import { normaliseZip, stateOfPlace } from "../../carriers/zones/zip.ts";
import type { Ctx } from "../../context.ts";
import type { WeighedParcel } from "../shipments/shipments.ts";
import { findWeighedParcels } from "../shipments/shipments.ts";
import type { ParcelFacts } from "./gather-parcels.ts";
import type { RateItem, Rater, RateResult } from "./rate-item.ts";
import { rateItem } from "./rate-item.ts";
import type { StoredInput } from "./rate-items.store.ts";
import * as items from "./rate-items.store.ts";
import type { Totals } from "./tally.ts";
import { addItem } from "./tally.ts";

/** So many items are read at a time. */
const portionSize = 2_500;
/** So few are priced before others get a turn that what they needed is still young, and cheap, when it is thrown away. */
const sliceSize = 250;

type Portion = { lines: string[]; parcels: ReadonlyMap<number, WeighedParcel> };
type Reading = { from: number; portion: Promise<Portion> };

export type RatingPass = {
  /** Prices these items in their order, adds each to the totals and hands it over. Yields after every few of them. */
  rate(
    from: number,
    to: number,
    totals: Totals,
    take: (position: number, input: StoredInput, result: RateResult) => void,
  ): AsyncGenerator<void>;
};

/** Goes through the items of a comparison. They never change, so the next ones are read while these are priced. */
export function startPass(ctx: Ctx, comparison: { id: string; item_count: number }, rater: Rater): RatingPass {
  let ahead: Reading | undefined;

  function startReading(from: number): Reading {
    const portion = readPortion(ctx, comparison.id, from);
    // Whoever waits for it gets the failure; nobody may be waiting any more.
    portion.catch(() => {});
    return { from, portion };
  }

  async function read(from: number): Promise<Portion> {
    const { portion } = ahead?.from === from ? ahead : startReading(from);
    const next = from + portionSize;
    const found = await portion;
    ahead = next < comparison.item_count ? startReading(next) : undefined;
    return found;
  }

  return {
    async *rate(from, to, totals, take) {
      for (let start = from; start < to; start += portionSize) {
        const { lines, parcels } = await read(start);
        const end = Math.min(to, start + portionSize);
        for (let position = start; position < end;) {
          for (const sliceEnd = Math.min(end, position + sliceSize); position < sliceEnd; position++) {
            const input = JSON.parse(lines[position - start]!) as StoredInput;
            take(position, input, rateInput(rater, input, parcels.get(position), position, totals));
          }
          yield;
          await yieldToEventLoop();
        }
      }
    },
  };
}

/** With what the organization's own shipments say about items that came without a weight. */
async function readPortion(ctx: Ctx, comparisonId: string, from: number): Promise<Portion> {
  const [lines, unweighed] = await Promise.all([
    items.readInputLines(ctx.db, comparisonId, from, portionSize),
    items.listUnweighed(ctx.db, comparisonId, from, portionSize),
  ]);
  const numbers = unweighed.map((item) => item.tracking_number);
  const byNumber = await findWeighedParcels(ctx, ctx.db, numbers);
  const parcels = unweighed.flatMap(({ position, tracking_number }) => {
    const parcel = byNumber.get(tracking_number);
    return parcel ? [[position, parcel] as const] : [];
  });
  return { lines, parcels: new Map(parcels) };
}

function rateInput(
  rater: Rater,
  input: StoredInput,
  shipment: WeighedParcel | undefined,
  position: number,
  totals: Totals,
): RateResult {
  const item = toRateItem(input, shipment, rater.duplicates === "sum");
  const result = rateItem(rater, item);
  const counted = {
    position,
    netCents: result.sourceCents,
    serviceType: result.sourceService ?? item.serviceType,
    originState: stateAt(item.origin),
    destinationState: stateAt(item.destination),
  };
  addItem(totals, counted, result);
  return result;
}

/** `isWholeParcel`: what the other charge lines of its parcel say counts as well. */
export function toRateItem(input: StoredInput, shipment: WeighedParcel | undefined, isWholeParcel: boolean): RateItem {
  const [netCents, serviceType, originZip, originState, destinationZip, destinationState] = input;
  const [
    ,
    ,
    ,
    ,
    ,
    ,
    value,
    unit,
    size,
    sizeUnit,
    residential,
    shipDate,
    currency,
    repeats,
    foreignCountry,
    charged,
    known,
  ] = input;
  const chargedCents = charged ?? undefined;
  const facts = known !== undefined && (isWholeParcel || chargedCents === undefined) ? known : noFacts;
  const isWeighed = value !== null && value > 0 && unit !== null;
  const weight = isWeighed ? { value, unit } : facts.weight;
  const isWeightOfShipment = weight === undefined && shipment !== undefined && shipment.weight.value > 0;
  const sides =
    size === null || sizeUnit === null
      ? facts.dimensions
      : { length: size[0], width: size[1], height: size[2], unit: sizeUnit };
  return {
    netCents,
    chargedCents,
    serviceType,
    services: servicesOf(serviceType, facts, shipment),
    origin: { zip: facts.originZip ?? originZip, state: facts.originState ?? originState },
    destination: { zip: facts.destinationZip ?? destinationZip, state: facts.destinationState ?? destinationState },
    weightMg: weight ? toMg(weight) : isWeightOfShipment ? toMg(shipment.weight) : null,
    isWeightOfShipment,
    sides: sides && toSides(sides),
    residential: residential ?? facts.residential ?? null,
    hasHomeCharge: facts.isHome ?? false,
    shipDate: shipDate ?? facts.shipDate ?? null,
    currency: currency ?? facts.currency ?? null,
    repeats,
    foreignCountry: foreignCountry ?? facts.foreignCountry ?? null,
  };
}

const noFacts: ParcelFacts = {};

/** The names that its service may be under; that of our own shipment where no line of the invoice has one. */
function servicesOf(
  serviceType: string,
  { services }: ParcelFacts,
  shipment: WeighedParcel | undefined,
): readonly string[] {
  if (services) return services;
  return [serviceType.trim() === "" ? (shipment?.service ?? serviceType) : serviceType];
}

function stateAt({ zip, state }: RateItem["origin"]): string {
  return stateOfPlace(state, normaliseZip(zip)) ?? "";
}

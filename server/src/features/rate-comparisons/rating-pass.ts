import { giveWay } from "../../core/give-way.ts";
import { toMg, toSides } from "../../carriers/rate-card/measures.ts";
import { normaliseZip, stateOfPlace } from "../../carriers/zones/zip.ts";
import type { Ctx } from "../../context.ts";
import type { WeighedParcel } from "../shipments/shipments.ts";
import { findWeighedParcels } from "../shipments/shipments.ts";
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
          await giveWay();
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
  parcel: WeighedParcel | undefined,
  position: number,
  totals: Totals,
): RateResult {
  const item = toRateItem(input, parcel);
  const result = rateItem(rater, item);
  const counted = {
    position,
    netCents: result.sourceCents,
    serviceType: item.serviceType,
    originState: stateAt(item.origin),
    destinationState: stateAt(item.destination),
  };
  addItem(totals, counted, result);
  return result;
}

export function toRateItem(input: StoredInput, parcel: WeighedParcel | undefined): RateItem {
  const [netCents, serviceType, originZip, originState, destinationZip, destinationState] = input;
  const [, , , , , , value, unit, size, sizeUnit, residential, shipDate, currency, repeats, abroad, chargedCents] =
    input;
  const isWeighed = value !== null && value > 0 && unit !== null;
  return {
    netCents,
    chargedCents,
    serviceType: serviceType.trim() === "" ? (parcel?.service ?? serviceType) : serviceType,
    origin: { zip: originZip, state: originState },
    destination: { zip: destinationZip, state: destinationState },
    weightMg: isWeighed ? toMg({ value, unit }) : parcel && parcel.weight.value > 0 ? toMg(parcel.weight) : null,
    isWeightOfShipment: parcel !== undefined,
    sides:
      size === null || sizeUnit === null
        ? undefined
        : toSides({ length: size[0], width: size[1], height: size[2], unit: sizeUnit }),
    residential,
    shipDate,
    currency,
    repeats,
    abroad: abroad ?? null,
  };
}

function stateAt({ zip, state }: RateItem["origin"]): string {
  return stateOfPlace(state, normaliseZip(zip)) ?? "";
}

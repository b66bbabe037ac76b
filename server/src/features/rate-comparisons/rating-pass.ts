import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import { toMg, toSides } from "../../carriers/rate-card/measures.ts";
import type { Piece } from "../../carriers/rate-card/price.ts";
import { normaliseZip, stateOfPlace } from "../../carriers/zones/zip.ts";
import type { Ctx } from "../../context.ts";
import type { WeighedParcel } from "../shipments/shipments.ts";
import { findWeighedParcels } from "../shipments/shipments.ts";
import type { ParcelFacts } from "./gather-parcels.ts";
import type { RateItem, Rater } from "./rater.ts";
import type { RateResult } from "./rate-item.ts";
import { rateItem } from "./rate-item.ts";
import type { Pieces } from "./gather-shipments.ts";
import { startShipments } from "./gather-shipments.ts";
import type { StoredInput } from "./rate-items.store.ts";
import * as items from "./rate-items.store.ts";
import { inputAt } from "./rate-items.store.ts";
import type { Totals } from "./tally.ts";
import { addItem } from "./tally.ts";

/** Items per read. */
const batchSize = 2_500;
/** Prices made before yielding to the event loop. Few enough that their garbage is still in the young generation. */
const sliceSize = 250;

type Batch = { lines: string[]; parcels: ReadonlyMap<number, WeighedParcel> };
type Reading = { from: number; batch: Promise<Batch> };

/** The item, and its prices with the other raters. */
type PricedAlso = { item: RateItem; others: readonly RateResult[] };

export type RatingPass = {
  /** Prices these items in order, adds each to the totals and passes it to `take`. Yields after every slice. */
  rate(
    from: number,
    to: number,
    totals: Totals,
    take: (position: number, input: StoredInput, result: RateResult, more: PricedAlso) => void,
    totalsOfOthers?: readonly Totals[],
  ): AsyncGenerator<void>;
};

/**
 * One pass over the items of a comparison. They never change, so the next batch is read while the current one is priced.
 * `others`: each item is also priced with these, which have the same options.
 */
export function startPass(
  ctx: Ctx,
  comparison: { id: string; item_count: number },
  rater: Rater,
  others: readonly Rater[] = [],
): RatingPass {
  const itemsPerSlice = Math.ceil(sliceSize / (1 + others.length));
  let ahead: Reading | undefined;
  let pieces: Pieces[] | undefined;

  /** Parcels of the same shipment may be far apart, so shipments are found before the first price. By rater. */
  async function findPieces(): Promise<Pieces[]> {
    const gathered = [rater, ...others].map(startShipments);
    const shipments = gathered.filter((one) => one !== undefined);
    for (let start = 0; shipments.length > 0 && start < comparison.item_count; start += batchSize) {
      const { lines, parcels } = await readBatch(ctx, comparison.id, start);
      for (const [index, line] of lines.entries()) {
        const belongs = shipments.filter((one) => one.mayBelong(line));
        if (belongs.length === 0) continue;
        const position = start + index;
        const input = JSON.parse(line) as StoredInput;
        const item = toRateItem(input, parcels.get(position), rater.duplicates === "sum");
        for (const one of belongs) one.add(position, item);
        if (index % sliceSize === 0) await yieldToEventLoop();
      }
    }
    return gathered.map((one) => one?.pieces() ?? noPieces);
  }

  function startReading(from: number): Reading {
    const batch = readBatch(ctx, comparison.id, from);
    // `read` handles the failure; this prevents an unhandled rejection if the pass ends before.
    batch.catch(() => {});
    return { from, batch };
  }

  async function read(from: number): Promise<Batch> {
    const { batch } = ahead?.from === from ? ahead : startReading(from);
    const next = from + batchSize;
    const found = await batch;
    ahead = next < comparison.item_count ? startReading(next) : undefined;
    return found;
  }

  return {
    async *rate(from, to, totals, take, totalsOfOthers = []) {
      const [own, ...borne] = (pieces ??= await findPieces());
      for (let start = from; start < to; start += batchSize) {
        const { lines, parcels } = await read(start);
        const end = Math.min(to, start + batchSize);
        for (let position = start; position < end;) {
          for (const sliceEnd = Math.min(end, position + itemsPerSlice); position < sliceEnd; position++) {
            const input = JSON.parse(lines[position - start]!) as StoredInput;
            const item = toRateItem(input, parcels.get(position), rater.duplicates === "sum");
            const result = rateInput(rater, item, position, totals, own!.get(position));
            const also = others.map((other, index) =>
              rateInput(other, item, position, totalsOfOthers[index]!, borne[index]!.get(position)),
            );
            take(position, input, result, { item, others: also });
          }
          yield;
          await yieldToEventLoop();
        }
      }
    },
  };
}

const noPieces: Pieces = new Map();

/** Reads a batch, with the organization's shipments of the items without a weight. */
async function readBatch(ctx: Ctx, comparisonId: string, from: number): Promise<Batch> {
  const [lines, unweighed] = await Promise.all([
    items.readInputLines(ctx.db, comparisonId, from, batchSize),
    items.listUnweighed(ctx.db, comparisonId, from, batchSize),
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
  item: RateItem,
  position: number,
  totals: Totals,
  piece: Piece | undefined,
): RateResult {
  const result = rateItem(rater, item, piece);
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

/** `isWholeParcel`: completed with the facts of the other charge lines of the parcel. */
export function toRateItem(input: StoredInput, shipment: WeighedParcel | undefined, isWholeParcel: boolean): RateItem {
  const chargedCents = input[inputAt.chargedCents] ?? undefined;
  const known = input[inputAt.facts];
  const serviceType = input[inputAt.serviceType];
  const facts = known !== undefined && (isWholeParcel || chargedCents === undefined) ? known : noFacts;
  const [value, unit] = [input[inputAt.weightValue], input[inputAt.weightUnit]];
  const isWeighed = value !== null && value > 0 && unit !== null;
  const weight = isWeighed ? { value, unit } : facts.weight;
  const isWeightOfShipment = weight === undefined && shipment !== undefined && shipment.weight.value > 0;
  const [size, sizeUnit] = [input[inputAt.dimensions], input[inputAt.dimensionUnit]];
  const sides =
    size === null || sizeUnit === null
      ? facts.dimensions
      : { length: size[0], width: size[1], height: size[2], unit: sizeUnit };
  return {
    netCents: input[inputAt.netCents],
    chargedCents,
    serviceType,
    services: servicesOf(serviceType, facts, shipment),
    origin: {
      zip: facts.originZip ?? input[inputAt.originZip],
      state: facts.originState ?? input[inputAt.originState],
    },
    destination: {
      zip: facts.destinationZip ?? input[inputAt.destinationZip],
      state: facts.destinationState ?? input[inputAt.destinationState],
    },
    weightMg: weight ? toMg(weight) : isWeightOfShipment ? toMg(shipment.weight) : null,
    isWeightOfShipment,
    sides: sides && toSides(sides),
    residential: input[inputAt.residential] ?? facts.residential ?? null,
    hasHomeCharge: facts.isHome ?? false,
    shipDate: input[inputAt.shipDate] ?? facts.shipDate ?? null,
    currency: input[inputAt.currency] ?? facts.currency ?? null,
    repeats: input[inputAt.repeats],
    foreignCountry: input[inputAt.foreignCountry] ?? facts.foreignCountry ?? null,
    lead: facts.lead,
  };
}

const noFacts: ParcelFacts = {};

/** Candidate service names; that of the shipment if no line of the invoice has one. */
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

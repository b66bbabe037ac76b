import type { ServiceLevel } from "../../carriers/rate-card/service-level.ts";
import { usualDays } from "../../carriers/rate-card/service-level.ts";
import { centsOf } from "../../carriers/seam/money.ts";
import type { Quote } from "../../carriers/seam/quotes.ts";
import type { Parcel, ShipOptions } from "../../carriers/seam/ship-options.ts";
import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import { toCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { CarrierOffer } from "../carrier-accounts/carrier-accounts.ts";
import { listCarrierOffers } from "../carrier-accounts/carrier-accounts.ts";
import type { CarrierResponse, Rater } from "../carrier-accounts/open-carrier.ts";
import { concurrencyOf, openRater } from "../carrier-accounts/open-carrier.ts";
import type { LabelQuote, OrderLabel } from "../labels/labels.ts";
import { listOrderLabels } from "../labels/labels.ts";
import { listLocationAddresses } from "../locations/locations.ts";
import type { CheckedAddress, checkNotFetched } from "./address-checks.ts";
import { createAddressChecks } from "./address-checks.ts";
import type { answerNotFetched, BridgeAnswer } from "./bridge-answers.ts";
import { createBridgeAnswers } from "./bridge-answers.ts";
import type { PriceProgress, PriceQueue } from "./price-queue.ts";
import { createPriceQueue } from "./price-queue.ts";

/** What to get prices for. */
export type ParcelToRate = {
  from: Address;
  to: Address;
  parcels: Parcel[];
  options: ShipOptions;
  /** A day such as 2026-01-31. */
  shipDate: string;
};

export type Price = {
  service: string;
  serviceName: string;
  totalCents: number;
  currency: string;
  /** From the contract, else the usual time of this service level. */
  transitDays: number | null;
  /** Bought with the label, so that the carrier sells at this price. */
  quote: LabelQuote;
};
/** Prices of an account by service, and why others have none. */
type Prices = { prices: Price[]; unavailable: { service: string; code: string; message: string }[] };
type Wanted = { key: string; accountId: string; parcel: ParcelToRate };
/** The price was not fetched yet: the caller fetches it and evaluates again. */
export const priceNotFetched = Symbol("not yet asked");

/**
 * Carrier data as actions see it, without any call. A price that is missing is recorded, `fetchPrices` gets it, and the pipeline is
 * evaluated again. So the evaluation stays a pure function, and no order is locked during a carrier request.
 */
export type CarrierDirectory = {
  offers: readonly CarrierOffer[];
  addressOf(locationId: string | null): Address | undefined;
  /** The order's labels as of `readLabels`. */
  labelsOf(orderId: string): readonly OrderLabel[];
  pricesOf(accountId: string, parcel: ParcelToRate): Prices | typeof priceNotFetched;
  /** What the carrier says about an address, fetched in the same way. */
  checkOf(accountId: string, address: Address): CheckedAddress | typeof checkNotFetched;
  /** What a bridge task answers, fetched in the same way. */
  answerOf(bridgeId: string, taskName: string, input: Record<string, unknown>): BridgeAnswer | typeof answerNotFetched;
};

export type OpenCarrierDirectory = CarrierDirectory & {
  readLabels(db: Queryable, orderIds: string[]): Promise<void>;
  /** A price or an address check was missing: the evaluation must be repeated. */
  hasMissingPrices(): boolean;
  /** Rejects when `signal` is aborted: carrier requests under way are aborted, and no further ones are sent. */
  fetchPrices(signal?: AbortSignal): Promise<void>;
  /** Between two batches: limits the memory that prices take. */
  forgetOldPrices(): void;
  /** By account that was asked for prices. */
  priceProgress(): (PriceProgress & { accountId: string; name: string })[];
};

/** A rate card is computed here: many parcels at a time would only delay other requests. */
const maxParcelsAtOnce = 50;
/** Prices that are kept for the next batch. */
const maxKnownPrices = 20_000;

type Answered = CarrierResponse<QuoteOrNot[]>;
type QuoteOrNot = Extract<Awaited<ReturnType<Rater["rate"]>>, { done: unknown }>["done"][number];

/** For any number of batches of orders, which share prices; `isNeeded`: a step of the pipeline reads carrier data. */
export async function openCarrierDirectory(ctx: Ctx, isNeeded: boolean): Promise<OpenCarrierDirectory> {
  const offers = isNeeded ? await listCarrierOffers(ctx) : [];
  const addresses = isNeeded ? await listLocationAddresses(ctx.db, ctx.orgId) : new Map<string, Address>();
  let labels = new Map<string, OrderLabel[]>();
  const known = new Map<string, Prices>();
  const wanted = new Map<string, Wanted>();
  const raters = new Map<string, Promise<Rater | Prices>>();
  const queues = new Map<string, PriceQueue<QuoteOrNot[]>>();
  const checks = createAddressChecks(ctx);
  const answers = createBridgeAnswers(ctx);

  const openOnce = async ({ accountId, parcel: { shipDate } }: Wanted): Promise<Rater | Prices> =>
    await raters.getOrInsertComputed(`${accountId} ${shipDate}`, () => openOrExplain(ctx, accountId, shipDate));

  async function askAccount(rater: Rater, parcels: Wanted[], signal?: AbortSignal): Promise<void> {
    const limit = Math.min(concurrencyOf(rater.open.carrier), maxParcelsAtOnce);
    const queue = queues.getOrInsertComputed(rater.open.account.id, () => createPriceQueue(limit));
    const requests = parcels.map(({ key, parcel }) => ({
      ask: (aborted: AbortSignal | undefined) => rater.rate(parcel, aborted),
      settle: (response: Answered) => void known.set(key, pricesIn(rater, response)),
    }));
    await queue.run(requests, signal);
  }

  return {
    offers,
    addressOf: (locationId) => (locationId === null ? undefined : addresses.get(locationId)),
    labelsOf: (orderId) => labels.get(orderId) ?? [],
    pricesOf(accountId, parcel) {
      const isLocal = offers.some(({ id, isRatedLocally }) => id === accountId && isRatedLocally);
      const { from, to, parcels, options, shipDate } = parcel;
      const places = isLocal ? [from, to].map(placeOf) : [from, to];
      const key = JSON.stringify([accountId, places, parcels, options, shipDate]);
      const found = known.get(key);
      if (!found) wanted.set(key, { key, accountId, parcel });
      return found ?? priceNotFetched;
    },
    checkOf: checks.checkOf,
    answerOf: answers.answerOf,
    async readLabels(db, orderIds) {
      if (isNeeded) labels = await listOrderLabels(db, ctx, orderIds);
    },
    hasMissingPrices: () => wanted.size > 0 || checks.hasMissing() || answers.hasMissing(),
    async fetchPrices(signal) {
      await checks.fetchMissing(signal);
      await answers.fetchMissing(signal);
      const byRater = new Map<Rater, Wanted[]>();
      for (const one of wanted.values()) {
        const rater = await openOnce(one);
        if ("rate" in rater) byRater.getOrInsertComputed(rater, () => []).push(one);
        else known.set(one.key, rater);
      }
      wanted.clear();
      await releaseSlotWhile(ctx, () =>
        Promise.all([...byRater].map(([rater, parcels]) => askAccount(rater, parcels, signal))),
      );
    },
    forgetOldPrices() {
      answers.forgetOld();
      if (known.size > maxKnownPrices) known.clear();
    },
    priceProgress: () =>
      [...queues].map(([accountId, queue]) => ({
        accountId,
        name: offers.find(({ id }) => id === accountId)?.name ?? "",
        ...queue.progress(),
      })),
  };
}

/** Many orders go to the same ZIP: a rate card gives them the same price. */
function placeOf({ zip, provinceCode, countryCode, country }: Address) {
  return { zip, provinceCode, countryCode, country };
}

async function openOrExplain(ctx: Ctx, accountId: string, shipDate: string): Promise<Rater | Prices> {
  try {
    return await openRater(ctx, accountId, shipDate);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { prices: [], unavailable: [{ service: "", code: error.code, message: error.message }] };
  }
}

function pricesIn({ open }: Rater, response: Answered): Prices {
  if (!("done" in response)) {
    const { code, message } =
      "rejected" in response ? response.rejected : { code: "carrier_failed", message: response.unknown };
    return { prices: [], unavailable: [{ service: "", code, message: `${open.account.name}: ${message}` }] };
  }
  const prices: Price[] = [];
  const unavailable: Prices["unavailable"] = [];
  for (const answer of response.done) {
    if ("reason" in answer) unavailable.push({ service: answer.service, code: answer.reason, message: answer.message });
    else prices.push(priceOf(answer));
  }
  return { prices, unavailable };
}

function priceOf(quote: Quote): Price {
  const { service, serviceName, total, currency, level, transitDays, deliverBy, expiresAt, carrierData, zone } = quote;
  return {
    service,
    serviceName,
    totalCents: toCents(total),
    currency,
    transitDays: transitDays ?? usualDays[level as ServiceLevel] ?? null,
    quote: { cents: centsOf(total, currency), currency, zone, transitDays, deliverBy, expiresAt, carrierData },
  };
}

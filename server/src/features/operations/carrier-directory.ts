import type { ServiceLevel } from "../../carriers/rate-card/service-level.ts";
import { usualDays } from "../../carriers/rate-card/service-level.ts";
import { centsOf } from "../../carriers/seam/money.ts";
import type { Quote } from "../../carriers/seam/quotes.ts";
import type { Parcel, ShipOptions } from "../../carriers/seam/ship-options.ts";
import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import { toCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { CarrierOffer } from "../carrier-accounts/carrier-accounts.ts";
import { listCarrierOffers } from "../carrier-accounts/carrier-accounts.ts";
import type { Rater } from "../carrier-accounts/open-carrier.ts";
import { openRater } from "../carrier-accounts/open-carrier.ts";
import type { LabelQuote, OrderLabel } from "../labels/labels.ts";
import { listOrderLabels } from "../labels/labels.ts";
import { listLocationAddresses } from "../locations/locations.ts";

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
};

export type OpenCarrierDirectory = CarrierDirectory & {
  readLabels(db: Queryable, orderIds: string[]): Promise<void>;
  /** A price was missing: the evaluation must be repeated. */
  hasMissingPrices(): boolean;
  fetchPrices(): Promise<void>;
};

const parcelsAtOnce = 50;

/** For one batch of orders; `isNeeded`: a step of the pipeline reads carrier data. */
export async function openCarrierDirectory(ctx: Ctx, isNeeded: boolean): Promise<OpenCarrierDirectory> {
  const offers = isNeeded ? await listCarrierOffers(ctx) : [];
  const addresses = isNeeded ? await listLocationAddresses(ctx.db, ctx.orgId) : new Map<string, Address>();
  let labels = new Map<string, OrderLabel[]>();
  const known = new Map<string, Prices>();
  const wanted = new Map<string, { accountId: string; parcel: ParcelToRate }>();
  const raters = new Map<string, Promise<Rater | Prices>>();

  async function price(key: string, accountId: string, parcel: ParcelToRate): Promise<void> {
    const { shipDate } = parcel;
    const contract = `${accountId} ${shipDate}`;
    const opening = raters.get(contract) ?? openOrExplain(ctx, accountId, shipDate);
    raters.set(contract, opening);
    const rater = await opening;
    known.set(key, "rate" in rater ? await pricesFrom(rater, parcel) : rater);
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
      if (!found) wanted.set(key, { accountId, parcel });
      return found ?? priceNotFetched;
    },
    async readLabels(db, orderIds) {
      if (isNeeded) labels = await listOrderLabels(db, ctx, orderIds);
    },
    hasMissingPrices: () => wanted.size > 0,
    async fetchPrices() {
      const questions = [...wanted];
      wanted.clear();
      for (let from = 0; from < questions.length; from += parcelsAtOnce) {
        const some = questions.slice(from, from + parcelsAtOnce);
        await Promise.all(some.map(([key, { accountId, parcel }]) => price(key, accountId, parcel)));
      }
    },
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

async function pricesFrom({ open, rate }: Rater, parcel: ParcelToRate): Promise<Prices> {
  const { from, to, options, parcels } = parcel;
  const response = await rate({ from, to, parcels, options });
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
  const { service, serviceName, total, currency, level, transitDays, deliverBy, expiresAt, carrierData } = quote;
  return {
    service,
    serviceName,
    totalCents: toCents(total),
    currency,
    transitDays: transitDays ?? usualDays[level as ServiceLevel] ?? null,
    quote: { cents: centsOf(total, currency), currency, transitDays, deliverBy, expiresAt, carrierData },
  };
}

import type { ServiceLevel } from "../../carriers/rate-card/service-level.ts";
import { usualDays } from "../../carriers/rate-card/service-level.ts";
import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import { toCents } from "../../core/money.ts";
import { countryOfAddress } from "../../core/time-zones.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { CarrierOffer } from "../carrier-accounts/carrier-accounts.ts";
import { listCarrierOffers } from "../carrier-accounts/carrier-accounts.ts";
import type { Rater } from "../carrier-accounts/open-carrier.ts";
import { openRater } from "../carrier-accounts/open-carrier.ts";
import type { OrderLabel } from "../labels/labels.ts";
import { listOrderLabels } from "../labels/labels.ts";
import { listLocationAddresses } from "../locations/locations.ts";
import { today } from "../organizations/organizations.ts";

/** A parcel whose price is asked for. */
export type ParcelToRate = { from: Address; to: Address; weight: Weight; dimensions: Dimensions | null };

export type Price = {
  service: string;
  serviceName: string;
  totalCents: number;
  currency: string;
  /** As the contract says, or else as services of this kind usually take. */
  transitDays: number | null;
};
/** What an account says: a price for each service, and why there is none. */
type Prices = { prices: Price[]; unavailable: { service: string; code: string; message: string }[] };
/** Nobody was asked yet: whoever evaluates asks, and evaluates once more. */
export const notYetAsked = Symbol("not yet asked");

/**
 * What actions may ask about carriers, at once and without calling anybody. Prices are not known at first: what is asked
 * for in vain is noted, `askCarriers` finds it out, and the same question has an answer then. So the evaluation of a
 * pipeline stays a plain calculation, and no order is locked while a carrier thinks.
 */
export type CarrierDesk = {
  offers: readonly CarrierOffer[];
  addressOf(locationId: string | null): Address | undefined;
  /** Of the order, as they were when it was read. */
  labelsOf(orderId: string): readonly OrderLabel[];
  pricesOf(accountId: string, parcel: ParcelToRate): Prices | typeof notYetAsked;
};

export type OpenDesk = CarrierDesk & {
  readLabels(db: Queryable, orderIds: string[]): Promise<void>;
  /** True when something was asked for that is not known: then the evaluation counts for nothing. */
  isWaiting(): boolean;
  askCarriers(): Promise<void>;
};

const parcelsAtOnce = 50;

/** For one pass over some orders; `isNeeded`: some step of the pipeline asks carriers. */
export async function openCarrierDesk(ctx: Ctx, isNeeded: boolean): Promise<OpenDesk> {
  const offers = isNeeded ? await listCarrierOffers(ctx) : [];
  const addresses = isNeeded ? await listLocationAddresses(ctx.db, ctx.orgId) : new Map<string, Address>();
  let labels = new Map<string, OrderLabel[]>();
  const known = new Map<string, Prices>();
  const wanted = new Map<string, { accountId: string; parcel: ParcelToRate }>();
  const raters = new Map<string, Promise<Rater | Prices>>();

  async function price(key: string, accountId: string, parcel: ParcelToRate): Promise<void> {
    const opening = raters.get(accountId) ?? openOrExplain(ctx, accountId);
    raters.set(accountId, opening);
    const rater = await opening;
    known.set(key, "rate" in rater ? await pricesFrom(rater, parcel) : rater);
  }

  return {
    offers,
    addressOf: (locationId) => (locationId === null ? undefined : addresses.get(locationId)),
    labelsOf: (orderId) => labels.get(orderId) ?? [],
    pricesOf(accountId, parcel) {
      const key = JSON.stringify([
        accountId,
        placeOf(parcel.from),
        placeOf(parcel.to),
        parcel.weight,
        parcel.dimensions,
      ]);
      const found = known.get(key);
      if (!found) wanted.set(key, { accountId, parcel });
      return found ?? notYetAsked;
    },
    async readLabels(db, orderIds) {
      if (isNeeded) labels = await listOrderLabels(db, ctx, orderIds);
    },
    isWaiting: () => wanted.size > 0,
    async askCarriers() {
      const questions = [...wanted];
      wanted.clear();
      for (let from = 0; from < questions.length; from += parcelsAtOnce) {
        const some = questions.slice(from, from + parcelsAtOnce);
        await Promise.all(some.map(([key, { accountId, parcel }]) => price(key, accountId, parcel)));
      }
    },
  };
}

/** Zones are those of the United States: digits of another country would be taken for a ZIP. */
function placeOf(address: Address): { zip?: string; state?: string } {
  const { zip, provinceCode } = address;
  if ((countryOfAddress(address) ?? "US") !== "US") return {};
  return { ...(zip === undefined ? {} : { zip }), ...(provinceCode === undefined ? {} : { state: provinceCode }) };
}

async function openOrExplain(ctx: Ctx, accountId: string): Promise<Rater | Prices> {
  try {
    return await openRater(ctx, accountId, await today(ctx));
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { prices: [], unavailable: [{ service: "", code: error.code, message: error.message }] };
  }
}

async function pricesFrom({ open, rate }: Rater, { from, to, weight, dimensions }: ParcelToRate): Promise<Prices> {
  const places = { origin: placeOf(from), destination: placeOf(to) };
  const said = await rate({ ...places, weight, ...(dimensions ? { dimensions } : {}) });
  if (!("done" in said)) {
    const { code, message } = "rejected" in said ? said.rejected : { code: "carrier_failed", message: said.unknown };
    return { prices: [], unavailable: [{ service: "", code, message: `${open.account.name}: ${message}` }] };
  }
  const prices: Price[] = [];
  const unavailable: Prices["unavailable"] = [];
  for (const answer of said.done) {
    const { service, serviceName } = answer;
    if ("reason" in answer) unavailable.push({ service, code: answer.reason, message: answer.message });
    else {
      const { total, currency, level } = answer;
      const transitDays = answer.transitDays ?? usualDays[level as ServiceLevel] ?? null;
      prices.push({ service, serviceName, totalCents: toCents(total), currency, transitDays });
    }
  }
  return { prices, unavailable };
}

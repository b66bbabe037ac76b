import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { AddressCheckAnswer } from "../carrier-accounts/carrier-accounts.schemas.ts";
import type { AddressChecker } from "../carrier-accounts/check-address.ts";
import { openAddressChecker } from "../carrier-accounts/check-address.ts";
import type { CarrierResponse } from "../carrier-accounts/open-carrier.ts";
import type { PriceQueue } from "./price-queue.ts";
import { createPriceQueue } from "./price-queue.ts";

/** The carrier could not be asked. */
type Failed = { code: string; message: string };
export type CheckedAddress = AddressCheckAnswer | Failed;

/** The check was not fetched yet: the caller fetches it and evaluates again. */
export const checkNotFetched = Symbol("not yet checked");

/** A carrier of the hub itself answers at once: more at a time would only delay other requests. */
const maxChecksAtOnce = 50;

type Wanted = { key: string; place: Address };

/** Address checks of carriers for any number of batches of orders, one call for each distinct address. */
export function createAddressChecks(ctx: Ctx) {
  const known = new Map<string, CheckedAddress>();
  const wanted = new Map<string, Wanted & { accountId: string }>();
  const queues = new Map<string, PriceQueue<AddressCheckAnswer>>();

  async function askAccount(accountId: string, places: Wanted[], signal: AbortSignal | undefined): Promise<void> {
    const checker = await openOrExplain(ctx, accountId);
    if ("code" in checker) {
      for (const { key } of places) known.set(key, checker);
      return;
    }
    const limit = Math.min(checker.concurrency, maxChecksAtOnce);
    const queue = queues.getOrInsertComputed(accountId, () => createPriceQueue(limit));
    const requests = places.map(({ key, place }) => ({
      ask: (aborted: AbortSignal | undefined) => checker.check(place, aborted),
      settle: (response: CarrierResponse<AddressCheckAnswer>) => void known.set(key, checkedIn(response)),
    }));
    await queue.run(requests, signal);
  }

  return {
    checkOf(accountId: string, address: Address): CheckedAddress | typeof checkNotFetched {
      const place = placeOf(address);
      const key = JSON.stringify([accountId, place]);
      const found = known.get(key);
      if (!found) wanted.set(key, { key, accountId, place });
      return found ?? checkNotFetched;
    },
    hasMissing: (): boolean => wanted.size > 0,
    /** Rejects when `signal` is aborted. */
    async fetchMissing(signal?: AbortSignal): Promise<void> {
      const byAccount = Map.groupBy([...wanted.values()], ({ accountId }) => accountId);
      wanted.clear();
      await releaseSlotWhile(ctx, () =>
        Promise.all([...byAccount].map(([accountId, places]) => askAccount(accountId, places, signal))),
      );
    },
  };
}

/** Without the person: many orders go to one house, and a carrier need not know whose they are. */
function placeOf({
  company,
  address1,
  address2,
  city,
  province,
  provinceCode,
  zip,
  country,
  countryCode,
}: Address): Address {
  const members = { company, address1, address2, city, province, provinceCode, zip, country, countryCode };
  return Object.fromEntries(Object.entries(members).filter(([, text]) => text !== undefined && text !== ""));
}

async function openOrExplain(ctx: Ctx, accountId: string): Promise<AddressChecker | Failed> {
  try {
    return await openAddressChecker(ctx, accountId);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function checkedIn(response: CarrierResponse<AddressCheckAnswer>): CheckedAddress {
  if ("done" in response) return response.done;
  return "rejected" in response ? response.rejected : { code: "carrier_failed", message: response.unknown };
}

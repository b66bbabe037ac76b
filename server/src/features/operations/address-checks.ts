import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { AddressCheckAnswer } from "../carrier-accounts/carrier-accounts.schemas.ts";
import { openAddressChecker } from "../carrier-accounts/check-address.ts";

/** The carrier could not be asked. */
type Failed = { code: string; message: string };
export type CheckedAddress = AddressCheckAnswer | Failed;

/** The check was not fetched yet: the caller fetches it and evaluates again. */
export const checkNotFetched = Symbol("not yet checked");

const checksAtOnce = 50;

type Checker = Awaited<ReturnType<typeof openAddressChecker>> | Failed;

/** Address checks of carriers for one batch of orders, one call for each distinct address. */
export function createAddressChecks(ctx: Ctx) {
  const known = new Map<string, CheckedAddress>();
  const wanted = new Map<string, { accountId: string; place: Address }>();
  const checkers = new Map<string, Promise<Checker>>();

  async function check(key: string, accountId: string, place: Address): Promise<void> {
    const opening = checkers.get(accountId) ?? openOrExplain(ctx, accountId);
    checkers.set(accountId, opening);
    const checker = await opening;
    known.set(key, "code" in checker ? checker : await answerOf(checker, place));
  }

  return {
    checkOf(accountId: string, address: Address): CheckedAddress | typeof checkNotFetched {
      const place = placeOf(address);
      const key = JSON.stringify([accountId, place]);
      const found = known.get(key);
      if (!found) wanted.set(key, { accountId, place });
      return found ?? checkNotFetched;
    },
    hasMissing: (): boolean => wanted.size > 0,
    async fetchMissing(): Promise<void> {
      const questions = [...wanted];
      wanted.clear();
      for (let from = 0; from < questions.length; from += checksAtOnce) {
        const some = questions.slice(from, from + checksAtOnce);
        await Promise.all(some.map(([key, { accountId, place }]) => check(key, accountId, place)));
      }
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

async function openOrExplain(ctx: Ctx, accountId: string): Promise<Checker> {
  try {
    return await openAddressChecker(ctx, accountId);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function answerOf(ask: Exclude<Checker, Failed>, place: Address): Promise<CheckedAddress> {
  const response = await ask(place);
  if ("done" in response) return response.done;
  return "rejected" in response ? response.rejected : { code: "carrier_failed", message: response.unknown };
}

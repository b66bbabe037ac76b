import { startEasypost } from "./easypost/stand-in-easypost.ts";
import { startFedex } from "./fedex/stand-in-fedex.ts";
import { startKarrio } from "./karrio/stand-in-karrio.ts";
import { startShipengine } from "./shipengine/stand-in-shipengine.ts";
import type { StandIn } from "./stand-in-api.ts";
import { startUps } from "./ups/stand-in-ups.ts";
import { startUsps } from "./usps/stand-in-usps.ts";

export type StandInOptions = { journalFile?: string; port?: number; now?: () => Date };
type Values = Record<string, unknown>;

/** The body of POST /carrier-accounts for an account that the stand-in accepts. */
export type AccountRequest = { name: string; carrier: string; settings: Values; credentials: Values };
export type StandInWithAccount<S extends StandIn = StandIn> = { standIn: S; account: AccountRequest };

/** Starts the stand-in of each carrier, with an account at it. */
export const startWithAccount = {
  easypost: async (options: StandInOptions = {}) => {
    const standIn = await startEasypost(options);
    return opened(standIn, "easypost", {}, { apiKey: standIn.productionKey });
  },
  shipengine: async (options: StandInOptions = {}) => {
    const standIn = await startShipengine(options);
    return opened(standIn, "shipengine", {}, { apiKey: standIn.apiKey });
  },
  karrio: async (options: StandInOptions = {}) => {
    const standIn = await startKarrio(options);
    return opened(standIn, "karrio", {}, { token: standIn.apiKey });
  },
  ups: async (options: StandInOptions = {}) => {
    const standIn = await startUps(options);
    const { accountNumber, clientId, clientSecret } = standIn;
    return opened(standIn, "ups", { accountNumber }, { clientId, clientSecret });
  },
  fedex: async (options: StandInOptions = {}) => {
    const standIn = await startFedex(options);
    const { accountNumber, clientId, clientSecret, trackClientId, trackClientSecret } = standIn;
    return opened(standIn, "fedex", { accountNumber }, { clientId, clientSecret, trackClientId, trackClientSecret });
  },
  /** With more calls an hour than USPS allows at first: tests and trials make more than 60. */
  usps: async (options: StandInOptions = {}) => {
    const standIn = await startUsps({ ...options, callsPerHour: Infinity });
    const { crid, mid, accountNumber, clientId, clientSecret } = standIn;
    return opened(standIn, "usps", { crid, mid, accountNumber, quotes: "api" }, { clientId, clientSecret });
  },
};

function opened<S extends StandIn>(
  standIn: S,
  carrier: string,
  settings: Values,
  credentials: Values,
): StandInWithAccount<S> {
  const account = {
    name: `Stand-in ${carrier}`,
    carrier,
    settings: { baseUrl: standIn.url, ...settings },
    credentials,
  };
  return { standIn, account };
}

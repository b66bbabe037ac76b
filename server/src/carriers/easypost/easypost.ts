import { accountProblem } from "../seam/account-problems.ts";
import type { AccountProblem, Carrier, CarrierCall } from "../seam/carrier.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { asList, asText } from "../seam/read.ts";
import { sendJson } from "../seam/json-api.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { labelFormats } from "../seam/ship-options.ts";
import { checkAddress } from "./easypost-address.ts";
import { api, apiUrl, get } from "./easypost-api.ts";
import { createLabel } from "./easypost-labels.ts";
import { createManifest } from "./easypost-manifests.ts";
import { cancelPickup, findPickup, schedulePickup } from "./easypost-pickups.ts";
import { rate } from "./easypost-rates.ts";
import { carrierAccounts } from "./easypost-shipment.ts";
import { track } from "./easypost-tracking.ts";
import { findVoid, voidLabel } from "./easypost-voids.ts";
import { readWebhook, subscribe } from "./easypost-webhooks.ts";

/** Test keys begin with EZTK, production keys with EZAK. */
function isTestKey(apiKey: unknown): boolean {
  return typeof apiKey === "string" && apiKey.startsWith("EZTK");
}

/** Carrier accounts can be listed with a production key only. */
async function testAccount(call: CarrierCall): Promise<AccountProblem[]> {
  try {
    await get(call, "/v2/shipments", { query: { page_size: 1 } });
    const wanted = carrierAccounts(call.settings);
    if (wanted.length === 0 || isTestKey(call.credentials.apiKey)) return [];
    const accounts = asList(await sendJson(api, call, { path: "/v2/carrier_accounts" }));
    const missing = wanted.filter((id) => !accounts.some((account) => asText(account.id) === id));
    return missing.map((id) => ({ part: "account", message: `EasyPost has no carrier account ${id} for this key.` }));
  } catch (error) {
    return [accountProblem(error)];
  }
}

export const easypost: Carrier = {
  name: "easypost",
  title: "EasyPost",
  description: "Rates, labels, tracking, pickups and SCAN forms of the carriers in an EasyPost account.",
  settings: Strict({
    carrierAccounts: Type.Optional(
      Type.Array(Type.String({ pattern: "^ca_[0-9a-zA-Z]{1,60}$" }), {
        title: "Carrier accounts",
        description: "IDs of the carrier accounts in EasyPost to ship with. Default: all of them",
        maxItems: 60,
        uniqueItems: true,
        examples: [["ca_0c57dea0f56242139d1a5b6bf12ba0c0"]],
      }),
    ),
    labelFormat: Type.Optional(
      OneOf(labelFormats, {
        title: "Label format",
        default: "pdf",
        description: "Used where a label does not name one. zpl is for thermal printers",
      }),
    ),
    baseUrl: Type.Optional(
      Type.String({
        title: "API address",
        "x-advanced": true,
        format: "uri",
        maxLength: 500,
        description: "Default: https://api.easypost.com",
      }),
    ),
  }),
  credentials: Strict({
    apiKey: Type.String({
      title: "API key",
      minLength: 1,
      maxLength: 200,
      description: "From the EasyPost dashboard. Keys that begin with EZTK are for tests and cost nothing",
    }),
  }),
  sendsTo: (settings) => [apiUrl(settings)],
  isTest: ({ credentials }) => isTestKey(credentials.apiKey),
  pickupRules: defaultPickupRules,
  isLocal: false,
  timeouts: { rate: 10_000, createLabel: 60_000, schedulePickup: 60_000, createManifest: 60_000 },
  usesRateCards: () => false,
  extraOptions: Strict({
    endorsement: Type.Optional(
      OneOf(
        [
          "ADDRESS_SERVICE_REQUESTED",
          "FORWARDING_SERVICE_REQUESTED",
          "CHANGE_SERVICE_REQUESTED",
          "RETURN_SERVICE_REQUESTED",
          "LEAVE_IF_NO_RESPONSE",
        ],
        {
          title: "Endorsement",
          description: "What USPS does with a parcel that cannot be delivered",
        },
      ),
    ),
    hazmat: Type.Optional(
      Type.String({ title: "Hazardous material", maxLength: 50, description: "EasyPost's code, such as LITHIUM" }),
    ),
    alcohol: Type.Optional(Type.Boolean({ title: "Contains alcohol", description: "Requires an adult signature" })),
    specialRates: Type.Optional(
      OneOf(["USPS.MEDIAMAIL", "USPS.LIBRARYMAIL"], { title: "Special rates", description: "Media or library mail" }),
    ),
    handlingInstructions: Type.Optional(
      Type.String({
        title: "Handling instructions",
        maxLength: 100,
        description: "Printed where the carrier allows it",
      }),
    ),
    machinable: Type.Optional(
      Type.Boolean({ title: "Machinable", description: "False: the parcel cannot be sorted by machines" }),
    ),
  }),
  labelTypes: ["application/pdf", "image/png", "application/zpl"],
  testAccount,
  rate,
  createLabel,
  voidLabel,
  findVoid,
  handoverGroup: ({ carrierData }) => asText(carrierData?.carrier) ?? "",
  schedulePickup,
  cancelPickup,
  findPickup,
  track,
  checkAddress,
  createManifest,
  subscribe,
  readWebhook,
};

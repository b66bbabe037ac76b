import { accountProblem } from "../seam/account-problems.ts";
import type { AccountProblem, Carrier, CarrierCall } from "../seam/carrier.ts";
import { orMissing } from "../seam/json-api.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { asList, asText } from "../seam/read.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { labelFormats } from "../seam/ship-options.ts";
import { apiUrl, get } from "./karrio-api.ts";
import { createLabel, findVoid, voidLabel } from "./karrio-labels.ts";
import { cancelPickup, createManifest, findPickup, schedulePickup } from "./karrio-pickups.ts";
import { rate } from "./karrio-rates.ts";
import { readWebhook, subscribe, track } from "./karrio-tracking.ts";

/** Versions that cannot list connections are not asked about them. */
async function testAccount(call: CarrierCall): Promise<AccountProblem[]> {
  try {
    await get(call, "/v1/shipments", { query: { limit: 1 } });
    const list = await orMissing(get(call, "/v1/connections", { query: { active: true } }));
    if (!list) return [];
    const known = asList(list.results).flatMap(({ carrier_id }) => asText(carrier_id) ?? []);
    if (known.length === 0)
      return [{ part: "account", message: "karrio has no active carrier connection. Connect a carrier there first." }];
    const wanted = Array.isArray(call.settings.carrierIds) ? call.settings.carrierIds.map(String) : [];
    const missing = wanted.filter((id) => !known.includes(id));
    return missing.map((id) => ({ part: "account", message: `karrio has no active carrier connection ${id}.` }));
  } catch (error) {
    return [accountProblem(error)];
  }
}

export const karrio: Carrier = {
  name: "karrio",
  title: "karrio",
  description: "Rates, labels, tracking, pickups and manifests of the carriers in your own karrio server.",
  settings: Strict({
    baseUrl: Type.String({
      title: "Address of karrio",
      format: "uri",
      maxLength: 500,
      description: "Where the karrio API runs",
      examples: ["https://karrio.example.com"],
    }),
    carrierIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 150 }), {
        title: "Carrier connections",
        description: "Names of the connections in karrio to ship with. Default: all of them",
        maxItems: 50,
        uniqueItems: true,
        examples: [["ups_account"]],
      }),
    ),
    labelFormat: Type.Optional(
      OneOf(labelFormats, {
        title: "Label format",
        default: "pdf",
        description: "Used where a label does not name one. Not every carrier makes png and zpl",
      }),
    ),
    testMode: Type.Optional(
      Type.Boolean({
        title: "Test mode",
        default: false,
        description: "The token is of karrio's test mode. Labels of live connections are then refused",
      }),
    ),
  }),
  credentials: Strict({
    token: Type.String({
      title: "API token",
      minLength: 1,
      maxLength: 500,
      description: "From the developer page of the karrio dashboard",
    }),
  }),
  sendsTo: (settings) => [apiUrl(settings)],
  isTest: ({ settings }) => settings.testMode === true,
  pickupRules: defaultPickupRules,
  isLocal: false,
  timeouts: { rate: 10_000, createLabel: 60_000, schedulePickup: 60_000, createManifest: 60_000, track: 60_000 },
  usesRateCards: () => false,
  extraOptions: Strict({
    options: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
        title: "karrio options",
        maxProperties: 30,
        description: "Options of one carrier by their names in karrio, such as usps_adult_signature_required",
      }),
    ),
  }),
  labelTypes: ["application/pdf", "image/png", "application/zpl"],
  testAccount,
  rate,
  createLabel,
  voidLabel,
  findVoid,
  handoverGroup: ({ carrierData }) => asText(carrierData?.carrierName) ?? "",
  schedulePickup,
  cancelPickup,
  findPickup,
  track,
  createManifest,
  subscribe,
  readWebhook,
};

import { accountProblem } from "../seam/account-problems.ts";
import type { AccountProblem, Carrier, CarrierCall } from "../seam/carrier.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { asText } from "../seam/read.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { labelFormats } from "../seam/ship-options.ts";
import { checkAddress } from "./shipengine-address.ts";
import { apiUrl, carriersIn, chosenCarriers, get } from "./shipengine-api.ts";
import { createLabel } from "./shipengine-labels.ts";
import { createManifest } from "./shipengine-manifests.ts";
import { cancelPickup, findPickup, schedulePickup } from "./shipengine-pickups.ts";
import { rate } from "./shipengine-rates.ts";
import { track } from "./shipengine-tracking.ts";
import { findVoid, voidLabel } from "./shipengine-voids.ts";
import { readWebhook, subscribe } from "./shipengine-webhooks.ts";

async function testAccount(call: CarrierCall): Promise<AccountProblem[]> {
  try {
    const known = carriersIn(await get(call, "/carriers"));
    if (known.length === 0)
      return [
        { part: "account", message: "No carrier is connected to the ShipEngine account. Connect one there first." },
      ];
    const missing = chosenCarriers(call.settings).filter((id) => !known.some((carrier) => carrier.id === id));
    return missing.map((id) => ({ part: "account", message: `The ShipEngine account has no carrier ${id}.` }));
  } catch (error) {
    return [accountProblem(error)];
  }
}

export const shipengine: Carrier = {
  name: "shipengine",
  title: "ShipEngine",
  description:
    "Rates, labels, tracking, pickups and manifests of the carriers in a ShipEngine or ShipStation API account.",
  settings: Strict({
    carrierIds: Type.Optional(
      Type.Array(Type.String({ pattern: "^se-[0-9a-zA-Z-]{1,60}$" }), {
        title: "Carriers",
        description: "IDs of the carriers in ShipEngine to ship with. Default: all that are connected",
        maxItems: 50,
        uniqueItems: true,
        examples: [["se-123456"]],
      }),
    ),
    labelFormat: Type.Optional(
      OneOf(labelFormats, {
        title: "Label format",
        default: "pdf",
        description: "Used where a label does not name one. Not every carrier makes png and zpl",
      }),
    ),
    insurance: Type.Optional(
      OneOf(["carrier", "shipsurance"], {
        title: "Insurance",
        default: "carrier",
        description: "Where parcels with an insured value are insured",
      }),
    ),
    baseUrl: Type.Optional(
      Type.String({
        title: "API address",
        "x-advanced": true,
        format: "uri",
        maxLength: 500,
        description: "Default: https://api.shipengine.com. With a ShipStation key: https://api.shipstation.com/v2",
      }),
    ),
  }),
  credentials: Strict({
    apiKey: Type.String({
      title: "API key",
      minLength: 1,
      maxLength: 200,
      description: "From the ShipEngine dashboard. Keys that begin with TEST_ are for tests and cost nothing",
    }),
  }),
  sendsTo: (settings) => [apiUrl(settings)],
  isTest: ({ credentials }) => typeof credentials.apiKey === "string" && credentials.apiKey.startsWith("TEST_"),
  pickupRules: defaultPickupRules,
  isLocal: false,
  timeouts: { rate: 10_000, createLabel: 60_000, schedulePickup: 60_000, createManifest: 60_000, track: 60_000 },
  usesRateCards: () => false,
  extraOptions: Strict({
    containsAlcohol: Type.Optional(
      Type.Boolean({ title: "Contains alcohol", description: "Requires an adult signature" }),
    ),
    nonMachinable: Type.Optional(
      Type.Boolean({ title: "Non-machinable", description: "The parcel cannot be sorted by machines" }),
    ),
    additionalHandling: Type.Optional(
      Type.Boolean({ title: "Additional handling", description: "The carrier charges for it" }),
    ),
    shipperRelease: Type.Optional(
      Type.Boolean({ title: "Shipper release", description: "The driver may leave the parcel without a signature" }),
    ),
    dutiesPaid: Type.Optional(Type.Boolean({ title: "Duties paid", description: "Duties are billed to the sender" })),
  }),
  labelTypes: ["application/pdf", "image/png", "application/zpl"],
  testAccount,
  rate,
  createLabel,
  voidLabel,
  findVoid,
  handoverGroup: ({ carrierData }) => asText(carrierData?.carrierCode) ?? "",
  schedulePickup,
  cancelPickup,
  findPickup,
  track,
  checkAddress,
  createManifest,
  subscribe,
  readWebhook,
};

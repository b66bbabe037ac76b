import { accountProblem } from "../seam/account-problems.ts";
import type { AccountProblem, Carrier, CarrierCall, RateRequest } from "../seam/carrier.ts";
import { baseUrlSetting, clientCredentials, modeSetting } from "../seam/oauth-account.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { checkUpsAddress } from "./ups-address.ts";
import { buyUpsLabel, upsLabelFormats, voidUpsLabel } from "./ups-labels.ts";
import { cancelUpsPickup, findUpsPickup, scheduleUpsPickup } from "./ups-pickups.ts";
import { rateUps } from "./ups-rates.ts";
import { fetchUpsToken, upsHosts, upsUrl } from "./ups-request.ts";
import { upsExtraOptions } from "./ups-shipment.ts";
import { trackUps } from "./ups-tracking.ts";
import { readUpsWebhook, subscribeUps } from "./ups-webhooks.ts";

export const ups: Carrier = {
  name: "ups",
  title: "UPS",
  description: "Your own UPS account: negotiated prices, labels, pickups, tracking and address checks",
  settings: Strict(
    {
      accountNumber: Type.String({
        title: "Account number",
        pattern: "^[A-Za-z0-9]{6}$",
        description: "Your UPS shipper number, six letters or digits",
        examples: ["A1B2C3"],
      }),
      accountCountryCode: Type.Optional(
        Type.String({
          title: "Country of the account",
          "x-advanced": true,
          pattern: "^[A-Z]{2}$",
          description: "ISO 3166. Default: the country of the pickup address",
          examples: ["US"],
        }),
      ),
      labelFormat: Type.Optional(
        OneOf(upsLabelFormats, {
          title: "Label format",
          default: "png",
          description: "PNG for office printers, ZPL for thermal printers; UPS makes no PDF labels",
        }),
      ),
      mode: modeSetting(upsHosts),
      baseUrl: baseUrlSetting(),
    },
    { examples: [{ accountNumber: "A1B2C3" }] },
  ),
  credentials: clientCredentials("developer.ups.com"),
  sendsTo: (settings) => [upsUrl(settings)],
  isLocal: false,
  isTest: ({ settings }) => settings.mode === "test",
  usesRateCards: () => false,
  pickupRules: { ...defaultPickupRules, maxDaysAhead: 5, maxAverageWeight: { value: 150, unit: "lb" } },
  timeouts: { rate: 10_000, createLabel: 60_000, schedulePickup: 60_000, track: 60_000 },
  concurrency: 4,
  extraOptions: upsExtraOptions,
  labelTypes: ["image/png", "application/zpl", "image/gif"],
  testAccount: testUpsAccount,
  rate: rateUps,
  createLabel: buyUpsLabel,
  voidLabel: voidUpsLabel,
  schedulePickup: scheduleUpsPickup,
  cancelPickup: cancelUpsPickup,
  findPickup: findUpsPickup,
  track: trackUps,
  checkAddress: checkUpsAddress,
  subscribe: subscribeUps,
  webhookSetup:
    "Enter the URL and the credential at developer.ups.com, on the page Manage Webhook Credentials of your app.",
  readWebhook: readUpsWebhook,
};

/**
 * Signs in with the credentials as they are now, then prices a sample parcel. UPS refuses no foreign account number there: it only
 * leaves out the account's own prices.
 */
async function testUpsAccount(call: CarrierCall): Promise<AccountProblem[]> {
  try {
    await fetchUpsToken(call);
    const quotes = await rateUps(call, sampleRequest(call.now()));
    if (quotes.some((quote) => "total" in quote && quote.listTotal !== null)) return [];
    const message =
      `UPS returned published prices only. Check the account number ${String(call.settings.accountNumber)}, and that your app at ` +
      "developer.ups.com is linked to it. An account without agreed discounts always gets published prices.";
    return [{ part: "account", message }];
  } catch (error) {
    return [accountProblem(error, /shipper number|account/i)];
  }
}

function sampleRequest(now: Date): RateRequest {
  const shared = { countryCode: "US", name: "Account test" };
  return {
    from: { ...shared, address1: "55 Glenlake Parkway", city: "Atlanta", provinceCode: "GA", zip: "30328" },
    to: { ...shared, address1: "350 5th Ave", city: "New York", provinceCode: "NY", zip: "10118" },
    parcels: [{ weight: { value: 1, unit: "lb" } }],
    options: {},
    shipDate: now.toISOString().slice(0, 10),
    services: ["03"],
  };
}

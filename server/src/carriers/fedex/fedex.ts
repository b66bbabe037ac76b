import { accountProblem } from "../seam/account-problems.ts";
import type { AccountProblem, Carrier, CarrierCall, RateRequest } from "../seam/carrier.ts";
import { baseUrlSetting, clientCredentials, modeSetting } from "../seam/oauth-account.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { checkFedexAddress } from "./fedex-address.ts";
import { buyFedexLabel, fedexLabelFormats, voidFedexLabel } from "./fedex-labels.ts";
import { cancelFedexPickup, scheduleFedexPickup } from "./fedex-pickups.ts";
import { rateFedex } from "./fedex-rates.ts";
import { fedexHosts, fedexUrl, fetchFedexToken } from "./fedex-request.ts";
import { fedexService } from "./fedex-services.ts";
import { fedexExtraOptions } from "./fedex-shipment.ts";
import { trackFedex } from "./fedex-tracking.ts";

const { clientId, clientSecret } = clientCredentials("developer.fedex.com").properties;

export const fedex: Carrier = {
  name: "fedex",
  title: "FedEx",
  description: "Your own FedEx account: account prices, labels, pickups, tracking and address checks",
  settings: Strict(
    {
      accountNumber: Type.String({
        title: "Account number",
        pattern: "^\\d{9}$",
        description: "Your FedEx account number, nine digits",
        examples: ["123456789"],
      }),
      labelFormat: Type.Optional(
        OneOf(fedexLabelFormats, {
          title: "Label format",
          default: "pdf",
          description: "PDF or PNG for office printers, ZPL for thermal printers",
        }),
      ),
      pickupType: Type.Optional(
        OneOf(["dropoff", "scheduled", "on_call"], {
          title: "How FedEx gets your parcels",
          default: "dropoff",
          description: "You drop them off, a driver comes every day, or you book each pickup",
        }),
      ),
      pickupNetwork: Type.Optional(
        OneOf(["express", "ground"], {
          title: "Pickups without labels",
          "x-advanced": true,
          default: "express",
          description: "Whether the driver of FedEx Express or of FedEx Ground comes if a pickup names no labels",
        }),
      ),
      smartPostHubId: Type.Optional(
        Type.String({
          title: "Ground Economy hub",
          "x-advanced": true,
          pattern: "^\\d{4}$",
          description: "Four digits, from your FedEx Ground Economy contract",
          examples: ["5531"],
        }),
      ),
      mode: modeSetting(fedexHosts),
      baseUrl: baseUrlSetting(),
    },
    { examples: [{ accountNumber: "123456789" }] },
  ),
  credentials: Strict(
    {
      clientId,
      clientSecret,
      trackClientId: Type.Optional(
        Type.String({
          title: "Client ID for tracking",
          minLength: 1,
          maxLength: 200,
          description: "FedEx gives tracking to a project of its own. Default: the client ID above",
        }),
      ),
      trackClientSecret: Type.Optional(
        Type.String({
          title: "Client secret for tracking",
          "x-widget": "password",
          minLength: 1,
          maxLength: 500,
          description: "Of the project for tracking",
        }),
      ),
    },
    { examples: [{ clientId: "my-client-id", clientSecret: "my-client-secret" }] },
  ),
  sendsTo: (settings) => [fedexUrl(settings)],
  isLocal: false,
  isTest: ({ settings }) => settings.mode === "test",
  usesRateCards: () => false,
  pickupRules: { ...defaultPickupRules, maxDaysAhead: 10, serviceDays: [1, 2, 3, 4, 5, 6] },
  timeouts: { rate: 10_000, createLabel: 60_000, schedulePickup: 60_000, track: 60_000 },
  concurrency: 8,
  extraOptions: fedexExtraOptions,
  labelTypes: ["application/pdf", "application/zpl", "image/png"],
  testAccount: testFedexAccount,
  rate: rateFedex,
  createLabel: buyFedexLabel,
  voidLabel: voidFedexLabel,
  handoverGroup: ({ service }) => (fedexService(service).isGround ? "Ground" : "Express"),
  schedulePickup: scheduleFedexPickup,
  cancelPickup: cancelFedexPickup,
  track: trackFedex,
  checkAddress: checkFedexAddress,
};

/** Signs in with the credentials as they are now, then prices a sample parcel: FedEx checks the account number with it. */
async function testFedexAccount(call: CarrierCall): Promise<AccountProblem[]> {
  const problems: AccountProblem[] = [];
  const attempt = async (work: () => Promise<unknown>, prefix = ""): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const problem = accountProblem(error, /account/i);
      problems.push({ ...problem, message: `${prefix}${problem.message}` });
    }
  };
  await attempt(async () => {
    await fetchFedexToken(call, "ship");
    await rateFedex(call, sampleRequest(call.now()));
  });
  const isReached = problems.every(({ part }) => part !== "address");
  if (isReached && call.credentials.trackClientId !== undefined)
    await attempt(() => fetchFedexToken(call, "track"), "Tracking: ");
  return problems;
}

function sampleRequest(now: Date): RateRequest {
  const shared = { countryCode: "US", name: "Account test" };
  return {
    from: { ...shared, address1: "942 South Shady Grove Road", city: "Memphis", provinceCode: "TN", zip: "38120" },
    to: { ...shared, address1: "350 5th Ave", city: "New York", provinceCode: "NY", zip: "10118" },
    parcels: [{ weight: { value: 1, unit: "lb" } }],
    options: {},
    shipDate: now.toISOString().slice(0, 10),
  };
}

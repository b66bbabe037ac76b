import { accountProblem } from "../seam/account-problems.ts";
import type { AccountProblem, Carrier, CarrierCall } from "../seam/carrier.ts";
import { baseUrlSetting, clientCredentials, modeSetting } from "../seam/oauth-account.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { checkUspsAddress } from "./usps-address.ts";
import { buyUspsLabel, uspsLabelFormats, voidUspsLabel } from "./usps-labels.ts";
import {
  cancelUspsPickup,
  changeUspsPickup,
  createUspsManifest,
  findUspsPickup,
  scheduleUspsPickup,
} from "./usps-pickups.ts";
import { quotesFromCard, rateUsps } from "./usps-rates.ts";
import { fetchPaymentToken, fetchUspsToken, uspsHosts, uspsUrl } from "./usps-request.ts";
import { uspsExtraOptions } from "./usps-shipment.ts";
import { trackUsps } from "./usps-tracking.ts";

const digits = (title: string, description: string, example: string) =>
  Type.String({ title, pattern: "^\\d{4,10}$", description, examples: [example] });

export const usps: Carrier = {
  name: "usps",
  title: "USPS",
  description:
    "Your own USPS account for domestic mail: labels, SCAN forms, pickups, tracking and address checks. Prices come from a rate card you upload",
  settings: Strict(
    {
      crid: digits("CRID", "Your customer registration ID, from the Business Customer Gateway", "12345678"),
      mid: digits("Mailer ID (MID)", "Used in the tracking numbers of your labels", "123456789"),
      manifestMid: Type.Optional(
        digits("Manifest MID", "Mailer ID for manifests. Default: the mailer ID", "123456789"),
      ),
      accountNumber: digits(
        "Payment account",
        "Number of your Enterprise Payment Account, which is charged",
        "1000012345",
      ),
      quotes: Type.Optional(
        OneOf(["rate_card", "api"], {
          title: "Prices",
          default: "rate_card",
          description:
            "From the rate card of this account, or from USPS. USPS allows 60 requests an hour unless you ask for more",
        }),
      ),
      priceType: Type.Optional(
        OneOf(["COMMERCIAL", "CONTRACT", "RETAIL"], {
          title: "Price list",
          "x-advanced": true,
          default: "COMMERCIAL",
          description: "Which prices USPS quotes. Only if prices come from USPS",
        }),
      ),
      labelFormat: Type.Optional(
        OneOf(uspsLabelFormats, {
          title: "Label format",
          default: "pdf",
          description: "PDF or PNG for office printers, ZPL for thermal printers",
        }),
      ),
      pickupLocation: Type.Optional(
        OneOf(["FRONT_DOOR", "BACK_DOOR", "SIDE_DOOR", "MAIL_ROOM", "OFFICE", "RECEPTION", "OTHER"], {
          title: "Where parcels wait for pickup",
          default: "FRONT_DOOR",
          description: "OTHER needs instructions with each pickup",
        }),
      ),
      mode: modeSetting(uspsHosts),
      baseUrl: baseUrlSetting(),
    },
    { examples: [{ crid: "12345678", mid: "123456789", accountNumber: "1000012345" }] },
  ),
  credentials: clientCredentials("developers.usps.com"),
  sendsTo: (settings) => [uspsUrl(settings)],
  isLocal: false,
  isTest: ({ settings }) => settings.mode === "test",
  usesRateCards: quotesFromCard,
  pickupRules: {
    ...defaultPickupRules,
    // USPS takes requests until two in the morning of the day, Central Time.
    allowsSameDay: false,
    cutoffLocalTime: null,
    requiresWindow: false,
    minWindowMinutes: 0,
    leadMinutes: 0,
    maxDaysAhead: 365,
    serviceDays: [1, 2, 3, 4, 5, 6],
    holidayCalendar: "us_federal",
    maxPackages: 999,
    maxAverageWeight: { value: 70, unit: "lb" },
    cancelDeadlineMinutes: 0,
  },
  timeouts: { rate: 10_000, createLabel: 60_000, schedulePickup: 60_000, createManifest: 60_000, track: 60_000 },
  concurrency: 2,
  extraOptions: uspsExtraOptions,
  labelTypes: ["application/pdf", "image/png", "application/zpl"],
  testAccount: testUspsAccount,
  rate: rateUsps,
  createLabel: buyUspsLabel,
  voidLabel: voidUspsLabel,
  schedulePickup: scheduleUspsPickup,
  changePickup: changeUspsPickup,
  cancelPickup: cancelUspsPickup,
  findPickup: findUspsPickup,
  track: trackUsps,
  checkAddress: checkUspsAddress,
  createManifest: createUspsManifest,
};

/** Two requests: the key, then the payment token, which USPS gives only to a CRID, MID and account that belong together. */
async function testUspsAccount(call: CarrierCall): Promise<AccountProblem[]> {
  try {
    const { value } = await fetchUspsToken(call);
    await fetchPaymentToken(call, value);
    return [];
  } catch (error) {
    return [accountProblem(error, /account|CRID|MID|payment/i)];
  }
}

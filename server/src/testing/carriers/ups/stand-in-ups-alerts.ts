import { OneOf } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { check, Matching } from "../request-rules.ts";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";
import { upsSales } from "./stand-in-ups-labels.ts";
import { refuse } from "./stand-in-ups-replies.ts";
import { activitiesOf, clockTexts, missingHeader, trackingNumberPattern } from "./stand-in-ups-tracking.ts";

/** Track Alert: events of a package are pushed for 14 days, those of an account's packages until it is unsubscribed. */
export function upsAlerts(accountNumber: string, now: () => Date): Operation[] {
  return [
    {
      name: "subscribe",
      method: "POST",
      path: /^\/api\/track\/v2\/subscription\/(\w+)\/package$/,
      answer: (request, match, standIn) => subscribe(request, match[1]!, standIn, now()),
    },
    {
      name: "subscribe",
      method: "POST",
      path: /^\/api\/track\/v2\/subscription\/(\w+)\/account$/,
      answer: (request, match, standIn) => subscribeAccount(request, match[1]!, standIn, { accountNumber, at: now() }),
    },
  ];
}

const AccountSubscriptionBody = Type.Object({
  locale: Matching("^[a-z]{2}_[A-Z]{2}$"),
  countryCode: Type.Optional(Matching("^[A-Z]{2}$")),
  eventPreferences: Type.Optional(Type.Array(OneOf(["D", "I", "M", "X"]), { minItems: 1, maxItems: 4 })),
  subscriptionId: Type.String({ minLength: 1 }),
  clientSubscriptionId: Type.String({ minLength: 1 }),
  shipperAccountNumber: Type.String({ minLength: 1 }),
  subAccountType: Type.Array(Type.String(), { minItems: 1 }),
});

/** All packages of the account. Published documents show one successful example; the text of the refused account is ours. */
function subscribeAccount(
  request: CarrierRequest,
  type: string,
  standIn: StandIn,
  { accountNumber, at }: { accountNumber: string; at: Date },
): CarrierReply {
  const missing = missingHeader(request);
  if (missing) return missing;
  if (!["standard", "enhanced"].includes(type)) return refuse(400, "VSS930", "Type is missing or invalid.");
  const { value: body, errors } = check(AccountSubscriptionBody, request.json());
  if (errors?.[0]?.pointer === "/locale")
    return refuse(400, "VSS300", "Locale is required. The Subscription request has been rejected.");
  if (errors) return refuse(400, "VSS000", `Invalid request: ${errors[0]!.pointer} ${errors[0]!.message}`);
  if (body.shipperAccountNumber !== accountNumber) return refuse(400, "VSS000", "Invalid shipper account number.");
  const preferences = body.eventPreferences ?? ["D", "I", "M", "X"];
  standIn.record({ kind: "subscribe", accountNumber, preferences, at: at.toISOString() });
  return { status: 200, body: { expiryDate: "9999-12-31" } };
}

const SubscriptionBody = Type.Object({
  locale: Matching("^[a-z]{2}_[A-Z]{2}$"),
  countryCode: Type.Optional(Matching("^[A-Z]{2}$")),
  eventPreferences: Type.Optional(Type.Array(OneOf(["D", "I", "M", "X"]), { minItems: 1, maxItems: 4 })),
  trackingNumberList: Type.Array(Type.String(), { maxItems: 100 }),
});

const subscriptionCodes: [string, string, string][] = [
  ["/locale", "VSS310", "Please enter a valid locale. The Subscription request has been rejected."],
  ["/countryCode", "VSS400", "Please enter a valid country code. The Subscription request has been rejected."],
  ["/trackingNumberList", "VSS220", "More than 100 tracking numbers are not allowed."],
];

function subscribe(request: CarrierRequest, type: string, standIn: StandIn, at: Date): CarrierReply {
  const missing = missingHeader(request);
  if (missing) return missing;
  if (!["standard", "enhanced"].includes(type)) return refuse(400, "VSS930", "Type is missing or invalid.");
  let given: unknown;
  try {
    given = request.json();
  } catch {
    return refuse(400, "VSS110", "Subscription request is empty or not present.");
  }
  const { value: body, errors } = check(SubscriptionBody, given);
  if (errors) {
    const { pointer, code, message } = errors[0]!;
    if (code === "required" && pointer === "/locale")
      return refuse(400, "VSS300", "Locale is required. The Subscription request has been rejected.");
    if (code === "required")
      return refuse(400, "VSS200", "Tracking Number List is required. The Subscription request has been rejected.");
    const known = subscriptionCodes.find(([field]) => field === pointer);
    return known ? refuse(400, known[1], known[2]) : refuse(400, "VSS000", `Invalid request: ${pointer} ${message}`);
  }
  const pattern = new RegExp(trackingNumberPattern);
  const valid = body.trackingNumberList.filter((number) => pattern.test(number));
  const invalid = body.trackingNumberList.filter((number) => !pattern.test(number));
  if (valid.length === 0) {
    const error = {
      code: "VSS210",
      message: "The Subscription request should have at least one valid tracking number.",
    };
    return { status: 400, body: { invalidTrackingNumbers: invalid, response: { errors: [error] } } };
  }
  const preferences = body.eventPreferences ?? ["D", "I", "M", "X"];
  standIn.record({ kind: "subscribe", trackingNumbers: valid, preferences, at: at.toISOString() });
  return {
    status: 200,
    body: { validTrackingNumbers: valid, ...(invalid.length > 0 && { invalidTrackingNumbers: invalid }) },
  };
}

/** The event to push for a package: its latest activity, if a subscription of the last 14 days includes this type. */
export function trackAlert(standIn: StandIn, trackingNumber: string, now: Date): Record<string, unknown> | undefined {
  const sale = upsSales(standIn).find((one) => one.trackingNumbers.includes(trackingNumber));
  const latest = sale && activitiesOf(standIn, sale, trackingNumber).at(-1);
  const isWanted = standIn
    .journal("subscribe")
    .some(
      (entry) =>
        (entry.accountNumber === undefined
          ? (entry.trackingNumbers as string[]).includes(trackingNumber) &&
            now.getTime() - Date.parse(String(entry.at)) < 14 * 86_400_000
          : entry.accountNumber === sale?.shipperNumber) &&
        (entry.preferences as string[]).includes(latest?.type.charAt(0) ?? ""),
    );
  if (!sale || !latest || !isWanted) return undefined;
  const { date, time, gmtDate, gmtTime, gmtOffset } = clockTexts(latest.at);
  const isDelivered = latest.type === "D";
  return {
    trackingNumber,
    localActivityDate: date,
    localActivityTime: time.replaceAll(":", ""),
    activityLocation: {
      city: latest.city ?? "",
      stateProvince: latest.state ?? "",
      postalCode: isDelivered ? (latest.zip ?? "") : "",
      country: "US",
    },
    activityStatus: { type: latest.type, code: latest.code, description: latest.description, descriptionCode: 17 },
    scheduledDeliveryDate: clockTexts(sale.at).date,
    actualDeliveryDate: isDelivered ? date : "",
    actualDeliveryTime: isDelivered ? time.replaceAll(":", "") : "",
    gmtActivityDate: gmtDate,
    gmtActivityTime: gmtTime.replaceAll(":", ""),
    gmtOffset: gmtOffset.replace(":", "."),
    receivedBy: latest.receivedBy ?? "",
  };
}

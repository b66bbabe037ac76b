import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { unreadable } from "../seam/failures.ts";
import { RemoteError } from "../seam/http.ts";
import type { HttpResponse } from "../seam/http.ts";
import { uuidOf } from "../seam/keys.ts";
import { labelFileOfBase64 } from "../seam/label-file.ts";
import type { Charge, Label, LabelFile, SoldLabel, VoidAnswer } from "../seam/labels.ts";
import { dayOf } from "../seam/local-time.ts";
import { readParts } from "../seam/multipart.ts";
import { labelFormatOf } from "../seam/option-checks.ts";
import { paidCharge, priceOf } from "../seam/price.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import type { Parcel, ShipOptions } from "../seam/ship-options.ts";
import { daysOf, linesOf } from "./usps-rates.ts";
import { askUsps, wordsOfFaults } from "./usps-request.ts";
import type { UspsFault } from "./usps-request.ts";
import { customsFormOf, extraServicesOf, measuresOf, onlyParcel, partyOf, ratingOf } from "./usps-shipment.ts";
import { mailClassOf } from "./usps-services.ts";

/** No label was bought under this key. */
const unknownKey = "160412";

/**
 * USPS honors an idempotency key: the same request again returns the same label and charges nothing. A repeat that is rejected, such
 * as after a change of the account's label format, asks for the label by its key.
 */
export async function buyUspsLabel(call: CarrierCall, request: LabelRequest): Promise<Label> {
  const headers = { "x-idempotency-key": uuidOf(call.effectKey) };
  const path = request.options.isReturn === true ? "/labels/v3/return-label" : "/labels/v3/label";
  try {
    const json = labelBody(call, request);
    const { response } = await askUsps(call, { method: "POST", path, json, headers, isPaid: true });
    return readUspsLabel(response, request.service);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.retryable || call.attempt === 1) throw error;
    const found = await lookUp("USPS", "label", () => reprintLabel(call, request, headers));
    if (found) return found;
    throw error;
  }
}

/** Undefined: no label was bought under this key. */
async function reprintLabel(
  call: CarrierCall,
  request: LabelRequest,
  headers: Record<string, string>,
): Promise<Label | undefined> {
  const json = { imageInfo: imageInfo(call, {}) };
  const reprint = { method: "POST", path: "/labels/v3/label-reprint", json, headers, isPaid: true } as const;
  const { response, faults } = await askUsps(call, reprint, ({ code }) => code === unknownKey);
  return faults.length > 0 ? undefined : readUspsLabel(response, request.service);
}

function labelBody(call: CarrierCall, request: LabelRequest): Json {
  const { options, shipDate } = request;
  const mailClass = mailClassOf(request.service);
  const parcel = onlyParcel(request);
  const extra = asObject(options.extra);
  const { codes, value } = extraServicesOf(request, mailClass);
  const nonDelivery = options.customs?.nonDelivery;
  const packageOptions = {
    ...(value === undefined ? {} : { packageValue: value }),
    ...(nonDelivery === undefined ? {} : { nonDeliveryOption: nonDelivery === "abandon" ? "ABANDON" : "RETURN" }),
  };
  return {
    imageInfo: imageInfo(call, options),
    toAddress: { ...partyOf(request.to, "recipient"), ignoreBadAddress: extra.ignoreBadAddress === true },
    // The sender's address is the user's own, and USPS does not know every dock.
    fromAddress: { ...partyOf(request.from, "sender"), ignoreBadAddress: true },
    packageDescription: {
      weightUOM: "lb",
      dimensionsUOM: "in",
      ...measuresOf(parcel),
      mailClass,
      ...ratingOf(request, parcel, mailClass),
      destinationEntryFacilityType: "NONE",
      mailingDate: shipDate,
      ...(codes.length === 0 ? {} : { extraServices: codes }),
      ...(Object.keys(packageOptions).length === 0 ? {} : { packageOptions }),
      ...referencesOf(request, parcel),
      ...(extra.carrierRelease === true ? { carrierRelease: true } : {}),
    },
    ...(options.customs ? { customsForm: customsFormOf(options.customs) } : {}),
  };
}

function referencesOf(request: LabelRequest, parcel: Parcel): Json {
  const all = [parcel.reference, request.reference, ...(request.options.references ?? [])];
  const texts = [...new Set(all.filter((text) => text !== undefined))].slice(0, 4);
  if (texts.length === 0) return {};
  return {
    customerReference: texts.map((text) => ({ referenceNumber: text.slice(0, 30), printReferenceNumber: true })),
  };
}

export const uspsLabelFormats = ["pdf", "png", "zpl"] as const;

function imageInfo({ settings }: CarrierCall, options: ShipOptions): Json {
  const format = labelFormatOf("USPS", options, {
    formats: uspsLabelFormats,
    sizes: ["4x6"],
    fallback: asText(settings.labelFormat),
  });
  const imageType = format === "zpl" ? "ZPL203DPI" : format.toUpperCase();
  return { imageType, labelType: "4X6LABEL", receiptOption: "NONE" };
}

/** The label is multipart with base64 in it, or JSON with base64 in it. */
export function readUspsLabel(response: Pick<HttpResponse, "headers" | "text">, service: string): Label {
  const { metadata, file } = readDocument(response, /^label/i);
  const trackingNumber = asText(metadata.trackingNumber);
  if (trackingNumber === undefined) throw unreadable("USPS", "tracking number");
  const commitment = asObject(metadata.commitment);
  const deliverBy = dayOf(asText(commitment.scheduleDeliveryDate) ?? asText(commitment.expectedDeliveryDate));
  const days = daysOf(asText(commitment.name));
  return {
    service,
    charge: chargeOf(metadata),
    parcels: [{ trackingNumber, file }],
    ...(days === undefined ? {} : { transitDays: days }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
  };
}

/** Metadata and file of a label or SCAN form. */
export function readDocument(
  response: Pick<HttpResponse, "headers" | "text">,
  fileName: RegExp,
): { metadata: Json; file: LabelFile | null } {
  const parts = readParts(response);
  if (!parts) {
    const body = asObject(parse(response.text));
    const metadata = asObject(body.labelMetadata ?? body.SCANFormMetadata ?? body);
    const image = asText(body.labelImage) ?? asText(body.SCANFormImage);
    return { metadata, file: labelFileOfBase64(image) };
  }
  const json = parts.find(({ contentType }) => contentType.includes("json"));
  const files = parts.filter(({ contentType }) => !contentType.includes("json"));
  const image = files.find(({ name }) => fileName.test(name)) ?? files[0];
  return { metadata: asObject(parse(json?.content ?? "")), file: labelFileOfBase64(image?.content) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Postage, fees and extra services together: USPS names no total. */
function chargeOf({ postage, fees, extraServices }: Json): Charge | null {
  const price = priceOf(postage, "USD");
  const further = [...asList(fees), ...asList(extraServices)].map((item) => priceOf(item.price ?? 0, "USD"));
  if (!price || further.some((item) => item === undefined)) return null;
  const cents = further.reduce((sum, item) => sum + (item?.cents ?? 0), price.cents);
  return paidCharge({ cents, currency: "USD" }, linesOf(postage, fees, extraServices));
}

/** Before the manifest the label is cancelled; afterwards a refund is requested, and USPS decides later. */
export async function voidUspsLabel(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer> {
  const path = `/labels/v3/label/${encodeURIComponent(label.trackingNumber)}`;
  const request = { method: "DELETE", path, isPaid: true } as const;
  const { body, faults } = await askUsps(call, request, () => true);
  if (faults.length === 0) return readUspsVoid(body);
  const says = (pattern: RegExp): boolean => faults.some(({ message }: UspsFault) => pattern.test(message));
  if (says(/refund.*already|already.*refund/i))
    return { state: "submitted", message: `USPS: ${wordsOfFaults(faults)}` };
  // A label that a lost first attempt cancelled is gone.
  if (says(/already.*cancel/i) || (call.attempt > 1 && says(/order not found/i))) return { state: "voided" };
  if (call.attempt > 1 && says(/cannot be cancel/i) && (await isGone(call, label))) return { state: "voided" };
  return { state: "rejected", message: `USPS: ${wordsOfFaults(faults)}` };
}

/** USPS refuses to cancel a label that a lost first attempt cancelled, and reprints only labels that are not cancelled. */
async function isGone(call: CarrierCall, { trackingNumber }: SoldLabel): Promise<boolean> {
  const path = `/labels/v3/label-reprint/${encodeURIComponent(trackingNumber)}`;
  const request = { method: "POST", path, json: { imageInfo: imageInfo(call, {}) }, isPaid: true } as const;
  const { faults } = await askUsps(call, request, () => true);
  return faults.some(({ message }) => /not found|cancel/i.test(message));
}

export function readUspsVoid(body: Json): VoidAnswer {
  const status = asText(body.status)?.toUpperCase();
  if (status === "CANCELED" || status === "CANCELLED") return { state: "voided" };
  if (status !== "DISPUTED")
    throw new RemoteError("unexpected_response", "USPS did not report whether the label is void.", { retryable: true });
  const disputeId = asText(body.disputeId);
  return { state: "submitted", ...(disputeId === undefined ? {} : { carrierData: { disputeId } }) };
}

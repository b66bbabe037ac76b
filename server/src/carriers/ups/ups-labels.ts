import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { unreadable } from "../seam/failures.ts";
import { RemoteError } from "../seam/http.ts";
import { shortKey } from "../seam/keys.ts";
import { labelFileOfBase64 } from "../seam/label-file.ts";
import type { Charge, Label, SoldLabel, VoidAnswer } from "../seam/labels.ts";
import { compactDay } from "../seam/local-time.ts";
import { labelFormatOf } from "../seam/option-checks.ts";
import { paidCharge } from "../seam/price.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp, refuseWhileOpen, sendOnce, wasSent } from "../seam/repeats.ts";
import type { Parcel } from "../seam/ship-options.ts";
import { invoiceOf, invoiceTotal, taxInformation } from "./ups-customs.ts";
import { isDomestic, partiesOf } from "./ups-parties.ts";
import { priceIn, chargeLines } from "./ups-rates.ts";
import { askUps, wordsOfFaults } from "./ups-request.ts";
import { goodsOf, packagesOf, returnServiceOf, serviceOptionsOf, shipmentCharges } from "./ups-shipment.ts";

/** The code of UPS for a reference that no shipment has. */
const notFound = "9801031";

/**
 * UPS has no idempotency key. The effect key is printed as second reference, by which UPS finds the labels of a purchase whose response
 * was lost.
 */
export async function buyUpsLabel(call: CarrierCall, request: LabelRequest): Promise<Label> {
  if (wasSent(call)) {
    const found = await lookUp("UPS", "label", () => recoverLabel(call, request));
    if (found) return found;
    refuseWhileOpen(call, "UPS", "label");
  }
  const json = shipmentBody(call, request);
  const { body } = await sendOnce(call, () => askUps(call, { method: "POST", path: "/shipments/v2409/ship", json }));
  return readUpsLabel(body, request.service);
}

function shipmentBody(call: CarrierCall, request: LabelRequest): Json {
  const { options } = request;
  const { customs } = options;
  const ReturnService = returnServiceOf(request);
  const domestic = isDomestic(request);
  const isPapers = customs?.contents === "documents";
  const serviceOptions = {
    ...serviceOptionsOf(request),
    ...(customs && !domestic && !isPapers ? { InternationalForms: invoiceOf(request, customs) } : {}),
  };
  return {
    ShipmentRequest: {
      Request: { RequestOption: "nonvalidate", SubVersion: "2409" },
      Shipment: {
        ...(domestic && !ReturnService ? {} : { Description: goodsOf(request) }),
        ...(ReturnService ? { ReturnService } : {}),
        ...(isPapers ? { DocumentsOnlyIndicator: "" } : {}),
        ...partiesOf(request, call.settings, "label"),
        PaymentInformation: { ShipmentCharge: shipmentCharges(request, call.settings) },
        ShipmentRatingOptions: { NegotiatedRatesIndicator: "" },
        ...(domestic ? {} : { ReferenceNumber: referencesOf(call, request) }),
        Service: { Code: request.service },
        ...(customs && !isPapers ? { InvoiceLineTotal: invoiceTotal(customs), ...taxInformation(customs) } : {}),
        ...(Object.keys(serviceOptions).length === 0 ? {} : { ShipmentServiceOptions: serviceOptions }),
        ShipmentDate: compactDay(request.shipDate),
        Package: packagesOf(request, "ship", (parcel) =>
          domestic ? { ReferenceNumber: referencesOf(call, request, parcel) } : {},
        ),
      },
      LabelSpecification: labelSpecification(call, request),
    },
  };
}

const maxReferences = 5;

/** UPS prints the first two references: one of the user's, and the key that finds the purchase again. */
function referencesOf({ effectKey }: CarrierCall, request: LabelRequest, parcel?: Parcel): Json[] {
  const all = [parcel?.reference, request.reference, ...(request.options.references ?? [])];
  const [first, ...further] = new Set(all.filter((text) => text !== undefined).map((text) => text.slice(0, 35)));
  const values = [first, upsReference(effectKey), ...further].filter((text) => text !== undefined);
  return values.slice(0, maxReferences).map((Value) => ({ Value }));
}

export function upsReference(effectKey: string): string {
  return shortKey(effectKey, 30);
}

export const upsLabelFormats = ["png", "zpl", "gif"] as const;

function labelSpecification({ settings }: CarrierCall, { options }: LabelRequest): Json {
  const format = labelFormatOf("UPS", options, {
    formats: upsLabelFormats,
    sizes: ["4x6"],
    fallback: asText(settings.labelFormat),
  });
  return specificationOf(format.toUpperCase());
}

function specificationOf(code: string): Json {
  return { LabelImageFormat: { Code: code }, LabelStockSize: { Height: "6", Width: "4" } };
}

/** UPS sells no PDF labels and recovers no PNG labels. */
function recoverySpecification(call: CarrierCall, request: LabelRequest): Json {
  const { Code } = asObject(labelSpecification(call, request).LabelImageFormat);
  return specificationOf(Code === "PNG" ? "PDF" : String(Code));
}

/** Undefined: no purchase of this effect key reached UPS. */
async function recoverLabel(call: CarrierCall, request: LabelRequest): Promise<Label | undefined> {
  const json = {
    LabelRecoveryRequest: {
      Request: { SubVersion: "1903" },
      LabelSpecification: recoverySpecification(call, request),
      ReferenceValues: {
        ReferenceNumber: { Value: upsReference(call.effectKey) },
        ShipperNumber: String(call.settings.accountNumber),
      },
    },
  };
  const path = "/labels/v1903/recovery";
  const { body, faults } = await askUps(
    call,
    { method: "POST", path, json, retry: "safe" },
    ({ code }) => code === notFound,
  );
  return faults.length > 0 ? undefined : readUpsRecovery(body, request.service);
}

/** Recovered labels come without a price. */
function readUpsRecovery(body: unknown, service: string): Label {
  const response = asObject(asObject(body).LabelRecoveryResponse);
  const parcels = asList(response.LabelResults).map((result) => {
    const image = asObject(result.LabelImage);
    const file = labelFileOfBase64(asText(image.GraphicImage));
    return { trackingNumber: asText(result.TrackingNumber) ?? "", file };
  });
  const shipmentId = asText(response.ShipmentIdentificationNumber) ?? parcels[0]?.trackingNumber ?? "";
  if (shipmentId === "" || parcels.length === 0 || parcels.some(({ trackingNumber }) => trackingNumber === ""))
    throw unreadable("UPS", "tracking number");
  return { service, charge: null, parcels, carrierData: { shipmentId } };
}

export function readUpsLabel(body: unknown, service: string): Label {
  const results = asObject(asObject(asObject(body).ShipmentResponse).ShipmentResults);
  const parcels = asList(results.PackageResults).map((result) => {
    const image = asObject(result.ShippingLabel);
    return {
      trackingNumber: asText(result.TrackingNumber) ?? "",
      file: labelFileOfBase64(asText(image.GraphicImage)),
    };
  });
  const shipmentId = asText(results.ShipmentIdentificationNumber) ?? parcels[0]?.trackingNumber ?? "";
  if (shipmentId === "" || parcels.length === 0 || parcels.some(({ trackingNumber }) => trackingNumber === ""))
    throw unreadable("UPS", "tracking number");
  const documents = asList(results.Form).flatMap((form) => {
    const file = labelFileOfBase64(asText(asObject(form.Image).GraphicImage));
    return file ? [{ kind: "customs" as const, file }] : [];
  });
  return {
    service,
    charge: chargeOf(results),
    parcels,
    ...(documents.length === 0 ? {} : { documents }),
    carrierData: { shipmentId },
  };
}

/** The negotiated price, where the shipment qualifies for one. */
function chargeOf(results: Json): Charge | null {
  const negotiated = asObject(results.NegotiatedRateCharges);
  const published = asObject(results.ShipmentCharges);
  const own = priceIn(negotiated.TotalCharge);
  const price = own ?? priceIn(published.TotalCharges);
  return paidCharge(price, chargeLines(own ? negotiated : published));
}

const alreadyVoided = "190117";

export async function voidUpsLabel(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer> {
  const shipmentId = asText(label.carrierData?.shipmentId) ?? label.trackingNumber;
  const path = `/shipments/v2409/void/cancel/${encodeURIComponent(shipmentId)}`;
  // Voiding twice has the effect of once.
  const request = { method: "DELETE", path, retry: "safe" } as const;
  // The codes of refused voids: too late, picked up, no such shipment.
  const { body, faults } = await askUps(call, request, ({ code }) => /^190\d{3}$/.test(code));
  if (faults.some(({ code, message }) => code === alreadyVoided || /already.*void/i.test(message)))
    return { state: "voided" };
  if (faults.length > 0) return { state: "rejected", message: `UPS: ${wordsOfFaults(faults)}` };
  return readUpsVoid(body);
}

export function readUpsVoid(body: unknown): VoidAnswer {
  const status = asObject(asObject(asObject(asObject(body).VoidShipmentResponse).SummaryResult).Status);
  if (asText(status.Code) === "1") return { state: "voided" };
  const words = asText(status.Description);
  if (words === undefined)
    throw new RemoteError("unexpected_response", "UPS did not report whether the label is void.", { retryable: true });
  return { state: "rejected", message: `UPS: ${words}` };
}

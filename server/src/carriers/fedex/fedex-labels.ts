import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { unreadable } from "../seam/failures.ts";
import { shortKey } from "../seam/keys.ts";
import { labelFileOfBase64 } from "../seam/label-file.ts";
import type { Charge, Label, SoldLabel, VoidAnswer } from "../seam/labels.ts";
import { dayOf } from "../seam/local-time.ts";
import { labelFormatOf, notSupported } from "../seam/option-checks.ts";
import { paidCharge, priceOf } from "../seam/price.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { cannotFindOut, lookUp, refuseWhileOpen, sendOnce, wasSent } from "../seam/repeats.ts";
import type { Parcel } from "../seam/ship-options.ts";
import { detailOf, linesOf, netOf } from "./fedex-rates.ts";
import { accountOf, askFedex, wordsOfFaults } from "./fedex-request.ts";
import type { FedexFault } from "./fedex-request.ts";
import { daysOf } from "./fedex-services.ts";
import { packagesOf, partyOf, paymentOf, shipmentOf, tinsOf, withPhones } from "./fedex-shipment.ts";
import { findByReference } from "./fedex-tracking.ts";

/**
 * FedEx has no idempotency key and does not print a label twice. A repeat looks for the shipment by the reference it was sent with. A
 * shipment that is found was paid for without its label: it is cancelled and bought again. One that is not found may appear later,
 * so the outcome stays unknown.
 */
export async function buyFedexLabel(call: CarrierCall, request: LabelRequest): Promise<Label> {
  const cancelled = asTexts(call.noted?.cancelled);
  if (wasSent(call)) cancelled.push(...(await cancelEarlier(call, request, cancelled)));
  const json = shipmentBody(call, request);
  const purchase = { method: "POST", path: "/ship/v1/shipments", json } as const;
  const { output } = await sendOnce(call, () => askFedex(call, purchase), { cancelled });
  return readFedexLabel(output, request.service);
}

async function cancelEarlier(call: CarrierCall, request: LabelRequest, cancelled: string[]): Promise<string[]> {
  const found = await lookUp("FedEx", "label", () => findByReference(call, keyOf(call), request.shipDate));
  const open = found.filter((number) => !cancelled.includes(number));
  if (open.length === 0) {
    refuseWhileOpen(call, "FedEx", "label");
    throw cannotFindOut("FedEx", "label", `reference ${keyOf(call)}`);
  }
  for (const trackingNumber of open) {
    const answer = await lookUp("FedEx", "label", () => cancelShipment(call, trackingNumber));
    if (answer.state !== "voided") throw cannotFindOut("FedEx", "label", `${trackingNumber}: ${answer.message ?? ""}`);
  }
  return open;
}

function keyOf({ effectKey }: CarrierCall): string {
  return shortKey(effectKey, 20);
}

function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item) => asText(item) ?? []) : [];
}

function shipmentBody(call: CarrierCall, request: LabelRequest): Json {
  const { options, shipDate, service } = request;
  const isAbroad = options.customs !== undefined;
  const { from, to } = withPhones(request);
  return {
    labelResponseOptions: "LABEL",
    accountNumber: accountOf(call),
    shipAction: "CONFIRM",
    processingOptionType: "SYNCHRONOUS_ONLY",
    oneLabelAtATime: false,
    requestedShipment: {
      ...shipmentOf(call, request),
      shipper: { ...partyOf(from, "sender", false), ...tinsOf(options.customs, "sender") },
      recipients: [
        { ...partyOf(to, "recipient", options.residential === true), ...tinsOf(options.customs, "receiver") },
      ],
      shipDatestamp: shipDate,
      serviceType: service,
      shippingChargesPayment: paymentOf(call, request),
      rateRequestType: ["ACCOUNT", "LIST"],
      labelSpecification: labelSpecification(call, request),
      ...(isAbroad
        ? {
            shippingDocumentSpecification: {
              shippingDocumentTypes: ["COMMERCIAL_INVOICE"],
              commercialInvoiceDetail: { documentFormat: { docType: "PDF", stockType: "PAPER_LETTER" } },
            },
          }
        : {}),
      requestedPackageLineItems: packagesOf(request, (parcel) => referencesOf(call, request, parcel)),
    },
  };
}

const referenceTypes = ["CUSTOMER_REFERENCE", "INVOICE_NUMBER", "DEPARTMENT_NUMBER"];

/** The key is sent as purchase order number, by which FedEx can be asked. */
function referencesOf(call: CarrierCall, request: LabelRequest, parcel: Parcel): Json {
  const own = [parcel.reference ?? request.reference, ...(request.options.references ?? [])].filter(
    (text) => text !== undefined,
  );
  return {
    customerReferences: [
      ...referenceTypes.flatMap((customerReferenceType, index) => {
        const value = own[index]?.slice(0, 30);
        return value === undefined ? [] : [{ customerReferenceType, value }];
      }),
      { customerReferenceType: "P_O_NUMBER", value: keyOf(call) },
    ],
  };
}

export const fedexLabelFormats = ["pdf", "zpl", "png"] as const;

function labelSpecification({ settings }: CarrierCall, { options }: LabelRequest): Json {
  const format = labelFormatOf("FedEx", options, {
    formats: fedexLabelFormats,
    sizes: ["4x6", "letter"],
    fallback: asText(settings.labelFormat),
  });
  if (format === "zpl" && options.label?.size === "letter")
    throw notSupported("FedEx", "label.size letter for zpl", "Use label.size 4x6, or label.format pdf or png.");
  if (format === "zpl") return { imageType: "ZPLII", labelStockType: "STOCK_4X6" };
  const labelStockType = options.label?.size === "letter" ? "PAPER_85X11_TOP_HALF_LABEL" : "PAPER_4X6";
  return { imageType: format.toUpperCase(), labelStockType };
}

export function readFedexLabel(output: Json, service: string): Label {
  const [shipment = {}] = asList(output.transactionShipments);
  const parcels = asList(shipment.pieceResponses).map((piece) => ({
    trackingNumber: asText(piece.trackingNumber) ?? "",
    file: documentOf(piece.packageDocuments, /LABEL/),
  }));
  const master = asText(shipment.masterTrackingNumber) ?? parcels[0]?.trackingNumber ?? "";
  if (master === "" || parcels.length === 0 || parcels.some(({ trackingNumber }) => trackingNumber === ""))
    throw unreadable("FedEx", "tracking number");
  const detail = asObject(shipment.completedShipmentDetail);
  const operational = asObject(detail.operationalDetail);
  const deliverBy = dayOf(asText(operational.deliveryDate)) ?? dayOf(asText(operational.commitDate));
  const days = daysOf(asText(operational.transitTime));
  const invoice = documentOf(shipment.shipmentDocuments, /INVOICE/);
  return {
    service,
    charge: chargeOf(shipment, detail),
    parcels,
    ...(invoice ? { documents: [{ kind: "customs" as const, file: invoice }] } : {}),
    ...(days === undefined ? {} : { transitDays: days }),
    ...(deliverBy === undefined ? {} : { deliverBy }),
    carrierData: { masterTrackingNumber: master },
  };
}

function documentOf(documents: unknown, type: RegExp): ReturnType<typeof labelFileOfBase64> {
  const found = asList(documents).find((document) => type.test(asText(document.contentType) ?? ""));
  return labelFileOfBase64(asText(found?.encodedLabel));
}

/** The account's price for the shipment, else the sum over its parcels. */
function chargeOf(shipment: Json, { shipmentRating }: Json): Charge | null {
  const details = asList(asObject(shipmentRating).shipmentRateDetails);
  const own = detailOf(details, /ACCOUNT|INCENTIVE/) ?? details[0];
  const price = own && netOf(own);
  if (own && price) return paidCharge(price, linesOf(own, own, price.currency));
  const pieces = asList(shipment.pieceResponses).map((piece) =>
    priceOf(piece.netRateAmount ?? piece.netChargeAmount, asText(piece.currency) ?? "USD"),
  );
  const [first] = pieces;
  if (!first || pieces.some((piece) => piece?.currency !== first.currency)) return null;
  const cents = pieces.reduce((sum, piece) => sum + (piece?.cents ?? 0), 0);
  // FedEx fills in zeros where it does not name the price.
  return cents === 0 ? null : paidCharge({ cents, currency: first.currency }, []);
}

export async function voidFedexLabel(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer> {
  return await cancelShipment(call, asText(label.carrierData?.masterTrackingNumber) ?? label.trackingNumber);
}

async function cancelShipment(call: CarrierCall, trackingNumber: string): Promise<VoidAnswer> {
  const json = { accountNumber: accountOf(call), deletionControl: "DELETE_ALL_PACKAGES", trackingNumber };
  // Cancelling twice has the effect of once.
  const request = { method: "PUT", path: "/ship/v1/shipments/cancel", json, retry: "safe" } as const;
  const { output, faults } = await askFedex(call, request, () => true);
  if (faults.some(isAlreadyCancelled)) return { state: "voided" };
  if (faults.length > 0) return { state: "rejected", message: `FedEx: ${wordsOfFaults(faults)}` };
  return readFedexVoid(output);
}

function isAlreadyCancelled({ code, message }: FedexFault): boolean {
  return /already.*(cancel|delet)/i.test(`${code} ${message}`.replaceAll(".", " "));
}

export function readFedexVoid(output: Json): VoidAnswer {
  if (output.cancelledShipment === true || asText(output.cancelledShipment) === "true") return { state: "voided" };
  const [alert] = asList(output.alerts).flatMap(({ message }) => asText(message) ?? []);
  const words = asText(output.message) ?? alert ?? asText(output.successMessage);
  return { state: "rejected", message: words === undefined ? "FedEx did not cancel the label." : `FedEx: ${words}` };
}

import type { Static } from "typebox";
import { gifLabel, pdfLabel, pngLabel, zplLabel } from "../label-files.ts";
import { zoneBetween } from "../stand-in-prices.ts";
import type { CarrierReply, CarrierRequest, JournalEntry, StandIn } from "../stand-in-api.ts";
import {
  commitmentOf,
  dimensionalPounds,
  postageCents,
  stockCode,
  uspsClasses,
  uspsExtras,
  uspsFees,
} from "./stand-in-usps-prices.ts";
import type { Part } from "./stand-in-usps-replies.ts";
import { multipart } from "./stand-in-usps-replies.ts";
import type { LabelBody } from "./stand-in-usps-requests.ts";

/** A purchase as it is in the journal. */
export type UspsSale = JournalEntry & {
  trackingNumber: string;
  /** The caller's idempotency key, else "". */
  key: string;
  /** Of the request: a key that comes back with another one is refused. */
  digest: string;
  references: string[];
  mailClass: string;
  imageType: string;
  receiptOption: string;
  mailingDate: string;
  isImmediate: boolean;
  from: { city: string; state: string; zip: string };
  to: { city: string; state: string; zip: string };
  metadata: Record<string, unknown>;
  totalCents: number;
  at: string;
};

export function uspsSales(standIn: StandIn): UspsSale[] {
  return standIn.journal("buy") as UspsSale[];
}

export function isCanceled(standIn: StandIn, trackingNumber: string): boolean {
  return standIn.journal("void").some((entry) => entry.trackingNumber === trackingNumber);
}

export type LabelRequest = Static<typeof LabelBody>;

/** Postage is charged with the electronic manifest: half past midnight Central time, or 15 minutes after an immediate one. */
export function isManifested(standIn: StandIn, sale: UspsSale, now: Date): boolean {
  const form = standIn
    .journal("manifest")
    .find((entry) => (entry.trackingNumbers as string[]).includes(sale.trackingNumber));
  const at = form ? Date.parse(String(form.at)) : sale.isImmediate ? Date.parse(sale.at) : undefined;
  if (at !== undefined && now.getTime() >= at + 15 * 60_000) return true;
  return now.getTime() >= Date.parse(`${sale.mailingDate}T06:30:00Z`) + 86_400_000;
}

/** 22 digits: the service, the mailer, a serial number and a check digit. */
function newTrackingNumber(standIn: StandIn): string {
  const body = `92346903123456${String(uspsSales(standIn).length + 1).padStart(7, "0")}`;
  const sum = body
    .split("")
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

export function sell(standIn: StandIn, body: LabelRequest, key: string, digest: string, now: Date): UspsSale {
  const { packageDescription: parcel, toAddress, fromAddress, imageInfo } = body;
  const service = uspsClasses.find(({ code }) => code === parcel.mailClass)!;
  const zone = zoneBetween(fromAddress.ZIPCode, toAddress.ZIPCode);
  // Labels cost the commercial price, whatever was asked for with the rates.
  const postage = postageCents(service, parcel, zone, "COMMERCIAL");
  const fees = uspsFees(parcel);
  const extras = [...new Set([920, ...(parcel.extraServices ?? [])])].map((code) => ({
    name: uspsExtras[code]?.name ?? `Extra Service ${code}`,
    price: (uspsExtras[code]?.cents ?? 0) / 100,
    SKU: "DXTU0EXXXCX0000",
  }));
  const trackingNumber = newTrackingNumber(standIn);
  const { phone: _phone, email: _email, ...labelAddress } = toAddress;
  const day = parcel.mailingDate.slice(0, 10);
  const sale: UspsSale = {
    kind: "buy",
    trackingNumber,
    key,
    digest,
    references: (parcel.customerReference ?? []).map(({ referenceNumber }) => referenceNumber),
    mailClass: parcel.mailClass,
    imageType: imageInfo?.imageType ?? "PDF",
    receiptOption: imageInfo?.receiptOption ?? "SAME_PAGE",
    mailingDate: day,
    isImmediate: parcel.packageOptions?.immediateManifest ?? false,
    from: { city: fromAddress.city, state: fromAddress.state, zip: fromAddress.ZIPCode },
    to: { city: toAddress.city, state: toAddress.state, zip: toAddress.ZIPCode },
    metadata: {
      labelAddress,
      routingInformation: `420${toAddress.ZIPCode}`,
      trackingNumber,
      postage: postage / 100,
      extraServices: extras,
      zone: String(zone).padStart(2, "0"),
      commitment: commitmentOf(service, zone, day),
      weightUOM: "LB",
      weight: parcel.weight,
      dimensionalWeight: dimensionalPounds(parcel),
      fees: fees.map(({ name, price, SKU }) => ({ name, price, SKU })),
      bannerText: "USPS TRACKING # USPS Ship",
      retailDistributionCode: "01",
      serviceTypeCode: "346",
      constructCode: "C03",
      SKU: stockCode(service, zone, parcel.weight),
    },
    totalCents: postage + [...fees, ...extras].reduce((sum, { price }) => sum + Math.round(price * 100), 0),
    at: now.toISOString(),
  };
  standIn.record(sale);
  return sale;
}

function imageOf(sale: UspsSale, imageType: string, carrier = "USPS"): Part & { bytes: Buffer } {
  const label = {
    carrier,
    service: sale.mailClass,
    trackingNumber: sale.trackingNumber,
    to: `${sale.to.city} ${sale.to.zip}`,
  };
  const [type, ending, bytes] =
    imageType === "PNG"
      ? ["image/png", "png", pngLabel(label)]
      : imageType === "GIF"
        ? ["image/gif", "gif", gifLabel(label)]
        : imageType.startsWith("ZPL")
          ? ["application/zpl", "zpl", zplLabel(label)]
          : ["application/pdf", "pdf", pdfLabel(label)];
  return { name: "labelImage", type, file: `labelImage.${ending}`, content: bytes.toString("base64"), bytes };
}

/** A multipart answer, or one JSON object for clients that accept it. */
export function labelReply(
  standIn: StandIn,
  request: CarrierRequest,
  sale: UspsSale,
  more: { imageType: string; reprint?: object },
): CarrierReply {
  const image = more.imageType === "NONE" ? undefined : imageOf(sale, more.imageType);
  const hasReceipt = sale.receiptOption === "SEPARATE_PAGE" && more.imageType === "PDF" && !more.reprint;
  const receipt = hasReceipt ? imageOf(sale, "PDF", "USPS receipt") : undefined;
  const headers: Record<string, string> = sale.key ? { "x-idempotency-key": sale.key } : {};
  if (String(request.headers.accept).includes("application/vnd.usps.labels+json")) {
    const body = {
      ...sale.metadata,
      ...(image && { labelImage: image.content }),
      ...(receipt && { receiptImage: receipt.content }),
      ...(more.reprint && { reprintInfo: more.reprint }),
    };
    return { status: 200, headers: { ...headers, "content-type": "application/vnd.usps.labels+json" }, body };
  }
  const isCut = standIn.takeFault("bare_newlines", "buy");
  const parts = [
    { name: "labelMetadata", type: "application/json", content: JSON.stringify(sale.metadata) },
    ...(image && !standIn.takeFault("label_missing", "buy") ? [image] : []),
    ...(receipt ? [{ ...receipt, name: "receiptImage", file: "receiptImage.pdf" }] : []),
    ...(more.reprint ? [{ name: "reprintInfo", type: "application/json", content: JSON.stringify(more.reprint) }] : []),
  ];
  const reply = multipart(parts, isCut ? "\n" : "\r\n");
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

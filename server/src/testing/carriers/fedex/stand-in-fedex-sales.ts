import { pdfLabel, pngLabel, zplLabel } from "../label-files.ts";
import type { JournalEntry, StandIn } from "../stand-in-api.ts";
import type { FedexPrice, FedexShipment } from "./stand-in-fedex-prices.ts";
import { fedexPrice, fedexSurcharges, servicesFor } from "./stand-in-fedex-prices.ts";
import { amount } from "./stand-in-fedex-replies.ts";

/** A purchase as it is in the journal: all of its pieces are one entry. */
export type FedexSale = JournalEntry & {
  masterNumber: string;
  trackingNumbers: string[];
  references: string[];
  /** The caller's index of an Open Ship shipment, else "". */
  index: string;
  jobId: string;
  service: string;
  serviceName: string;
  carrierCode: string;
  shipDay: string;
  imageType: string;
  to: { name: string; city: string; state: string; zip: string; country: string };
  from: { city: string; state: string; country: string };
  pounds: number;
  at: string;
  price: FedexPrice;
};

export function fedexSales(standIn: StandIn): FedexSale[] {
  return standIn.journal("buy") as FedexSale[];
}

export function isCancelled(standIn: StandIn, sale: FedexSale): boolean {
  return standIn.journal("void").some((entry) => entry.masterNumber === sale.masterNumber);
}

/** Twelve digits; the last one is a check digit. */
function trackingNumber(serial: number): string {
  const body = `7949${String(serial).padStart(7, "0")}`;
  const sum = body.split("").reduce((total, digit, at) => total + Number(digit) * [3, 1, 7][at % 3]!, 0);
  return `${body}${(sum % 11) % 10}`;
}

type SaleKey = { index?: string; jobId?: string; numbers?: string[]; imageType: string };

export function recordSale(standIn: StandIn, shipment: FedexShipment, now: Date, key: SaleKey): FedexSale {
  const chosen = servicesFor(shipment).find(({ code }) => code === shipment.serviceType)!;
  const price = fedexPrice(shipment, chosen);
  const { contact, address } = shipment.recipients[0]!;
  const { city, stateOrProvinceCode = "", countryCode } = shipment.shipper.address;
  const numbers = key.numbers ?? newNumbers(standIn, shipment);
  const sale: FedexSale = {
    kind: "buy",
    masterNumber: numbers[0]!,
    trackingNumbers: numbers,
    references: shipment.requestedPackageLineItems.flatMap(({ customerReferences = [] }) =>
      customerReferences.map(({ value }) => value),
    ),
    index: key.index ?? "",
    jobId: key.jobId ?? "",
    service: chosen.code,
    serviceName: chosen.name,
    carrierCode: chosen.carrierCode,
    shipDay: shipment.shipDatestamp ?? now.toISOString().slice(0, 10),
    imageType: key.imageType,
    to: {
      name: contact.personName ?? contact.companyName ?? "",
      city: address.city,
      state: address.stateOrProvinceCode ?? "",
      zip: address.postalCode ?? "",
      country: address.countryCode,
    },
    from: { city, state: stateOrProvinceCode, country: countryCode },
    pounds: price.pounds,
    at: now.toISOString(),
    price,
  };
  standIn.record(sale);
  return sale;
}

/** Numbers of the pieces; those of open shipments are given out before they are confirmed. */
export function newNumbers(standIn: StandIn, shipment: FedexShipment): string[] {
  const given = [...standIn.journal("buy"), ...standIn.journal("open")].reduce(
    (sum, entry) => sum + (entry.trackingNumbers as string[]).length,
    0,
  );
  const pieces = shipment.requestedPackageLineItems.reduce(
    (sum, { groupPackageCount = 1 }) => sum + groupPackageCount,
    0,
  );
  return Array.from({ length: pieces }, (_, at) => trackingNumber(given + at + 1));
}

/** The answer to a purchase. With LABEL it contains the file, with URL_ONLY the address of the file. */
export function shipmentReply(standIn: StandIn, sale: FedexSale, options: string) {
  const { ACCOUNT } = sale.price.byType;
  const pieces = sale.trackingNumbers.length;
  const share = (cents: number): number => amount(Math.round(cents / pieces));
  return {
    alerts: [],
    masterTrackingNumber: sale.masterNumber,
    serviceType: sale.service,
    shipDatestamp: sale.shipDay,
    serviceName: sale.serviceName,
    pieceResponses: sale.trackingNumbers.map((number, at) => ({
      masterTrackingNumber: sale.masterNumber,
      packageSequenceNumber: at + 1,
      trackingNumber: number,
      additionalChargesDiscount: 0,
      netRateAmount: share(ACCOUNT.netCents + ACCOUNT.taxCents),
      // Always zero, whatever the label costs.
      netChargeAmount: 0,
      netDiscountAmount: 0,
      packageDocuments: [
        {
          contentType: "LABEL",
          copiesToPrint: 1,
          ...(options === "LABEL"
            ? { encodedLabel: labelImage(sale, number).toString("base64") }
            : {
                url: `${standIn.url}/document/v2/document/retrieve/SH,${number}_SHIPPING_P/isLabel=true&autoPrint=false`,
              }),
          docType: sale.imageType,
        },
      ],
      currency: "USD",
      customerReferences: sale.references.map((value) => ({ customerReferenceType: "CUSTOMER_REFERENCE", value })),
      codcollectionAmount: 0,
      baseRateAmount: share(ACCOUNT.baseCents),
    })),
    completedShipmentDetail: completedDetail(sale),
    serviceCategory: sale.carrierCode === "FDXG" ? "GROUND" : "EXPRESS",
  };
}

function completedDetail(sale: FedexSale) {
  const trackingId = (number: string) => ({ trackingIdType: "FEDEX", formId: "0201", trackingNumber: number });
  const weight = { units: "LB", value: sale.pounds };
  return {
    usDomestic: sale.to.country === "US",
    carrierCode: sale.carrierCode,
    masterTrackingId: trackingId(sale.masterNumber),
    serviceDescription: { serviceType: sale.service, code: "20", description: sale.serviceName },
    packagingDescription: "Customer Packaging",
    shipmentRating: {
      actualRateType: "PAYOR_ACCOUNT_SHIPMENT",
      shipmentRateDetails: (["ACCOUNT", "LIST"] as const).map((type) => {
        const { baseCents, fuelCents, otherCents, netCents, taxCents } = sale.price.byType[type];
        return {
          rateType: `PAYOR_${type}_SHIPMENT`,
          rateZone: String(sale.price.zone),
          ratedWeightMethod: "ACTUAL",
          dimDivisor: fedexSurcharges.divisor,
          fuelSurchargePercent: fedexSurcharges.fuelPercent,
          totalBillingWeight: weight,
          totalBaseCharge: amount(baseCents),
          totalFreightDiscounts: 0,
          totalNetFreight: amount(baseCents),
          totalSurcharges: amount(fuelCents + otherCents),
          totalNetFedExCharge: amount(netCents),
          totalTaxes: amount(taxCents),
          totalNetCharge: amount(netCents + taxCents),
          totalRebates: 0,
          // Other names than in an answer to a rate request.
          surcharges: [
            ...sale.price.lines.map(({ type: surchargeType, description, cents }) => ({
              surchargeType,
              level: "SHIPMENT",
              description,
              amount: amount(cents),
            })),
            { surchargeType: "FUEL", level: "SHIPMENT", description: "Fuel", amount: amount(fuelCents) },
          ],
          freightDiscounts: [],
          taxes: [],
          currency: "USD",
        };
      }),
    },
    completedPackageDetails: sale.trackingNumbers.map((number, at) => ({
      sequenceNumber: at + 1,
      trackingIds: [trackingId(number)],
      groupNumber: 0,
      signatureOption: "SERVICE_DEFAULT",
    })),
  };
}

export function labelImage(sale: FedexSale, number: string): Buffer {
  const label = {
    carrier: "FedEx",
    service: sale.service,
    trackingNumber: number,
    to: `${sale.to.name} ${sale.to.zip}`,
  };
  if (sale.imageType === "PNG") return pngLabel(label);
  if (sale.imageType === "ZPLII") return zplLabel(label);
  if (sale.imageType === "EPL2")
    return Buffer.from(`N\nA50,50,0,4,1,1,N,"${label.service}"\nB50,120,0,1,3,7,150,B,"${number}"\nP1\n`);
  return pdfLabel(label);
}
